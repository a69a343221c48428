// What typing costs: the compiler's instantiation counts for fifty tools with two schemas each (deterministic, unlike times).
//   node bench/types.mjs [--json]
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const place = join(root, '.cache/bench-types');
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const declarations = join(place, 'declarations');
const official = [root, join(root, 'bench')].find((folder) => existsSync(join(folder, 'node_modules/@modelcontextprotocol/server')));

const compilerOptions = {
  target: 'es2022',
  lib: ['es2023'],
  module: 'nodenext',
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  skipLibCheck: true,
  noEmit: true,
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
};

const fifty = (text) => Array.from({ length: 50 }, (_, index) => text(index)).join('\n');

const zodSchemas = fifty(
  (i) => `const In${i} = z.object({
  name: z.string().min(1), count: z.number().int(), tags: z.array(z.string()).optional(), mode: z.enum(['a', 'b']).default('a'),
  at: z.object({ x: z.number(), y: z.number() }),
});
const Out${i} = z.object({ id: z.string(), total: z.number(), detail: z.object({ ok: z.boolean(), note: z.string().default('') }) });`,
);

const literals = (i) => [
  `{ type: 'object', properties: { name: { type: 'string', minLength: 1 }, count: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } },
  mode: { enum: ['a', 'b'] }, at: { type: 'object', properties: { x: { type: 'number' }, y: { type: 'number' } }, required: ['x', 'y'] } },
  required: ['name', 'count', 'mode', 'at', 'n${i}'] }`,
  `{ type: 'object', properties: { id: { type: 'string' }, total: { type: 'number' },
  detail: { type: 'object', properties: { ok: { type: 'boolean' }, note: { type: 'string' } }, required: ['ok'] } }, required: ['id', 'total', 'detail', 'n${i}'] }`,
];

const body = "{ id: name, total: count + at.x + at.y, detail: { ok: mode === 'a' && tags?.length === 1 } }";
const taken = '{ name, count, tags, mode, at }';
const ours =
  "import { jsonSchema, Server } from 'vivarium/server';\nvoid jsonSchema;\nconst server = new Server({ name: 'types', version: '1.0.0' });\n";
const zod = "import { z } from 'zod';\n";

const programs = {
  'zod schemas declared, never read': { text: `${zod}${zodSchemas}\nexport { ${fifty((i) => `In${i}, Out${i},`)} };` },
  'baseline: the same zod schemas, z.output / z.input in 50 functions': {
    text: `${zod}${zodSchemas}\n${fifty((i) => `export function f${i}(${taken}: z.output<typeof In${i}>): z.input<typeof Out${i}> {\n  return ${body};\n}`)}`,
  },
  'vivarium/server imported, no tool': { text: `${ours}export { server };`, needs: 'vivarium' },
  'server.tool, zod': {
    text: `${zod}${ours}${zodSchemas}\n${fifty((i) => `server.tool('t${i}', { input: In${i}, output: Out${i} }, (${taken}) => (${body}));`)}`,
    needs: 'vivarium',
  },
  'official server, registerTool, zod': {
    text: `${zod}import { McpServer } from '@modelcontextprotocol/server';
const server = new McpServer({ name: 'types', version: '1.0.0' });
${zodSchemas}\n${fifty((i) => `server.registerTool('t${i}', { inputSchema: In${i}, outputSchema: Out${i} }, (${taken}) => ({ content: [], structuredContent: ${body} }));`)}`,
    needs: 'official',
  },
  'server.tool, JSON Schema literals': {
    text: `${ours}${fifty((i) => {
      const [input, output] = literals(i);
      return `server.tool('t${i}', { input: ${input}, output: ${output} }, (${taken}) => (${body}));`;
    })}`,
    needs: 'vivarium',
  },
  'server.tool, jsonSchema<T>': {
    text: `${ours}interface In { name: string; count: number; tags?: string[]; mode: 'a' | 'b'; at: { x: number; y: number } }
interface Out { id: string; total: number; detail: { ok: boolean; note?: string } }
${fifty((i) => {
  const [input, output] = literals(i);
  return `server.tool('t${i}', { input: jsonSchema<In>(${input}), output: jsonSchema<Out>(${output}) }, (${taken}) => (${body}));`;
})}`,
    needs: 'vivarium',
  },
};

rmSync(place, { recursive: true, force: true });
mkdirSync(place, { recursive: true });

// As a user's compiler sees us: declarations, which skipLibCheck passes over, and not our source.
const built = run([
  '-p',
  join(root, 'src'),
  '--emitDeclarationOnly',
  '--declarationDir',
  declarations,
  '--outDir',
  declarations,
  '--tsBuildInfoFile',
  join(place, 'src.tsbuildinfo'),
]);
const entry = join(declarations, 'server/index.d.ts');
const missing = {
  vivarium: existsSync(entry) ? undefined : `src/server does not compile yet:\n${built.output.split('\n').slice(0, 3).join('\n')}`,
  official: official === undefined ? '@modelcontextprotocol/server is not installed (npm ci in bench/)' : undefined,
};

const rows = Object.entries(programs).map(([name, { text, needs }], index) => {
  if (needs !== undefined && missing[needs] !== undefined) return { name, note: missing[needs] };
  const folder = join(place, `program-${index}`);
  const paths = needs === 'vivarium' ? { 'vivarium/server': [entry] } : {};
  mkdirSync(folder);
  // The peer brings its own copy of zod; two copies would be counted twice.
  if (needs === 'official') symlinkSync(join(official, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  writeFileSync(join(folder, 'tools.ts'), `${text}\n`);
  writeFileSync(
    join(folder, 'tsconfig.json'),
    `${JSON.stringify({ compilerOptions: { ...compilerOptions, paths }, files: ['tools.ts'] }, null, 2)}\n`,
  );
  const { output, failed } = run(['-p', folder, '--extendedDiagnostics']);
  const errors = output.split('\n').filter((line) => line.includes('error TS'));
  const figure = (label) => Number(new RegExp(`^${label}:\\s+([\\d.]+)`, 'm').exec(output)?.[1]);
  return {
    name,
    instantiations: figure('Instantiations'),
    types: figure('Types'),
    seconds: figure('Check time'),
    ...(failed && { note: `does not compile (${errors.length} errors): ${errors[0]}` }),
  };
});

const baseline = rows.find(({ name }) => name.startsWith('baseline')).instantiations;
for (const row of rows) if (row.name.includes('zod') && row.instantiations) row.ratio = row.instantiations / baseline;

if (process.argv.includes('--json')) {
  console.log(JSON.stringify(rows, null, 2));
} else {
  console.log('| program | instantiations | against the baseline | types | check |\n|---|---|---|---|---|');
  for (const { name, instantiations, ratio, types, seconds, note } of rows) {
    const figures =
      instantiations === undefined ? '– | – | – | –' : `${instantiations} | ${ratio?.toFixed(2) ?? '–'} | ${types} | ${seconds} s`;
    console.log(`| ${name} | ${figures} |`);
    if (note !== undefined) console.log(`\n${note}\n`);
  }
}

function run(options) {
  try {
    return { output: execFileSync(process.execPath, [tsc, ...options], { encoding: 'utf8', maxBuffer: 2 ** 26 }), failed: false };
  } catch (error) {
    return { output: `${error.stdout}${error.stderr}`, failed: true };
  }
}
