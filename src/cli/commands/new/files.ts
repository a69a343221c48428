// What a new server begins with: a typed server, its test, and a build that checks both.

export interface Scaffold {
  /** Of the package and of the server. */
  readonly name: string;
  /** The version of Vivarium it asks for, as npm writes it. */
  readonly vivarium: string;
}

/** Paths and texts, in the order they are told. */
export function filesOf(scaffold: Scaffold): ReadonlyMap<string, string> {
  return new Map([
    ['package.json', manifest(scaffold)],
    ['tsconfig.json', tsconfig],
    ['src/server.ts', server(scaffold)],
    ['test/server.test.ts', test],
    ['.github/workflows/ci.yml', workflow],
    ['README.md', readme(scaffold)],
    ['.gitignore', 'node_modules\ndist\n'],
  ]);
}

function manifest({ name, vivarium }: Scaffold): string {
  const content = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=20.19' },
    scripts: {
      build: 'tsc',
      start: 'tsc && vivarium serve dist/src/server.js',
      dev: 'vivarium serve src/server.ts --watch',
      test: 'tsc && node --test dist/test/server.test.js',
      // Its tools keep notes in memory: calling them harms nothing.
      check: 'tsc && vivarium check --allow-side-effects -- vivarium serve dist/src/server.js',
    },
    dependencies: { vivarium, zod: '^4.0.0' },
    devDependencies: { '@types/node': '^20.19.0', typescript: '>=5.9' },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

const tsconfig = `${JSON.stringify(
  {
    compilerOptions: {
      target: 'es2023',
      module: 'nodenext',
      outDir: 'dist',
      rootDir: '.',
      types: ['node'],
      strict: true,
      rewriteRelativeImportExtensions: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      skipLibCheck: true,
    },
    include: ['src', 'test'],
  },
  null,
  2,
)}\n`;

function server({ name }: Scaffold): string {
  return `${taken('{ Server, ToolError }', 'vivarium/server')}
${taken('{ z }', 'zod')}

const notes = new Map([['welcome', 'Water the ferns']]);

const server = new Server({ name: '${name}', version: '0.1.0' });

server.tool(
  'note_get',
  {
    description: 'Read a note',
    input: z.object({ id: z.string().describe('Which note') }),
    output: z.object({ id: z.string(), text: z.string() }),
    annotations: { readOnlyHint: true },
  },
  ({ id }) => {
    const text = notes.get(id);
    if (text === undefined) throw new ToolError(\`There is no note \${id}; there are \${[...notes.keys()].join(', ')}\`);
    return { id, text };
  },
);

server.tool(
  'note_put',
  {
    description: 'Write a note',
    input: z.object({ id: z.string().describe('Its name, new or known'), text: z.string().describe('What it says from now on') }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  },
  ({ id, text }) => {
    notes.set(id, text);
    return \`Kept \${id}\`;
  },
);

export default server;
`;
}

const test = `${taken('assert', 'node:assert/strict')}
${taken('{ test }', 'node:test')}
${taken('{ createTestClient }', 'vivarium/testing')}
${taken('server', '../src/server.ts')}

test('a note that was written can be read', async () => {
  const client = await createTestClient(server);
  try {
    await client.callTool('note_put', { id: 'a', text: 'Turn the lamp' });
    const { structuredContent } = await client.callTool('note_get', { id: 'a' });
    assert.deepEqual(structuredContent, { id: 'a', text: 'Turn the lamp' });
  } finally {
    await client.close();
  }
});

test('a note that is not there is a failure the model can read', async () => {
  const client = await createTestClient(server);
  try {
    const { isError, content } = await client.callTool('note_get', { id: 'nowhere' });
    assert.equal(isError, true);
    assert.match(JSON.stringify(content), /There is no note nowhere/);
  } finally {
    await client.close();
  }
});
`;

const workflow = `name: ci
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - run: npm install
      - run: npm test
      - run: npm run check
`;

function readme({ name }: Scaffold): string {
  return `# ${name}

\`\`\`
npm install
npm test              # the types and the tests
npm run check         # judged against the specification of the Model Context Protocol; calls every tool (--allow-side-effects)
npm run dev           # served on stdio, and again after every change
npx vivarium list src/server.ts
npx vivarium call src/server.ts note_get id=welcome
\`\`\`

To give it to an agent:

\`\`\`
claude mcp add ${name} -- "$PWD/node_modules/.bin/vivarium" serve "$PWD/src/server.ts"
\`\`\`
`;
}

/** Written so that nobody takes it for an import of this file. */
function taken(names: string, module: string): string {
  return `import ${names} from '${module}';`;
}
