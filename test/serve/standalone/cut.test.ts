// Connections that break at any byte of an event stream: whoever resumes gets every message exactly once and in order.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HttpServing, serveHttp } from 'vivarium/serve/node';
import { memoryStore } from 'vivarium/store/memory';
import { type Cutter, createCutter, createDice, type Dice } from '../../fixtures/http-cutter.mjs';
import { createWatched, type Watched } from '../../fixtures/http-server.mjs';
import { Client, type Message, type Reply } from '../../fixtures/http-wire.mjs';

const rounds = 100;
/** Set SEED to repeat one run. */
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

let watched: Watched[];
let servings: HttpServing[];
let cutters: Cutter[];
let dice: Dice;
/** Bytes after which the next connection is cut. */
let limit: number | undefined;

beforeEach(async () => {
  dice = createDice(seed);
  limit = undefined;
  const store = memoryStore();
  watched = [createWatched(), createWatched()];
  servings = await Promise.all(
    watched.map(({ server }) => serveHttp(server, { port: 0, signals: false, drainMs: 0, store, events: { maxCount: 10_000 } })),
  );
  cutters = await Promise.all(servings.map(({ port }) => createCutter(port, () => limit)));
});

afterEach(async () => {
  for (const cutter of cutters) await cutter.close();
  for (const serving of servings) await serving.close();
});

const via = (at: number): string => `http://127.0.0.1:${cutters[at]?.port}/mcp`;
const direct = (at: number): string => servings[at]?.url as string;

/** Reads until the connection ends, however it ends; what arrived whole is added. */
async function take(reply: Reply, into: Message[]): Promise<string | undefined> {
  await reply.ended;
  into.push(...reply.messages);
  return reply.events.findLast(({ id }) => id !== undefined)?.id;
}

/** Resumes until the stream ends by itself. A head that was cut is asked for again. */
async function resume(client: Client, at: (round: number) => number, last: string, into: Message[], most: number): Promise<number> {
  let id = last;
  for (let round = 1; ; round++) {
    limit = round < rounds ? 250 + dice(most) : undefined;
    const reply = await client.listen(id, via(at(round))).catch(() => undefined);
    if (reply === undefined) continue;
    expect([reply.status, `seed ${seed}, round ${round}`]).toEqual([200, `seed ${seed}, round ${round}`]);
    id = (await take(reply, into)) ?? id;
    if (reply.over === 'whole') return round;
  }
}

describe.each([
  ['one endpoint', () => 0],
  ['two endpoints in turn', (round: number) => round % 2],
])('cut at random bytes, over %s', (_, at) => {
  it('the stream of a call loses nothing and doubles nothing, its answer included (H25)', async () => {
    const client = await Client.connect(direct(0));
    const count = 1_500;
    const heard: Message[] = [];
    let cuts = 0;
    for (let call = 0; cuts < rounds; call++) {
      const one: Message[] = [];
      // The first bytes tell where to resume: without them there is nothing to come back for.
      limit = 700 + dice(2_000);
      const params = { name: 'count', arguments: { key: `${call}`, count, paced: true } };
      const id = client.next++;
      const reply = await client.post({ jsonrpc: '2.0', id, method: 'tools/call', params }, via(0));
      const last = await take(reply, one);
      expect(last, `seed ${seed}`).toBeDefined();
      cuts += await resume(client, at, last as string, one, 3_000);
      const said = one.filter(({ method }) => method === 'notifications/message').map(({ params: { data } }) => data);
      expect(said, `seed ${seed}`).toEqual(Array.from({ length: count }, (_none, index) => index + 1));
      const answers = one.filter(({ method }) => method === undefined);
      expect(answers, `seed ${seed}`).toHaveLength(1);
      expect(answers[0], `seed ${seed}`).toMatchObject({ id, result: { content: [{ text: `counted ${count}` }] } });
      expect(one.at(-1), `seed ${seed}`).toBe(answers[0]);
      heard.push(...one);
    }
    expect(cuts).toBeGreaterThanOrEqual(rounds);
    expect(heard.length).toBeGreaterThanOrEqual(count);
  });

  it('the stream of GET loses nothing and doubles nothing (H25)', async () => {
    const client = await Client.connect(direct(0));
    const uris = Array.from({ length: 400 }, (_none, index) => `note:///item/${index}`);
    for (const uri of uris) await client.request('resources/subscribe', { uri }, direct(0));
    limit = 700;
    const first = await client.listen(undefined, via(0));
    await first.until(({ events }) => events[0]);
    const told = (async () => {
      for (const uri of uris) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        watched[0]?.server.resourceUpdated(uri);
      }
    })();
    const heard: Message[] = [];
    const last = (await take(first, heard)) as string;
    let id = last;
    let round = 1;
    for (; round <= rounds || heard.length < uris.length; round++) {
      limit = round <= rounds ? 250 + dice(round < rounds ? 800 : 40_000) : undefined;
      const reply = await client.listen(id, via(at(round))).catch(() => undefined);
      if (reply === undefined) continue;
      expect([reply.status, `seed ${seed}, round ${round}`]).toEqual([200, `seed ${seed}, round ${round}`]);
      // Nothing may come any more: then this connection is hung up instead of cut.
      const enough = reply.until(({ messages }) => (heard.length + messages.length >= uris.length ? true : undefined));
      await Promise.race([enough.then(() => reply.close()), reply.ended]).catch(() => undefined);
      id = (await take(reply, heard)) ?? id;
    }
    await told;
    expect(
      heard.map(({ params }) => params.uri),
      `seed ${seed}`,
    ).toEqual(uris);
    expect(round).toBeGreaterThan(rounds);
  });
});
