// Time limits, aborting and closing: whoever waits is told, and the work on the server stops.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Revision } from 'vivarium';
import { type Client, connect } from '../../src/client/index.ts';
import { beModern } from '../fixtures/rude-manners.mjs';
import { connect as connectTo } from './doors.ts';
import { type Any, failureOf, type Manner, rudeHttp, rudePipe, until } from './rude.ts';
import { all, fits, type Visit, visit, ways } from './ways.ts';

const cases = ways.flatMap((way) => all.filter((revision) => fits(way, revision)).map((revision) => [way, revision] as const));

const stopped = async ({ client, guest }: Visit): Promise<number> =>
  guest === undefined ? Number(((await client.callTool('waiting')) as Any).content[0].text) : guest.stopped();

/** In another process it is known to run when a later call was answered: calls start in their order. */
const running = ({ client, guest }: Visit): Promise<unknown> => guest?.started() ?? client.callTool('waiting');

const stops = async (visited: Visit, count: number): Promise<void> => {
  while ((await stopped(visited)) < count) await new Promise((resolve) => setTimeout(resolve, 2));
};

const after = (ms: number): Promise<false> => new Promise((resolve) => setTimeout(() => resolve(false), ms).unref());

describe.each(cases)('over %s, in %s', (way, revision) => {
  const arrive = (): Promise<Visit> => visit(way, { revisions: [revision as Revision] });

  it('an aborted call is cancelled here, and its handler is stopped there', async () => {
    const visited = await arrive();
    const { client } = visited;
    const abort = new AbortController();
    const started = visited.guest === undefined ? undefined : running(visited);
    const call = failureOf(client.callTool('wait', {}, { signal: abort.signal }));
    await (started ?? running(visited));
    abort.abort(new Error('enough'));
    const error = await call;
    expect(error.code).toBe('ERR_CANCELLED');
    expect(error.cause).toMatchObject({ message: 'enough' });
    await stops(visited, 1);
  });

  it('a call that is late is given up here, and its handler is stopped there', async () => {
    const visited = await arrive();
    // On a loaded machine a short limit passes before the handler has begun, and then there is nothing to stop.
    for (let idleMs = 150, isStopped = false; !isStopped; idleMs *= 3) {
      const error = await failureOf(visited.client.callTool('wait', {}, { timeouts: { idleMs } }));
      expect(error).toMatchObject({ code: 'ERR_TIMEOUT', failure: { limit: 'idleMs', phase: 'request' } });
      expect(error.message).toContain('idleMs');
      isStopped = await Promise.race([stops(visited, 1).then(() => true), after(5_000)]);
    }
  });

  it('progress that nobody listens to keeps a call alive, up to its limit', async () => {
    const { client } = await arrive();
    const lively = { timeouts: { idleMs: 2_500, totalMs: 60_000 } };
    expect((await client.callTool('steps', { steps: 11, ms: 250 }, lively)).content).toEqual([{ type: 'text', text: 'done' }]);
    const error = await failureOf(client.callTool('steps', { steps: 1_000, ms: 20 }, { timeouts: { idleMs: 20_000, totalMs: 200 } }));
    expect(error).toMatchObject({ code: 'ERR_TIMEOUT', failure: { limit: 'totalMs' } });
  });

  it('what is under way when the client is closed is closed, and its handler is stopped', async () => {
    const visited = await arrive();
    const calls: Promise<Any>[] = [];
    for (let call = 0; call < 2; call++) {
      const started = visited.guest?.started();
      calls.push(failureOf(visited.client.callTool('wait')));
      await (started ?? running(visited));
    }
    await visited.client.close();
    for (const call of calls) expect((await call).code).toBe('ERR_CLOSED');
    const { guest } = visited;
    if (guest !== undefined) await until(() => guest.stopped() === 2);
  });
});

const never = (): AbortSignal => new AbortController().signal;

async function pondering(way: 'pipe' | 'http'): Promise<{ client: Client; asked: Promise<void> }> {
  const manner: Manner = (message, line) => {
    if (message.method !== 'tools/call') return beModern(message, line);
    const params = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
    line.answer({ resultType: 'input_required', inputRequests: { who: { method: 'elicitation/create', params } }, requestState: 's' });
  };
  let ask: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  const handlers = {
    elicit: () => {
      ask();
      return new Promise<never>(() => undefined);
    },
  };
  const client =
    way === 'pipe' ? await connect(rudePipe(manner), { handlers }) : await connectTo((await rudeHttp(manner)).url, { handlers });
  onTestFinished(() => client.close());
  return { client, asked };
}

describe.each(['pipe', 'http'] as const)('while the user ponders over a question, over %s', (way) => {
  it('the call can be aborted', async () => {
    const { client, asked } = await pondering(way);
    const abort = new AbortController();
    const call = failureOf(client.callTool('echo', {}, { signal: abort.signal }));
    await asked;
    abort.abort();
    expect((await call).code).toBe('ERR_CANCELLED');
  });

  it('the client can be closed', async () => {
    const { client, asked } = await pondering(way);
    const call = failureOf(client.callTool('echo', {}, { signal: never() }));
    await asked;
    await client.close();
    expect((await call).code).toBe('ERR_CLOSED');
  });
});

it('What is aborted before it begins is not sent', async () => {
  const channel = rudePipe('legacy');
  const client = await connect(channel);
  onTestFinished(() => client.close());
  const before = channel.heard.length;
  await expect(client.callTool('echo', {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ERR_CANCELLED' });
  expect(channel.heard).toHaveLength(before);
});

it('Limits of the client hold for every call, and those of a call are stronger', async () => {
  const client = await connect(
    rudePipe((message, line) => (message.method === 'tools/call' ? undefined : beModern(message, line))),
    {
      timeouts: { idleMs: 30 },
    },
  );
  onTestFinished(() => client.close());
  expect((await failureOf(client.callTool('echo'))).failure).toMatchObject({ limit: 'idleMs', elapsedMs: expect.any(Number) });
  const total = await failureOf(client.callTool('echo', {}, { timeouts: { idleMs: 60_000, totalMs: 20 } }));
  expect(total.failure.limit).toBe('totalMs');
});

it('Closing twice is closing once, and events say it was wanted', async () => {
  const { client } = await visit('memory', {});
  const closed: unknown[] = [];
  client.on('closed', (event) => closed.push(event));
  await Promise.all([client.close(), client.close()]);
  await client.close();
  expect(closed).toEqual([{ wanted: true }]);
});
