// The table of docs/coverage.md, made from what was seen on the wire: every method, in every revision that has it, over every
// transport, by every client that speaks it. An empty cell fails; `UPDATE_COVERAGE=1` writes the page anew.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createMCPClient, ElicitationRequestSchema } from '@ai-sdk/mcp';
import { afterAll, expect, it } from 'vitest';
import { type Revision, revisions } from 'vivarium';
import { methods } from 'vivarium/protocol';
import { createTour } from '../fixtures/tour.mjs';
import { open, openProcess } from '../matrix/link.ts';
import { remembered, tour, tourCapabilities } from '../matrix/tour.ts';
import { connectV1, connectV2, type Peer } from './clients.ts';
import { overHttpV1, overHttpV2, overSse } from './http-clients.ts';
import { serveFixture } from './served.ts';

const fixture = fileURLToPath(new URL('../fixtures/tour.mjs', import.meta.url));
const page = fileURLToPath(new URL('../../docs/coverage.md', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'coverage-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Not this server's, or not a client's to send by hand. */
const elsewhere = /^tasks\/|^notifications\/(tasks|roots)\//;
const ours = ['memory', 'wire', 'stdio', 'http', 'stateless', 'fetch', 'sse'] as const;
/** Each begins a server that writes its wire to a file. */
const clients: Readonly<Record<string, (revision: Revision, log: string) => Promise<Peer>>> = {
  'sdk v1, stdio': (revision, log) => connectV1(revision, { command: process.execPath, args: [fixture, log], stderr: 'inherit' }),
  'sdk v1, http': (revision, log) => overHttpV1('tour', { log })(revision),
  'sdk v1, sse': (revision, log) => overSse('tour', { log })(revision),
  'sdk v2, stdio': (revision, log) => connectV2(revision, { command: process.execPath, args: [fixture, log], stderr: 'inherit' }),
  'sdk v2, http': (revision, log) => overHttpV2('tour', { log })(revision),
};
const columns = [...ours, ...Object.keys(clients), 'ai-sdk, http', 'ai-sdk, sse'];

const has = (method: string, revision: Revision): boolean => {
  const asked = ['roots/list', 'sampling/createMessage', 'elicitation/create'].includes(method) && revision === '2026-07-28';
  return asked || methods.get(method)?.revisions.has(revision) === true;
};
/** What the client of the AI SDK can be used for; it offers one revision only. */
const byAi = /^initialize$|initialized$|^tools\/|^resources\/(list|read|templates\/list)$|^prompts\/|^completion\/|^elicitation\/create$/;

/** Whether the cell must be filled: not where the transport, or the client, has no such thing. */
function due(column: string, method: string, revision: Revision): boolean {
  const modern = revision === '2026-07-28';
  if (modern && /^sse$|sdk v1|, sse$/.test(column)) return false;
  // Over HTTP a modern client cancels by going away.
  if (modern && method === 'notifications/cancelled' && /http|fetch|stateless/.test(column)) return false;
  if (column === 'stateless' && !modern && remembered.test(method)) return false;
  if (column.startsWith('ai-sdk') && !(revision === '2025-11-25' && byAi.test(method))) return false;
  return has(method, revision);
}

it('every method is seen in every revision that has it, over every transport, by every client', { timeout: 120_000 }, async () => {
  const seen = new Map<string, Set<string>>();
  const logged = async (column: string, revision: Revision, drive: (log: string) => Promise<void>): Promise<void> => {
    const log = join(folder, `${column} ${revision}`);
    writeFileSync(log, '');
    await drive(log);
    seen.set(`${column} ${revision}`, onTheWire(readFileSync(log, 'utf8')));
  };
  for (const revision of revisions) {
    const speaks = (column: string): boolean => [...methods.keys()].some((method) => due(column, method, revision));
    const options = { revision, capabilities: tourCapabilities };
    for (const transport of ours.filter(speaks)) {
      const link = transport === 'stdio' ? await openProcess('tour.mjs', options) : await open(createTour(), transport, options);
      seen.set(`${transport} ${revision}`, await tour(link, transport === 'stateless'));
      await link.close();
    }
    for (const [column, connect] of Object.entries(clients).filter(([column]) => speaks(column))) {
      await logged(column, revision, async (log) => {
        const peer = await connect(revision, log);
        await byPeer(peer, revision, log);
        await peer.close();
      });
    }
  }
  for (const type of ['http', 'sse'] as const) await logged(`ai-sdk, ${type}`, '2025-11-25', (log) => byAiSdk(type, log));
  const empty: string[] = [];
  const short = (list: readonly Revision[]): string => list.map((revision) => revision.slice(2)).join(' ');
  const table = [...methods.keys()]
    .filter((method) => !elsewhere.test(method))
    .map((method) => {
      const all = revisions.filter((revision) => has(method, revision));
      const cells = columns.map((column) => {
        const wanted = all.filter((revision) => due(column, method, revision));
        for (const revision of wanted)
          if (seen.get(`${column} ${revision}`)?.has(method) !== true) empty.push(`${method} ${column} ${revision}`);
        if (wanted.length === 0) return '–';
        return wanted.length === all.length ? 'all' : short(wanted);
      });
      return `| \`${method}\` | ${short(all)} | ${cells.join(' | ')} |`;
    });
  expect(empty).toEqual([]);
  const text = readFileSync(page, 'utf8');
  const head = text.slice(0, text.indexOf('| method |'));
  const whole = `${head}| method | revisions | ${columns.join(' | ')} |\n|---|---|${'---|'.repeat(columns.length)}\n${table.join('\n')}\n`;
  if (process.env['UPDATE_COVERAGE'] !== undefined) writeFileSync(page, whole);
  else expect(text).toBe(whole);
});

function onTheWire(log: string): Set<string> {
  const found = new Set<string>();
  for (const line of log.trim().split('\n')) {
    const message = JSON.parse(line.slice(line.indexOf(' ') + 1));
    if (message.method !== undefined) found.add(message.method);
    for (const question of Object.values(message.result?.inputRequests ?? {})) found.add((question as { method: string }).method);
  }
  return found;
}

async function byPeer({ client, call, heard }: Peer, revision: Revision, log: string): Promise<void> {
  const modern = revision === '2026-07-28';
  const told = async (method: string): Promise<void> => {
    await expect.poll(() => heard.some((message) => message.method === method)).toBe(true);
  };
  if (modern) await client.discover?.();
  else {
    await client.ping();
    await client.setLoggingLevel('debug');
    await client.subscribeResource({ uri: 'tour:///index' });
  }
  await client.listTools();
  await call('echo', { text: 'hi' });
  await client.listResources();
  await client.listResourceTemplates();
  await client.readResource({ uri: 'tour:///notes/one' });
  await client.listPrompts();
  await client.getPrompt({ name: 'greet', arguments: { name: 'Ada' } });
  await client.complete({ ref: { type: 'ref/resource', uri: 'tour:///notes/{id}' }, argument: { name: 'id', value: 't' } });
  await call('steps', {}, { onprogress: () => undefined });
  await call('log', {}, {}, modern ? { 'io.modelcontextprotocol/logLevel': 'debug' } : {});
  const listening = modern
    ? await client.listen({
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: ['tour:///index'],
      })
    : undefined;
  await call('change');
  for (const of of ['tools', 'prompts', 'resources']) await told(`notifications/${of}/list_changed`);
  await call('touch');
  await told('notifications/resources/updated');
  if (listening === undefined) await client.unsubscribeResource({ uri: 'tour:///index' });
  else await listening.close?.();
  const gone = new AbortController();
  const waiting = call('wait', {}, { signal: gone.signal }).catch(() => undefined);
  await expect.poll(() => readFileSync(log, 'utf8').includes('"name":"wait"')).toBe(true);
  gone.abort();
  await waiting;
  await call('roots');
  await call('sample');
  if (revision >= '2025-06-18') await call('ask');
  if (revision >= '2025-11-25') await call('ask_url');
}

async function byAiSdk(type: 'http' | 'sse', log: string): Promise<void> {
  const served = await serveFixture('tour', { log, endpoint: { sse: type === 'sse' } });
  const url = type === 'http' ? served.url : new URL('/sse', served.url).href;
  const client = await createMCPClient({ transport: { type, url }, capabilities: { elicitation: {} } });
  client.onElicitationRequest(ElicitationRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }));
  const { ask } = await client.tools();
  expect(await ask?.execute({}, { toolCallId: 'call', messages: [] })).toMatchObject({ content: [{ text: 'Hello, Ada' }] });
  await client.listResources();
  await client.listResourceTemplates();
  await client.readResource({ uri: 'tour:///notes/one' });
  await client.experimental_listPrompts();
  await client.experimental_getPrompt({ name: 'greet', arguments: { name: 'Ada' } });
  await client.complete({ ref: { type: 'ref/resource', uri: 'tour:///notes/{id}' }, argument: { name: 'id', value: 't' } });
  await client.close();
  await served.end();
}
