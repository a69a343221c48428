// Who may import whom: the rooms of src/, the places where Node's own modules are allowed, and foreign packages.
import { describe, expect, it } from 'vitest';
import { importsOf, packageOf } from './imports.ts';
import { reasons } from './reasons.ts';
import { file, type SourceFile, sources } from './tree.ts';

interface Room {
  /** Rooms, or single files of rooms. */
  readonly imports: readonly string[];
  /** Rooms from which it may take types only. */
  readonly types?: readonly string[];
}

const anything: Room = { imports: [''] };

const rooms: Readonly<Record<string, Room>> = {
  text: { imports: [] },
  node: { imports: ['text/'] },
  jsonrpc: { imports: [] },
  schema: { imports: [] },
  protocol: { imports: ['jsonrpc/'] },
  server: { imports: ['text/', 'jsonrpc/', 'protocol/', 'schema/', 'store/store.ts'] },
  client: { imports: ['text/', 'jsonrpc/', 'protocol/', 'schema/', 'store/store.ts'] },
  store: { imports: ['jsonrpc/'], types: ['protocol/'] },
  serve: { imports: ['text/', 'jsonrpc/', 'protocol/', 'server/', 'store/'] },
  connect: { imports: ['text/', 'node/', 'jsonrpc/', 'protocol/'] },
  auth: { imports: ['text/', 'node/', 'jsonrpc/', 'protocol/'] },
  live: { imports: ['text/', 'node/', 'protocol/', 'schema/', 'server/', 'store/store.ts'] },
  check: { imports: ['text/', 'node/', 'schema/'], types: ['protocol/'] },
  install: { imports: ['text/', 'node/'] },
  inspect: { imports: ['text/', 'node/', 'client/', 'connect/', 'protocol/', 'check/'] },
  // Bundled for a browser, beside the process that serves it.
  'inspect/page': { imports: [], types: ['inspect/', 'client/', 'connect/', 'jsonrpc/', 'protocol/', 'check/'] },
  otel: { imports: ['text/', 'jsonrpc/', 'protocol/'], types: ['server/'] },
  testing: { imports: ['jsonrpc/', 'server/', 'client/', 'serve/memory.ts', 'serve/pipe.ts'], types: ['protocol/'] },
  cli: anything,
  'index.ts': { imports: ['jsonrpc/', 'protocol/', 'schema/', 'server/', 'client/', 'connect/'] },
};

/** Where Node's own modules may be imported; the rest loads in a worker or a browser. */
const onNode =
  /^(?:serve\/(?:stdio\.ts|guard\.ts|node\.ts|node\/|signals\.ts)|connect\/(?!fetch\.ts)|auth\/node\b|store\/redis\b|(?:node|live|check|install|cli)\/|inspect\/(?!page\/))/;

describe('the rooms of src', () => {
  it('import only what the table allows', () => {
    expect(violations(sources('src'), packageRooms())).toEqual([]);
  });

  it('are described in docs/architecture.md as they are checked here', () => {
    expect(describedRooms()).toEqual(rooms);
  });

  it('are all in the table', () => {
    const unknown = sources('src').filter(({ path }) => rooms[roomOf(path)] === undefined);
    expect(unknown.map(({ path }) => path)).toEqual([]);
  });
});

describe('the checker', () => {
  const found = (path: string, text: string) => violations([{ path, text }], new Map([['ajv', ['schema']]]));

  it('catches an import of a higher room', () => {
    expect(found('src/jsonrpc/bad.ts', "import { Server } from '../server/server.ts';\n")).toEqual([
      'src/jsonrpc/bad.ts -> src/server/server.ts: jsonrpc may import no other room',
    ]);
  });

  it.each([
    "export {\n  Server,\n  type Tool,\n} from '../server/server.ts';",
    "import type { Server } from '../server/server.ts';",
    "import '../server/server.ts';",
    "const { Server } = await import('../server/server.ts');",
    "type Server = import('../server/server.ts').Server;",
    "export * from '../server/server.ts';",
    "import server, { type Tool } from '../server/server.ts';",
  ])('reads %j', (text) => {
    expect(found('src/protocol/bad.ts', text)).toHaveLength(1);
  });

  it('knows types from values', () => {
    expect(found('src/check/run.ts', "import type { Tool } from '../protocol/tools.ts';")).toEqual([]);
    expect(found('src/check/run.ts', "import { methods } from '../protocol/methods.ts';")).toEqual([
      'src/check/run.ts -> src/protocol/methods.ts: check may import only types from there',
    ]);
    expect(found('src/check/run.ts', "import { type Tool, methods } from '../protocol/methods.ts';")).toHaveLength(1);
  });

  it('knows single files of a room', () => {
    expect(found('src/server/server.ts', "import type { Store } from '../store/store.ts';")).toEqual([]);
    expect(found('src/server/server.ts', "import { memoryStore } from '../store/memory.ts';")).toHaveLength(1);
  });

  it('keeps cli to itself', () => {
    expect(found('src/live/image.ts', "import { main } from '../cli/main.ts';")).toHaveLength(1);
    expect(found('src/cli/main.ts', "import { serveStdio } from '../serve/stdio.ts';")).toEqual([]);
  });

  it('lets the page of the inspector take types from outside, and nothing else', () => {
    const page = 'src/inspect/page/tools.ts';
    expect(found(page, "import type { Tool } from '../../protocol/tools.ts';\nimport { row } from './row.ts';")).toEqual([]);
    expect(found(page, "import { methods } from '../../protocol/methods.ts';")).toEqual([
      `${page} -> src/protocol/methods.ts: inspect/page may import only types from there`,
    ]);
    expect(found(page, "import { relay } from '../relay.ts';")).toHaveLength(1);
    expect(found(page, "import type { Socket } from 'node:net';")).toHaveLength(1);
    expect(found('src/inspect/relay.ts', "import type { Socket } from 'node:net';")).toEqual([]);
    expect(found('src/inspect/relay.ts', "import { row } from './page/row.ts';")).toHaveLength(1);
  });

  it('catches an import from outside src', () => {
    expect(found('src/cli/main.ts', "import { run } from '../../scripts/run.ts';")).toHaveLength(1);
  });

  it('catches a builtin in a neutral room, prefixed or not', () => {
    expect(found('src/server/server.ts', "import { randomUUID } from 'node:crypto';")).toHaveLength(1);
    expect(found('src/server/server.ts', "import { randomUUID } from 'crypto';")).toHaveLength(1);
    expect(found('src/connect/fetch.ts', "import type { Agent } from 'node:http';")).toHaveLength(1);
    expect(found('src/serve/stdio.ts', "import { stdin } from 'node:process';")).toEqual([]);
  });

  it('catches a package in another room than its own', () => {
    expect(found('src/schema/compile.ts', "const { Ajv2020 } = await import('ajv/dist/2020.js');")).toEqual([]);
    expect(found('src/server/tools.ts', "import { Ajv } from 'ajv';")).toEqual(['src/server/tools.ts -> ajv: only in schema']);
    expect(found('src/server/tools.ts', "import { z } from 'zod';")).toEqual(['src/server/tools.ts -> zod: not in docs/dependencies.md']);
  });

  it('passes over comments and other strings', () => {
    expect(
      found('src/jsonrpc/good.ts', "/**\n * import { Server } from '../server/server.ts';\n */\nconst a = Array.from('../x');"),
    ).toEqual([]);
  });
});

function violations(files: readonly SourceFile[], packages: ReadonlyMap<string, readonly string[]>): string[] {
  return files.flatMap((source) =>
    importsOf(source).flatMap(({ from, to, kind, typeOnly }) => {
      const room = roomOf(from);
      const complaint =
        kind === 'file' ? fileComplaint(room, to, typeOnly) : kind === 'node' ? nodeComplaint(from) : packageComplaint(room, to, packages);
      return complaint === undefined ? [] : [`${from} -> ${to}: ${complaint}`];
    }),
  );
}

function fileComplaint(room: string, to: string, typeOnly: boolean): string | undefined {
  if (!to.startsWith('src/')) return 'outside src';
  const { imports, types = [] } = rooms[room] ?? { imports: [] };
  const inside = to.slice('src/'.length);
  const allowed = (list: readonly string[]) => list.some((prefix) => inside.startsWith(prefix));
  if (roomOf(to) === room || allowed(imports) || (typeOnly && allowed(types))) return undefined;
  if (allowed(types)) return `${room} may import only types from there`;
  return `${room} may import ${[...imports, ...types].join(', ') || 'no other room'}`;
}

function nodeComplaint(from: string): string | undefined {
  return onNode.test(from.slice('src/'.length)) ? undefined : 'must load in a worker or a browser';
}

function packageComplaint(room: string, to: string, packages: ReadonlyMap<string, readonly string[]>): string | undefined {
  const allowed = packages.get(packageOf(to));
  if (allowed === undefined) return 'not in docs/dependencies.md';
  return allowed.includes(room) ? undefined : `only in ${allowed.join(', ')}`;
}

function roomOf(path: string): string {
  return path.startsWith('src/inspect/page/') ? 'inspect/page' : (path.split('/')[1] ?? '');
}

/** The table of rooms: `a`, `b/c.ts`, types of `d`; and a remark. */
function describedRooms(): Record<string, Room> {
  const [, page = ''] = file('docs/architecture.md').text.split('\n## Rooms\n');
  const [table = ''] = page.split('\n\n');
  const named = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => (name.endsWith('.ts') ? name : `${name}/`));
  const rows = [...table.matchAll(/^\| `([^`]+)` \|.*\| (.*) \|$/gm)].map(([, room = '', cell = '']): [string, Room] => {
    const [imports = '', types] = (cell.split(';')[0] ?? '').split('types of ');
    if (imports === 'everything') return [room, anything];
    return [room, { imports: named(imports), ...(types !== undefined && { types: named(types) }) }];
  });
  return Object.fromEntries(rows);
}

function packageRooms(): ReadonlyMap<string, readonly string[]> {
  return new Map(reasons().map(({ name, rooms }) => [name, rooms]));
}
