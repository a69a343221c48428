// A client that opens, loses and resumes GET streams in any order, at two endpoints: each message reaches it exactly once.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HttpServing, serveHttp } from 'vivarium/serve/node';
import { memoryStore } from 'vivarium/store/memory';
import { createDice } from '../../fixtures/http-cutter.mjs';
import { createWatched, type Watched } from '../../fixtures/http-server.mjs';
import { Client, eventually, type Reply } from '../../fixtures/http-wire.mjs';

/** Set SEED to repeat one run. */
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

let watched: Watched[];
let servings: HttpServing[];

beforeEach(async () => {
  const store = memoryStore();
  watched = [createWatched(), createWatched()];
  servings = await Promise.all(watched.map(({ server }) => serveHttp(server, { port: 0, signals: false, drainMs: 0, store })));
});

afterEach(async () => {
  for (const serving of servings) await serving.close();
});

const url = (at: number): string => servings[at]?.url as string;

class Stream {
  readonly heard: string[] = [];
  last: string;
  #reply: Reply | undefined;
  #taken = 0;

  constructor(reply: Reply) {
    this.#reply = reply;
    this.last = reply.events[0]?.id as string;
  }

  get open(): boolean {
    return this.#reply !== undefined && this.#reply.over === undefined;
  }

  /** What has arrived whole counts, and nothing else. */
  take(): void {
    const { events = [] } = this.#reply ?? {};
    for (const { id, data } of events.slice(this.#taken)) {
      if (id !== undefined) this.last = id;
      if (data) this.heard.push(JSON.parse(data).params.uri);
    }
    this.#taken = events.length;
  }

  cut(): void {
    this.take();
    this.#reply?.close();
    this.#reply = undefined;
  }

  resume(reply: Reply): void {
    this.#reply = reply;
    this.#taken = 0;
  }
}

async function walk(client: Client, start: number, endpoints: number, log: string[]): Promise<readonly Stream[]> {
  const dice = createDice(start);
  const streams: Stream[] = [];
  let told = 0;
  const open = async (at: number): Promise<void> => {
    const reply = await client.listen(undefined, url(at));
    await reply.until(({ events }) => events[0]);
    streams.push(new Stream(reply));
  };
  const resume = async (stream: Stream, at: number): Promise<void> => {
    // Whoever resumes reads no more from where they were.
    stream.cut();
    const reply = await client.listen(stream.last, url(at));
    expect([reply.status, ...log]).toEqual([200, ...log]);
    await reply.until(({ text }) => text || undefined);
    stream.resume(reply);
  };
  await open(0);
  for (let step = 0; step < 30; step++) {
    const at = dice(endpoints);
    const which = dice(streams.length);
    const stream = streams[which] as Stream;
    const kind = dice(10);
    if (kind < 5) {
      log.push(`tell ${told} at ${at}`);
      watched[at]?.server.resourceUpdated(`note:///item/${told++}`);
      // Announced at the end of a turn: later ones come later.
      await new Promise((resolve) => void setImmediate(resolve));
    } else if (kind < 7) {
      log.push(`cut ${which}`);
      stream.cut();
      if (dice(2) === 0)
        await eventually(() => servings.reduce((sum, { stats }) => sum + stats.streams, 0) === streams.filter((s) => s.open).length);
    } else if (kind < 9) {
      log.push(`resume ${which} at ${at}`);
      await resume(stream, at);
    } else if (streams.length < 4) {
      log.push(`open ${streams.length} at ${at}`);
      await open(at);
    }
  }
  for (const stream of streams) if (!stream.open) await resume(stream, dice(endpoints));
  const heard = (): string[] => {
    for (const stream of streams) stream.take();
    return streams.flatMap((stream) => stream.heard);
  };
  await eventually(() => heard().length >= told).catch(() => undefined);
  expect([heard().toSorted(byNumber), `seed ${start}`, log]).toEqual([
    Array.from({ length: told }, (_, at) => `note:///item/${at}`),
    `seed ${start}`,
    log,
  ]);
  for (const { heard: some } of streams) expect([some, log]).toEqual([some.toSorted(byNumber), log]);
  return streams;
}

const byNumber = (a: string, b: string): number => Number(a.slice(13)) - Number(b.slice(13));

describe.each([
  ['one endpoint', 1],
  ['two endpoints', 2],
])('at %s', (_, endpoints) => {
  it('each message reaches the client exactly once, and each stream keeps the order (H23, H25)', async () => {
    for (let round = 0; round < 20; round++) {
      const client = await Client.connect(url(0));
      for (let i = 0; i < 30; i++) await client.request('resources/subscribe', { uri: `note:///item/${i}` });
      await walk(client, seed + round, endpoints, []);
      await client.end();
    }
  });
});
