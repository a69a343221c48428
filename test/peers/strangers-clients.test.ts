// Other people's clients on our server, by every way they have: each connects, lists the tools and calls one.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Revision } from 'vivarium';
import { strangersNotRun } from '../../scripts/strangers.mjs';
import { type Address, broken, type Ended, folder, recorded, run, serveOurs, type Way, within } from './strangers.ts';

let address: Address;
const driver = fileURLToPath(new URL('strangers/drive.mjs', import.meta.url));
const manifest = new URL('strangers/package.json', import.meta.url);
const versions = (JSON.parse(readFileSync(manifest, 'utf8')) as { dependencies: Record<string, string> }).dependencies;
const titled = (name: string): string => `${name} ${versions[name]?.split('@').at(-1)}`;

/** Libraries, with the revision they speak by each way. */
const libraries: readonly (readonly [name: string, spoken: Readonly<Partial<Record<Way, Revision>>>])[] = [
  ['sdk-1.0.4', { stdio: '2024-11-05', sse: '2024-11-05' }],
  ['sdk-1.11.5', { stdio: '2025-03-26', http: '2025-03-26', sse: '2025-03-26' }],
  ['sdk-1.20.2', { stdio: '2025-06-18', http: '2025-06-18', sse: '2025-06-18' }],
  ['@modelcontextprotocol/sdk', { stdio: '2025-11-25', http: '2025-11-25', sse: '2025-11-25' }],
  ['@modelcontextprotocol/client', { stdio: '2026-07-28', http: '2026-07-28', sse: '2026-07-28' }],
  ['@langchain/mcp-adapters', { stdio: '2025-11-25', http: '2025-11-25', sse: '2025-11-25' }],
  ['@llamaindex/tools', { stdio: '2025-11-25', http: '2025-11-25', sse: '2025-11-25' }],
  ['@mastra/mcp', { stdio: '2026-07-28', http: '2026-07-28' }],
  ['@openai/agents', { stdio: '2026-07-28', http: '2026-07-28', sse: '2025-11-25' }],
];

/** What a command is given to reach the server by this way. */
type Reach = (way: Way) => readonly string[];

interface Program {
  readonly script: readonly string[];
  readonly ways: readonly Way[];
  list(reach: Reach, way: Way): readonly string[];
  add(reach: Reach, way: Way): readonly string[];
}

/** Programs that list and call. */
const programs: Readonly<Record<string, Program>> = {
  '@modelcontextprotocol/inspector': {
    script: ['@modelcontextprotocol', 'inspector', 'clients/launcher/build/index.js'],
    ways: ['stdio', 'http', 'sse'],
    list: (reach, way) => ['--cli', '--method', 'tools/list', '--transport', way, ...end(way), ...reach(way)],
    add: (reach, way) => [
      '--cli',
      '--method',
      'tools/call',
      '--tool-name',
      'add',
      '--tool-arg',
      'a=1',
      '--tool-arg',
      'b=2',
      '--transport',
      way,
      ...end(way),
      ...reach(way),
    ],
  },
  mcporter: {
    script: ['mcporter', 'dist/cli.js'],
    ways: ['stdio', 'http'],
    list: (reach, way) => ['list', ...ported(reach, way)],
    add: (reach, way) => ['call', ...ported(reach, way), 'add', 'a=1', 'b=2'],
  },
};
const end = (way: Way): readonly string[] => (way === 'stdio' ? ['--'] : []);
const ported = (reach: Reach, way: Way): readonly string[] =>
  way === 'stdio' ? ['--stdio', reach(way).join(' ')] : ['--allow-http', '--http-url', ...reach(way)];

/** Agents: without a model they do no more than to look whether the servers of their configuration are well. */
const agents: readonly (readonly [name: string, script: readonly string[], file: string])[] = [
  ['@anthropic-ai/claude-code', ['@anthropic-ai', 'claude-code', 'cli.js'], '.claude.json'],
  ['@google/gemini-cli', ['@google', 'gemini-cli', 'bundle/gemini.js'], '.gemini/settings.json'],
];

const fileName = (name: string): string => name.replaceAll('/', '-');
const succeeded = ({ code, stdout, stderr }: Ended): string => {
  expect(code, `${stdout}\n${stderr}`).toBe(0);
  return stdout || stderr;
};

describe.skipIf(strangersNotRun())('a client of somebody else', () => {
  beforeAll(async () => {
    address = await serveOurs();
  });
  afterAll(() => address?.stop());

  const reachAs =
    (name: string): Reach =>
    (way) =>
      way === 'stdio' ? recorded(fileName(name)) : [address[way]];

  it.each(libraries.map(([name, spoken]) => [titled(name), name, spoken] as const))('%s lists and calls', async (_, name, spoken) => {
    const target = (way: Way): object | string => {
      const [command, ...args] = reachAs(name)(way);
      return way === 'stdio' ? { command, args } : (command as string);
    };
    const ways = Object.keys(spoken) as Way[];
    const targets = JSON.stringify(Object.fromEntries(ways.map((way) => [way, target(way)])));
    // The oldest expects EventSource to be there, as in a browser.
    const seen = JSON.parse(
      succeeded(await run(['--experimental-eventsource', driver, within('..'), name, targets]))
        .trim()
        .split('\n')
        .at(-1) ?? '',
    );
    for (const way of ways) {
      expect(seen[way].names).toHaveLength(20);
      expect(seen[way]).toMatchObject({ added: '3', revision: spoken[way] });
    }
    expect(await broken(fileName(name))).toEqual([]);
  });

  it.each(Object.entries(programs).map(([name, program]) => [titled(name), name, program] as const))(
    '%s lists and calls',
    async (_, name, { script, ways, list, add }) => {
      const listed = succeeded(await run([within(...script), ...list(reachAs(name), 'http')]));
      expect(listed).toContain('echo');
      expect(listed).toContain('grow');
      for (const way of ways) {
        expect(succeeded(await run([within(...script), ...add(reachAs(name), way)]))).toMatch(/^\s*(?:"text": )?"?3"?$/m);
      }
      expect(await broken(fileName(name))).toEqual([]);
    },
  );

  it.each(agents.map(([name, script, file]) => [titled(name), name, script, file] as const))(
    '%s finds it well',
    async (_, name, script, file) => {
      const [command, ...args] = reachAs(name)('stdio');
      const mcpServers = {
        pipe: { command, args },
        web: { type: 'http', url: address.http },
        old: { type: 'sse', url: address.sse },
      };
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), JSON.stringify({ mcpServers }));
      const said = succeeded(await run([within(...script), 'mcp', 'list']));
      for (const server of Object.keys(mcpServers)) expect(said).toMatch(new RegExp(`${server}: .* Connected`));
      expect(await broken(fileName(name))).toEqual([]);
    },
  );
});
