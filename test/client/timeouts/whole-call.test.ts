// What a call may take holds for all of it: its rounds, the list of tools before it, and the connection that is made anew for it.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Client, type ClientOptions, connect } from '../../../src/client/index.ts';
import { beLegacy, beModern } from '../../fixtures/rude-manners.mjs';
import { connect as connectTo } from '../doors.ts';
import { failureOf, type Manner, type RudeChannel, type RudeHttp, rudeHttp, rudePipe } from '../rude.ts';

async function opened(connecting: Promise<Client>): Promise<Client> {
  const client = await connecting;
  onTestFinished(() => client.close());
  return client;
}

const later = (act: () => void, ms: number): void => void setTimeout(act, ms);

describe('totalMs', () => {
  it('holds for all rounds of a call', async () => {
    const manner: Manner = (message, line) => {
      if (message.method !== 'tools/call') return beModern(message, line);
      later(() => line.answer({ resultType: 'input_required', requestState: 's' }), 20);
    };
    const client = await opened(connectTo((await rudeHttp(manner)).url, { limits: { rounds: Number.POSITIVE_INFINITY } }));
    const error = await failureOf(client.callTool('echo', {}, { timeouts: { totalMs: 200 } }));
    expect(error.code).toBe('ERR_TIMEOUT');
    expect(error.message).toContain('within 200 ms in all (totalMs)');
  });

  it('holds while the tools are listed before a call', async () => {
    const manner: Manner = (message, line) => (message.method === 'tools/list' ? undefined : beModern(message, line));
    const { url, heard } = await rudeHttp(manner);
    const client = await opened(connectTo(url));
    const error = await failureOf(client.callTool('echo', {}, { timeouts: { totalMs: 100 } }));
    expect(error.code).toBe('ERR_TIMEOUT');
    expect(error.message).toContain('within 100 ms in all (totalMs)');
    expect(heard.some(({ message }) => message.method === 'tools/call')).toBe(false);
  });

  it('holds for the list of tools and the call together', async () => {
    const manner: Manner = (message, line) => {
      if (/^tools/.test(message.method)) later(() => beModern(message, line), 300);
      else beModern(message, line);
    };
    const client = await opened(connectTo((await rudeHttp(manner)).url));
    expect((await failureOf(client.callTool('echo', {}, { timeouts: { totalMs: 500 } }))).code).toBe('ERR_TIMEOUT');
  });
});

describe('the tools of a server', () => {
  const holding = async (): Promise<{ server: RudeHttp; client: Client; listed: () => number; release: () => void }> => {
    const held: (() => void)[] = [];
    const manner: Manner = (message, line) => {
      if (message.method === 'tools/list') held.push(() => beModern(message, line));
      else beModern(message, line);
    };
    const server = await rudeHttp(manner);
    const client = await opened(connectTo(server.url));
    const release = (): void => {
      for (const answer of held.splice(0)) answer();
    };
    return { server, client, release, listed: () => server.heard.filter(({ message }) => message.method === 'tools/list').length };
  };

  it('are listed once for all calls that begin together', async () => {
    const { client, listed, release } = await holding();
    const calls = Promise.all(Array.from({ length: 50 }, (_, n) => client.callTool('echo', { n })));
    await vi.waitFor(() => expect(listed()).toBeGreaterThan(0), 60_000);
    // A request of its own is answered after all that were sent before it.
    await client.ping();
    release();
    expect((await calls).every(({ isError }) => !isError)).toBe(true);
    expect(listed()).toBe(1);
  });

  it('are listed for the others when the first of them has given up', async () => {
    const { client, listed, release } = await holding();
    const abort = new AbortController();
    const first = failureOf(client.callTool('echo', {}, { signal: abort.signal }));
    const second = client.callTool('echo', { n: 2 });
    await vi.waitFor(() => expect(listed()).toBe(1), 60_000);
    abort.abort();
    expect((await first).code).toBe('ERR_CANCELLED');
    release();
    expect((await second).content).toEqual([{ type: 'text', text: '{"n":2}' }]);
  });
});

describe('limits that are none', () => {
  it.each([Number.POSITIVE_INFINITY, 2 ** 40])('set timers that can be set: %d', async (ms) => {
    const timer = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timer.mockRestore());
    const timeouts = { idleMs: ms, totalMs: ms };
    const client = await opened(connectTo((await rudeHttp(beModern)).url, { timeouts }));
    await client.callTool('echo', {}, { timeouts });
    await failureOf(client.subscribe('note:///a', () => undefined));
    await client.ping();
    const set = timer.mock.calls.map(([, given = 0]) => given);
    expect(Math.max(...set)).toBe(2 ** 31 - 1);
  });

  it('are refused where they are no number', async () => {
    const client = await opened(connect(rudePipe(beModern)));
    const timeouts = { idleMs: Number.NaN };
    expect((await failureOf(client.ping({ timeouts }))).code).toBe('ERR_CONFIG');
    expect((await failureOf(connect(rudePipe(beModern), { timeouts }))).code).toBe('ERR_CONFIG');
  });
});

describe('while the connection is made anew', () => {
  /** A server that has forgotten the session, and greets nobody any more. */
  async function losing(options: ClientOptions = {}): Promise<{ client: Client; greeting: () => Promise<void> }> {
    let mute = false;
    const { url, heard } = await rudeHttp(beLegacy, (message, response, request) => {
      if (message?.method === 'initialize' && !mute) response.setHeader('mcp-session-id', 's1');
      if (!mute || request.method !== 'POST' || message.method === 'initialize') return mute && message?.method === 'initialize';
      response.writeHead(404).end();
      return true;
    });
    const client = await opened(connectTo(url, options));
    mute = true;
    const greeted = (): number => heard.filter(({ message }) => message.method === 'initialize').length;
    return { client, greeting: () => vi.waitFor(() => expect(greeted()).toBe(2), 60_000) };
  }

  it('a call can be aborted, the one that noticed as well as the next', async () => {
    const { client, greeting } = await losing();
    const [one, two] = [new AbortController(), new AbortController()];
    const first = failureOf(client.listTools({ signal: one.signal }));
    await greeting();
    const second = failureOf(client.callTool('echo', {}, { signal: two.signal }));
    one.abort();
    two.abort();
    for (const call of [first, second]) expect((await call).code).toBe('ERR_CANCELLED');
  });

  it('totalMs holds, for the call that noticed as well as for the next', async () => {
    const { client, greeting } = await losing();
    const first = failureOf(client.listTools({ timeouts: { totalMs: 3_000 } }));
    await greeting();
    const second = failureOf(client.callTool('echo', {}, { timeouts: { totalMs: 100 } }));
    for (const call of [first, second]) expect((await call).code).toBe('ERR_TIMEOUT');
  });

  it('the client can be closed, and whoever waits hears of it', async () => {
    const { client, greeting } = await losing({ timeouts: { connectMs: 600_000 } });
    const first = failureOf(client.listTools());
    await greeting();
    const second = failureOf(client.callTool('echo'));
    await client.close();
    for (const call of [first, second]) expect((await call).code).toBe('ERR_CLOSED');
  });
});

describe('a child that dies again and again', () => {
  async function dying(): Promise<{ client: Client; channels: RudeChannel[] }> {
    const channels: RudeChannel[] = [];
    const open = async (): Promise<RudeChannel> => {
      const channel = rudePipe(beModern);
      channels.push(channel);
      return channel;
    };
    const client = await opened(connect({ target: 'a child', open }, { restart: { max: 100 } }));
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    for (let life = 1; life <= 15; life++) {
      channels.at(-1)?.end({ wanted: false, exitCode: 1 });
      const pinging = client.ping();
      await vi.advanceTimersByTimeAsync(30_000);
      await pinging;
    }
    return { client, channels };
  }

  it('is waited for no longer than half a minute', async () => {
    expect((await dying()).channels).toHaveLength(16);
  });

  it('is not waited for when the client is closed', async () => {
    const { client, channels } = await dying();
    channels.at(-1)?.end({ wanted: false, exitCode: 1 });
    const pinging = failureOf(client.ping());
    await vi.advanceTimersByTimeAsync(1_000);
    await client.close();
    expect((await pinging).code).toBe('ERR_CLOSED');
  });
});
