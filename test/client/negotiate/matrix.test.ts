// Every client against every server: the right verdict, and all that the two have in common works.
import { describe, expect, it } from 'vitest';
import type { Revision } from 'vivarium';
import { z } from 'zod';
import type { ClientOptions, Handlers } from '../../../src/client/index.ts';
import { connect } from '../doors.ts';
import { type Any, failureOf, until } from '../rude.ts';
import { all, fits, isSse, open, visit, type Way, ways } from '../ways.ts';

const handlers: Handlers = {
  elicit: () => ({ action: 'accept', content: { sure: true } }),
  sample: () => ({ role: 'assistant', content: { type: 'text', text: 'hm' }, model: 'none' }),
  roots: () => [{ uri: 'file:///home', name: 'home' }],
};
const text = (of: string) => [{ type: 'text', text: of }];

async function tryAll(way: Way, revision: Revision, served: readonly Revision[], options: ClientOptions): Promise<void> {
  const { client } = await visit(way, { revisions: [...served] }, { handlers, ...options });
  expect([client.revision, client.era]).toEqual([revision, revision === '2026-07-28' ? 'modern' : 'legacy']);
  expect([client.server?.name, client.instructions]).toEqual(['guest', 'Be kind.']);
  expect((await client.listTools()).map(({ name }) => name)).toContain('add');
  expect((await client.callTool('add', { a: 1, b: 2 })).content).toEqual(text('3'));
  const summed = await client.callTool('sum', { a: 1 }, revision >= '2025-06-18' ? { output: z.object({ sum: z.number() }) } : {});
  if (revision >= '2025-06-18') expect(summed.structuredContent).toEqual({ sum: 2 });
  expect((await client.callTool('think')).content).toEqual(text('hm'));
  expect((await client.callTool('where')).content).toEqual(text('file:///home'));
  const asked = await client.callTool('ask');
  if (revision >= '2025-06-18') expect(asked.content).toEqual(text('Ada true'));
  else expect(asked.isError).toBe(true);
  const progress: number[] = [];
  await client.callTool('steps', { steps: 3, ms: 1 }, { onProgress: (step) => progress.push(step.progress) });
  expect(progress).toEqual([1, 2, 3]);
  expect(await client.listResources()).toEqual([expect.objectContaining({ uri: 'note:///a' })]);
  expect(await client.listResourceTemplates()).toEqual([expect.objectContaining({ uriTemplate: 'note:///{id}' })]);
  expect((await client.readResource('note:///b')).contents).toEqual([expect.objectContaining({ text: 'text of b' })]);
  expect((await client.listPrompts()).map(({ name }) => name)).toEqual(['greet']);
  expect((await client.getPrompt('greet', { name: 'Bob' })).messages).toMatchObject([{ content: { text: 'Hello, Bob' } }]);
  expect((await client.complete({ type: 'ref/prompt', name: 'greet' }, { name: 'name', value: 'A' })).values).toEqual(['Ada', 'Alan']);
  await client.ping();
  const logs: unknown[] = [];
  client.on('log', ({ data }) => logs.push(data));
  await client.setLogLevel('error');
  await client.callTool('log');
  await until(() => logs.length > 0);
  expect(logs).toEqual(['a fault']);
  await expect(client.callTool('nothing')).rejects.toMatchObject({ code: -32602 });
  await expect(client.request('no/such', {})).rejects.toMatchObject({ code: -32601 });
  expect(client.verdict).toMatchObject({ era: client.era, revision });
}

describe.each(ways)('over %s', (way) => {
  const possible = all.filter((revision) => fits(way, revision));

  it.each(possible)('a server of %s alone is found out', (revision) => tryAll(way, revision, [revision], {}));

  it.each(possible)('a server of %s alone is reached by a client pinned to it', (revision) =>
    tryAll(way, revision, [revision], { revision }),
  );

  it.each(possible)('a server of all revisions is reached by a client pinned to %s', (revision) =>
    tryAll(way, revision, all, { revision }),
  );

  it('a server of all revisions is spoken to in the newest that the transport has', () =>
    tryAll(way, isSse(way) ? '2025-11-25' : '2026-07-28', all, {}));

  const pairs = possible.flatMap((pinned) => possible.filter((spoken) => spoken !== pinned).map((spoken) => [pinned, spoken] as const));
  it.each(pairs)('a client pinned to %s refuses a server of %s', async (pinned, spoken) => {
    const { target } = await open(way, { revisions: [spoken] });
    const error: Any = await failureOf(connect(target, { revision: pinned }));
    expect(error.code).toBe('ERR_ERA');
    expect(error.message).toContain(pinned);
    expect(error.failure.phase).toMatch(/^(?:probe|initialize)$/);
  });
});

it.each([
  ['2025-11-25', 'server/discover'],
  ['2026-07-28', 'logging/setLevel'],
  ['2026-07-28', 'resources/subscribe'],
] as const)('In %s there is no %s', async (revision, method) => {
  const { client } = await visit('memory', { revisions: [revision] });
  await expect(client.request(method)).rejects.toMatchObject({ code: 'ERR_UNSUPPORTED_BY_REVISION' });
});

it('A verdict handed in again is right, and saves the probe', async () => {
  for (const revision of ['2025-06-18', '2026-07-28'] as const) {
    const first = await visit('memory', { revisions: [revision] });
    const sent: Any[] = [];
    const tap = ({ direction, message }: Any): void => void (direction === 'out' && sent.push(message.method));
    const { client } = await visit('memory', { revisions: [revision] }, { prior: first.client.verdict, tap });
    expect(client.revision).toBe(revision);
    expect(sent[0]).toBe(revision === '2026-07-28' ? 'server/discover' : 'initialize');
  }
});
