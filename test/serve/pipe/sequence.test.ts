// Exactly one answer per request that was not cancelled, and none for anything else, whatever the order and the chunks.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Revision, revisions } from 'vivarium';
import { createEverything } from '../../fixtures/everything.mjs';
import { type Conversation, cancelled, converse, turn } from '../../jsonrpc/conversation.ts';
import type { Message } from '../../matrix/link.ts';

/** A line, and what it asks for: an answer with an id of its own, an error without one, or nothing. */
type Step =
  | { readonly kind: 'request'; readonly method: string; readonly params: object }
  | { readonly kind: 'refused'; readonly broken: object }
  | { readonly kind: 'garbage'; readonly line: string }
  | { readonly kind: 'silent'; readonly line: string }
  | { readonly kind: 'cancel'; readonly at: number };

const text = fc.string({ unit: 'binary', maxLength: 8 });
const callOf = (name: string, args: fc.Arbitrary<object>): fc.Arbitrary<Step> =>
  args.map((given) => ({ kind: 'request', method: 'tools/call', params: { name, arguments: given } }));
const request: fc.Arbitrary<Step> = fc.oneof(
  fc
    .constantFrom('ping', 'tools/list', 'server/discover', 'resources/list', 'initialize', '__proto__', 'nope')
    .map((method): Step => ({ kind: 'request', method, params: {} })),
  callOf('echo', fc.record({ text })),
  callOf('add', fc.record({ a: fc.integer(), b: fc.oneof(fc.integer(), text) })),
  callOf('any', fc.record({ payload: fc.jsonValue() })),
  callOf('sum', fc.record({ of: fc.array(fc.integer()) })),
  callOf('fail', fc.constant({})),
  callOf('wait', fc.record({ ms: fc.integer({ min: 0, max: 3 }) })),
  callOf('steps', fc.record({ steps: fc.integer({ min: 0, max: 2 }) })),
  callOf('toString', fc.constant({})),
  fc.jsonValue().map((name): Step => ({ kind: 'request', method: 'tools/call', params: { name } })),
);
const refused = fc
  .constantFrom<object>({ jsonrpc: '1.0' }, { method: 7 }, { params: 7 }, { params: [] }, { method: '' })
  .map((broken): Step => ({ kind: 'refused', broken }));
const garbage = fc
  .oneof(
    fc.constantFrom('{', '{"jsonrpc":"2.0","id":5,', '42', 'null', '"x"', '{}', '{"jsonrpc":"2.0","id":null,"method":"ping"}', '[]', '[1'),
    fc.string({ unit: 'grapheme-ascii', minLength: 1 }).map((given) => `#${given}`),
  )
  .map((line): Step => ({ kind: 'garbage', line }));
const silent = fc
  .constantFrom(
    '',
    ' \t\r',
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","method":"notifications/nope","params":{}}',
    '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"unknown"}}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '{"jsonrpc":"2.0","id":1,"error":{}}',
  )
  .map((line): Step => ({ kind: 'silent', line }));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: request },
  { weight: 1, arbitrary: refused },
  { weight: 1, arbitrary: garbage },
  { weight: 1, arbitrary: silent },
  { weight: 2, arbitrary: fc.nat().map((at): Step => ({ kind: 'cancel', at })) },
);

interface Script {
  readonly lines: readonly string[];
  /** By id: how many answers at least. One is the most. */
  readonly least: ReadonlyMap<string | number, 0 | 1>;
  readonly nameless: number;
}

/** Ids of both types, each used once; a cancellation aims at an earlier or a later request. */
function write(talk: Conversation, steps: readonly Step[]): Script {
  const idOf = (index: number): string | number => (index % 2 === 0 ? index : `s${index}`);
  const least = new Map<string | number, 0 | 1>();
  const lines = steps.map((one, index) => {
    const id = idOf(index);
    if (one.kind === 'garbage' || one.kind === 'silent') return one.line;
    if (one.kind === 'cancel') {
      const target = idOf(one.at % steps.length);
      if (least.has(target)) least.set(target, 0);
      return JSON.stringify(cancelled(target));
    }
    least.set(id, 1);
    if (one.kind === 'refused') return JSON.stringify({ ...talk.request(id, 'ping'), ...one.broken });
    return JSON.stringify(talk.request(id, one.method, one.params));
  });
  return { lines, least, nameless: steps.filter(({ kind }) => kind === 'garbage').length };
}

function checked(received: readonly Message[], { least, nameless }: Script): void {
  const answers = received.filter(({ method }) => method === undefined);
  const counts = new Map<unknown, number>();
  for (const { id } of answers) counts.set(id ?? null, (counts.get(id ?? null) ?? 0) + 1);
  expect(counts.get(null) ?? 0).toBe(nameless);
  counts.delete(null);
  for (const [id, minimum] of least) {
    const count = counts.get(id) ?? 0;
    expect(count === 1 || count === minimum, `${count} answers to ${JSON.stringify(id)}`).toBe(true);
    counts.delete(id);
  }
  expect([...counts]).toEqual([]);
}

describe.each(revisions)('any sequence of messages in %s', (revision: Revision) => {
  it('gets one answer per request that was not cancelled, and nothing else', async () => {
    const server = createEverything();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.array(fc.nat(), { maxLength: 12 }), async (steps, cuts) => {
        const talk = await converse(server, revision);
        const script = write(talk, steps);
        const bytes = new TextEncoder().encode(script.lines.map((line) => `${line}\n`).join(''));
        const points = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
        for (const [index, point] of points.slice(1).entries()) {
          talk.send(bytes.slice(points[index], point));
          if (index % 3 === 2) await turn();
        }
        checked((await talk.received()).flat(), script);
        await talk.alive();
      }),
      { numRuns: 150 },
    );
  });
});

/** After some microtasks, a turn or a timer. */
async function delayed(act: () => void): Promise<void> {
  const delay = Math.floor(Math.random() * 12);
  for (let tick = 0; tick < delay % 6; tick++) await Promise.resolve();
  if (delay >= 6) await turn();
  if (delay === 11) await new Promise((resolve) => setTimeout(resolve, 1));
  act();
}

describe.each(revisions)('a cancellation that races with the end of its call in %s', (revision: Revision) => {
  it('never leads to two answers, and to none only when it came first', async () => {
    const server = createEverything();
    const ends = new Map<number, () => void>();
    server.tool('race', {}, (_, { requestId }) => new Promise((resolve) => ends.set(requestId as number, () => resolve('done'))));
    const talk = await converse(server, revision);
    const cancelledFirst = new Set<number>();
    const spared = (id: number) => id % 5 === 0;
    await Promise.all(
      Array.from({ length: 1_000 }, async (_, id) => {
        let ended = false;
        talk.send(talk.call(id, 'race'));
        const end = delayed(() => {
          ended = true;
          ends.get(id)?.();
        });
        const cancel = delayed(() => {
          if (spared(id)) return;
          if (!ended) cancelledFirst.add(id);
          talk.cancel(id);
        });
        await Promise.all([end, cancel]);
      }),
    );
    const received = (await talk.received()).flat();
    const ids = received.map(({ id }) => id as number);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => cancelledFirst.has(id))).toEqual([]);
    expect(ids.filter(spared)).toHaveLength(200);
    expect(received.every(({ result }) => result.content[0].text === 'done')).toBe(true);
    expect(cancelledFirst.size).toBeGreaterThan(0);
    expect(ids.length).toBeGreaterThan(200);
    await talk.alive();
  });

  it('changes nothing once the answer has left', async () => {
    const talk = await converse(createEverything(), revision);
    for (let id = 0; id < 50; id++) {
      talk.send(talk.call(id, 'wait', { ms: 0 }));
      expect(await talk.received()).toMatchObject([{ id }]);
      talk.cancel(id);
    }
    expect(await talk.received()).toEqual([]);
  });
});
