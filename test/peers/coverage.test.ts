// The table of docs/coverage.md, made from what was seen on the wire: every method, in every revision that has it, over every
// transport, by every client that speaks it. An empty cell fails; `UPDATE_COVERAGE=1` writes the page anew.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { type Revision, revisions } from 'vivarium';
import { methods } from 'vivarium/protocol';
import { createTour } from '../fixtures/tour.mjs';
import { open, openProcess } from '../matrix/link.ts';
import { tour, tourCapabilities } from '../matrix/tour.ts';
import { connectV1, connectV2, type Peer } from './clients.ts';

const fixture = fileURLToPath(new URL('../fixtures/tour.mjs', import.meta.url));
const page = fileURLToPath(new URL('../../docs/coverage.md', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'coverage-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Not this server's, or not a client's to send by hand. */
const elsewhere = /^tasks\/|^notifications\/(tasks|roots)\//;
const columns = ['memory', 'wire', 'stdio', 'sdk v1', 'sdk v2'] as const;
const has = (method: string, revision: Revision): boolean => {
  const asked = ['roots/list', 'sampling/createMessage', 'elicitation/create'].includes(method) && revision === '2026-07-28';
  return asked || methods.get(method)?.revisions.has(revision) === true;
};
const speaks = (column: string, revision: Revision): boolean => column !== 'sdk v1' || revision !== '2026-07-28';

it('every method is seen in every revision that has it, over every transport, by every client', { timeout: 120_000 }, async () => {
  const seen = new Map<string, Set<string>>();
  const options = (revision: Revision) => ({ revision, capabilities: tourCapabilities });
  for (const revision of revisions) {
    for (const transport of ['memory', 'wire', 'stdio'] as const) {
      const link =
        transport === 'stdio' ? await openProcess('tour.mjs', options(revision)) : await open(createTour(), transport, options(revision));
      seen.set(`${transport} ${revision}`, await tour(link));
      await link.close();
    }
    for (const [column, connect] of [['sdk v1', connectV1] as const, ['sdk v2', connectV2] as const]) {
      if (!speaks(column, revision)) continue;
      const log = join(folder, `${column} ${revision}`);
      writeFileSync(log, '');
      const peer = await connect(revision, { command: process.execPath, args: [fixture, log], stderr: 'inherit' });
      await byPeer(peer, revision);
      await peer.client.close();
      seen.set(`${column} ${revision}`, onTheWire(readFileSync(log, 'utf8')));
    }
  }
  const rows = [...methods.keys()].filter((method) => !elsewhere.test(method));
  const empty: string[] = [];
  const table = rows.map((method) => {
    const cells = columns.map((column) => {
      const due = revisions.filter((revision) => has(method, revision) && speaks(column, revision));
      for (const revision of due)
        if (seen.get(`${column} ${revision}`)?.has(method) !== true) empty.push(`${method} ${column} ${revision}`);
      return due.length === 0 ? '–' : due.map((revision) => revision.slice(2)).join(' ');
    });
    return `| \`${method}\` | ${cells.join(' | ')} |`;
  });
  expect(empty).toEqual([]);
  const text = readFileSync(page, 'utf8');
  const head = text.slice(0, text.indexOf('| method |'));
  const whole = `${head}| method | ${columns.join(' | ')} |\n|---|${'---|'.repeat(columns.length)}\n${table.join('\n')}\n`;
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

async function byPeer({ client, call, heard }: Peer, revision: Revision): Promise<void> {
  const modern = revision === '2026-07-28';
  const told = async (method: string): Promise<void> => {
    await expect.poll(() => heard.some((message) => message.method === method), { timeout: 5_000 }).toBe(true);
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
  await new Promise((resolve) => setTimeout(resolve, 50));
  gone.abort();
  await waiting;
  await call('roots');
  await call('sample');
  if (revision >= '2025-06-18') await call('ask');
  if (revision >= '2025-11-25') await call('ask_url');
}
