// Hostile configuration files, as a repository may bring them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { stringify as toToml } from 'smol-toml';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { stringify as toYaml } from 'yaml';
import { CommandError } from '../../../src/cli/args/command.ts';
import { entryOf, readConfigurations } from '../../../src/cli/target/client-config.ts';
import { printableLines } from '../../../src/cli/terminal/terminal.ts';
import { addServer, type Format, removeServer } from '../../../src/install/edit/edit.ts';
import { Refusal } from '../../../src/install/edit/refusal.ts';
import { isPlain } from '../../../src/text/printable.ts';
import { hold, testMs } from './hold.ts';

const folder = mkdtempSync(join(tmpdir(), 'vivarium-hostile-'));
const variable = (inner: string): string => `\${${inner}}`;
const value = `the value of a variable with ${variable('VIVARIUM_HOSTILE_INNER')}`;

beforeAll(() => {
  process.env['VIVARIUM_HOSTILE_OUTER'] = value;
  process.env['VIVARIUM_HOSTILE_INNER'] = 'expanded twice';
});

afterAll(() => {
  delete process.env['VIVARIUM_HOSTILE_OUTER'];
  delete process.env['VIVARIUM_HOSTILE_INNER'];
  rmSync(folder, { recursive: true });
});

const words = [
  'node',
  'server.js',
  '',
  '-e',
  'https://a.example/mcp',
  variable('VIVARIUM_HOSTILE_OUTER'),
  variable('env:VIVARIUM_HOSTILE_OUTER'),
  variable('NOT_SET:-x'),
];
words.push(
  variable('NOT_SET'),
  variable('').slice(0, 2),
  variable(''),
  variable('input:a'),
  '$VIVARIUM_HOSTILE_OUTER',
  variable('workspaceFolder'),
  '\u001b[31m',
  '\u202e',
  '__proto__',
  'sse',
  'stdio',
);
const word = fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 12 }));
const scalar = fc.oneof(word, fc.constantFrom(null, true, 1, -1, 1e21));
const any = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(word, scalar, { maxKeys: 3, noNullPrototype: true }),
  fc.constant({}),
);
const entry = fc.dictionary(
  fc.constantFrom(
    'command',
    'cmd',
    'args',
    'env',
    'envs',
    'cwd',
    'url',
    'httpUrl',
    'headers',
    'http_headers',
    'type',
    'bearer_token_env_var',
    'x',
  ),
  any,
  { maxKeys: 6, noNullPrototype: true },
);
const lists = ['mcpServers', 'servers', 'context_servers', 'mcp_servers', 'mcp', 'extensions', 'other'];
const whole = fc.oneof(
  fc.dictionary(
    fc.constantFrom(...lists),
    fc.oneof(fc.dictionary(word, fc.oneof(entry, any), { maxKeys: 4, noNullPrototype: true }), any),
    { maxKeys: 3, noNullPrototype: true },
  ),
  any,
);

const kinds: Readonly<Record<string, (value: unknown) => string>> = {
  json: (given) => JSON.stringify(given) ?? '',
  jsonc: (given) => `// A remark\n${JSON.stringify(given, null, 2)?.replaceAll('}', ',}')} /* and one more`,
  toml: (given) => toToml(given as never),
  yaml: (given) => toYaml(given),
};
/** What a writer of files would not write. */
const harm = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  cut: fc.integer({ min: 0, max: 5 }),
  put: fc.constantFrom(
    '',
    '"',
    '{',
    '}',
    '[',
    ']',
    '\\',
    '\n',
    '\t',
    ':',
    '=',
    '&a ',
    '*a',
    '!!js/function ',
    '\u0000',
    '\ufeff',
    '# ',
    '/*',
    '---\n',
    '? ',
    '| ',
  ),
});
const file = fc.record({ kind: fc.constantFrom(...Object.keys(kinds)), given: whole, harms: fc.array(harm, { maxLength: 3 }) });

function textOf({
  kind,
  given,
  harms,
}: {
  kind: string;
  given: unknown;
  harms: readonly { at: number; cut: number; put: string }[];
}): string {
  let text = '';
  try {
    text = kinds[kind]?.(given) ?? '';
  } catch {
    // Not every value can be written in every language.
    text = JSON.stringify(given) ?? '';
  }
  for (const { at, cut, put } of harms) {
    const where = Math.floor(at * text.length);
    text = text.slice(0, where) + put + text.slice(where + cut);
  }
  return text;
}

/** Everything is a configuration, or refused in words that can be shown. */
async function read(name: string, text: string): Promise<void> {
  const path = join(folder, name);
  writeFileSync(path, text);
  try {
    for (const { file: from, servers } of await readConfigurations(path, folder)) {
      for (const [server, raw] of servers) checkEntry(server, raw, from);
    }
  } catch (error) {
    expect(error).toBeInstanceOf(CommandError);
    expect(isPlain(printableLines((error as Error).message).replaceAll(/[\n\t]|[\ud800-\udfff]/g, ''))).toBe(true);
    // Which variable is missing may be said, never what another one holds.
    expect((error as Error).message).not.toContain('the value of a variable');
  }
}

function checkEntry(name: string, raw: unknown, from: string): void {
  const made = entryOf(name, raw, from);
  const keys = 'url' in made ? Object.keys(made.headers) : Object.keys(made.env);
  for (const key of keys) expect(key).not.toContain('the value of a variable');
  // What a variable holds is text, not a template.
  expect(JSON.stringify(made)).not.toContain('expanded twice');
  for (const text of 'url' in made
    ? [made.url, ...Object.values(made.headers)]
    : [made.command, ...made.args, ...Object.values(made.env)]) {
    expect(typeof text).toBe('string');
  }
}

/** Everything is edited and read again as it should be, or refused in words that can be shown. */
async function edit(kind: string, text: string): Promise<void> {
  for (const path of [['mcpServers'], ['mcp_servers'], ['extensions']]) {
    const place = { format: kind as Format, path };
    try {
      const after = await addServer(text, place, 'vivarium-added', { command: 'x', args: ['y'] });
      await removeServer(after, place, 'vivarium-added');
    } catch (error) {
      expect(error).toBeInstanceOf(Refusal);
      expect(isPlain(printableLines((error as Error).message).replaceAll(/[\n\t]|[\ud800-\udfff]/g, ''))).toBe(true);
    }
  }
}

describe('a hostile configuration file', () => {
  it('is edited and proven, or refused with an error for people', { timeout: testMs }, async () => {
    await hold(file, 300, (given) => edit(given.kind, textOf(given)));
  });

  it('is read, or refused with an error for people', { timeout: testMs }, async () => {
    // Node prints warnings as they are.
    const warned = vi.spyOn(process, 'emitWarning');
    await hold(file, 300, (given) => read(`c.${given.kind}`, textOf(given)));
    expect(warned).not.toHaveBeenCalled();
  });

  it('is refused or read in a moment, however large or deep it is', { timeout: testMs }, async () => {
    const many = 50_000;
    const bombs: readonly (readonly [string, string])[] = [
      ['deep.json', '{"mcpServers":'.repeat(many)],
      ['lists.json', '['.repeat(many)],
      ['quotes.json', '"'.repeat(4 * many)],
      ['remarks.jsonc', '/*'.repeat(many)],
      ['deep.toml', `a = ${'['.repeat(many)}`],
      ['tables.toml', '[[a]]\n'.repeat(many / 10)],
      ['dots.toml', `${'a.'.repeat(many / 10)}a = 1`],
      ['quotes.toml', `a = ${'"""'.repeat(many)}`],
      ['deep.yaml', `a: ${'['.repeat(many / 50)}`],
      ['indent.yaml', Array.from({ length: 500 }, (_, n) => `${' '.repeat(n)}a:`).join('\n')],
      [
        'aliases.yaml',
        ['a0: &a0 [x]', ...Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join()}]`)].join('\n'),
      ],
      ['keys.yaml', `${'? '.repeat(1_000)}a`],
      ['tags.yaml', '!!js/function "x"\n'.repeat(1_000)],
      ['prototype.json', '{"mcpServers":{"__proto__":{"command":"x"},"constructor":{"command":"y"}}}'],
    ];
    for (const [name, text] of bombs) {
      const start = performance.now();
      await read(name, text);
      await edit(name.split('.')[1] ?? '', text);
      expect(performance.now() - start, name).toBeLessThan(20_000);
    }
    expect(({} as Record<string, unknown>)['command']).toBeUndefined();
  });

  it('is refused where it is a folder', async () => {
    mkdirSync(join(folder, 'folder.json'));
    await expect(readConfigurations('folder.json', folder)).rejects.toBeInstanceOf(CommandError);
  });
});
