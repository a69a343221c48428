// What servers ask of a client: answered by its handlers in every era, refused where it was not declared, never at the cost of the call.
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Client, type ClientOptions, connect, VivariumError } from '../../src/client/index.ts';
import { beLegacy, beModern } from '../fixtures/rude-manners.mjs';
import { connect as connectTo } from './doors.ts';
import { type Any, failureOf, type Manner, rudeHttp, rudePipe } from './rude.ts';

const asks = {
  'elicitation/create': { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
  'sampling/createMessage': { messages: [], maxTokens: 1 },
  'roots/list': {},
};
type Ask = keyof typeof asks;

/** A legacy server that asks under a call and answers with what it heard. */
function asking(method: string, params: object): Manner {
  return (message, line) => {
    if (message.method === 'tools/call') {
      line.state['call'] = line;
      line.say({ jsonrpc: '2.0', id: 'q', method, params });
    } else if (message.id === 'q') {
      const { result, error } = message;
      (line.state['call'] as typeof line).answer({ content: [{ type: 'text', text: JSON.stringify(error?.code ?? result) }] });
    } else beLegacy(message, line);
  };
}

/** A modern one. */
function rounds(requests: object, state?: string): { manner: Manner; retries: Any[] } {
  const retries: Any[] = [];
  const manner: Manner = (message, line) => {
    if (message.method !== 'tools/call') return beModern(message, line);
    if (message.params.inputResponses === undefined && message.params.requestState === undefined) {
      return line.answer({ resultType: 'input_required', inputRequests: requests, ...(state !== undefined && { requestState: state }) });
    }
    retries.push(message.params);
    return beModern(message, line);
  };
  return { manner, retries };
}

async function opened(connecting: Promise<Client>): Promise<Client> {
  const client = await connecting;
  onTestFinished(() => client.close());
  return client;
}

const said = (result: Any): Any => JSON.parse(result.content[0].text);
const ways = {
  pipe: (manner: Manner, options: ClientOptions) => opened(connect(rudePipe(manner), options)),
  http: async (manner: Manner, options: ClientOptions) => opened(connectTo((await rudeHttp(manner)).url, options)),
};

describe.each(Object.entries(ways))('over %s', (_way, open) => {
  describe.each(Object.keys(asks) as Ask[])('%s', (method) => {
    const other = (called: () => void): ClientOptions['handlers'] => ({
      ...(method !== 'elicitation/create' && { elicit: () => ({ action: 'accept' as const, content: {} }) }),
      ...(method !== 'roots/list' && {
        roots: () => {
          called();
          return [];
        },
      }),
    });

    it('is refused in the older era where no handler was declared, and nobody is asked', async () => {
      let calls = 0;
      const client = await open(asking(method, asks[method]), { handlers: other(() => calls++) ?? {} });
      expect([-32601, -32602]).toContain(said(await client.callTool('echo')));
      expect(calls).toBe(0);
      await client.ping();
    });

    it('is refused in the newer era where no handler was declared, and nothing is said to the server', async () => {
      let calls = 0;
      const { manner, retries } = rounds({ q: { method, params: asks[method] } });
      const client = await open(manner, { handlers: other(() => calls++) ?? {} });
      const error = await failureOf(client.callTool('echo'));
      // It is not the server that sent an error.
      expect(error).toBeInstanceOf(VivariumError);
      expect(error.message).toContain(method);
      expect([retries.length, calls]).toEqual([0, 0]);
    });
  });

  it('modes that were not declared are refused, and nobody is asked', async () => {
    let calls = 0;
    const handlers: ClientOptions['handlers'] = {
      elicit: () => {
        calls++;
        return { action: 'decline' };
      },
      sample: () => {
        calls++;
        return { role: 'assistant', content: { type: 'text', text: '' }, model: 'none' };
      },
    };
    const url = { mode: 'url', message: 'Go', url: 'https://a.example', elicitationId: '1' };
    const tools = { messages: [], maxTokens: 1, tools: [{ name: 'x', inputSchema: { type: 'object' } }] };
    const opening = await open(asking('elicitation/create', url), { handlers });
    expect(said(await opening.callTool('echo'))).toBe(-32602);
    const using = await open(asking('sampling/createMessage', tools), { handlers });
    expect(said(await using.callTool('echo'))).toBe(-32602);
    expect(calls).toBe(0);
  });

  it('a handler that fails is an error for an older server, and the end of the call for a newer one', async () => {
    const mine = new Error('no pen');
    const handlers: ClientOptions['handlers'] = {
      elicit: () => {
        throw mine;
      },
    };
    const params = asks['elicitation/create'];
    const old = await open(asking('elicitation/create', params), { handlers });
    expect(said(await old.callTool('echo'))).toBe(-32603);
    const { manner, retries } = rounds({ q: { method: 'elicitation/create', params } });
    const error = await failureOf((await open(manner, { handlers })).callTool('echo'));
    expect(error).toMatchObject({ cause: mine });
    expect(error.message).toContain('no pen');
    expect(retries).toEqual([]);
  });

  it('defaults of a form fill in what was left out, and only that', async () => {
    const properties = {
      name: { type: 'string', default: 'Ada' },
      age: { type: 'integer', default: 36 },
      sure: { type: 'boolean', default: false },
      note: { type: 'string' },
    };
    const params = { message: 'Who?', requestedSchema: { type: 'object', properties } };
    const handlers: ClientOptions['handlers'] = { elicit: () => ({ action: 'accept', content: { name: 'Bob' } }) };
    const filled = { action: 'accept', content: { name: 'Bob', age: 36, sure: false } };
    const old = await open(asking('elicitation/create', params), { handlers });
    expect(said(await old.callTool('echo'))).toEqual(filled);
    const { manner, retries } = rounds({ q: { method: 'elicitation/create', params } });
    await (await open(manner, { handlers })).callTool('echo');
    expect(retries).toMatchObject([{ inputResponses: { q: filled } }]);
    const declined = rounds({ q: { method: 'elicitation/create', params } });
    await (await open(declined.manner, { handlers: { elicit: () => ({ action: 'decline' }) } })).callTool('echo');
    expect(declined.retries[0].inputResponses).toEqual({ q: { action: 'decline' } });
  });

  it('several questions of one round are answered together, and the state goes back byte for byte', async () => {
    const state = ' \u0000"\\ü😀\u2028 {"a":1}\n=='.repeat(50);
    const requests = {
      who: { method: 'elicitation/create', params: asks['elicitation/create'] },
      hm: { method: 'sampling/createMessage', params: asks['sampling/createMessage'] },
      where: { method: 'roots/list' },
    };
    const { manner, retries } = rounds(requests, state);
    const message = { role: 'assistant' as const, content: { type: 'text' as const, text: 'hm' }, model: 'none' };
    const roots = [{ uri: 'file:///home' }];
    const client = await open(manner, {
      handlers: { elicit: () => ({ action: 'accept', content: { name: 'Bob' } }), sample: () => message, roots: () => roots },
    });
    expect(said(await client.callTool('echo', { a: 1 }))).toEqual({ a: 1 });
    expect(retries).toHaveLength(1);
    expect(retries[0].requestState).toBe(state);
    expect(retries[0].arguments).toEqual({ a: 1 });
    expect(retries[0].inputResponses).toEqual({ who: { action: 'accept', content: { name: 'Bob' } }, hm: message, where: { roots } });
  });

  it('a state without questions is sent back alone', async () => {
    const { manner, retries } = rounds({}, 'wait');
    const client = await open(manner, {});
    await client.callTool('echo');
    expect(retries[0]).toMatchObject({ requestState: 'wait' });
  });
});

it('Each round is a request of its own with an id of its own, and an old state is not sent again', async () => {
  let round = 0;
  const seen: Any[] = [];
  const channel = rudePipe((message, line) => {
    if (message.method !== 'tools/call') return beModern(message, line);
    seen.push([message.id, message.params.requestState]);
    if (++round < 4) line.answer({ resultType: 'input_required', ...(round !== 2 && { requestState: `s${round}` }), inputRequests: {} });
    else beModern(message, line);
  });
  const client = await opened(connect(channel));
  await client.callTool('echo');
  expect(seen.map(([, state]) => state)).toEqual([undefined, 's1', undefined, 's3']);
  expect(new Set(seen.map(([id]) => id)).size).toBe(4);
});

it('A question that the server takes back aborts the handler, and is not answered', async () => {
  const channel = rudePipe(beLegacy);
  let signal: AbortSignal | undefined;
  const asked = new Promise<void>((resolve) => {
    void connect(channel, {
      handlers: {
        elicit: (_, context) => {
          signal = context.signal;
          resolve();
          return new Promise((done) => context.signal.addEventListener('abort', () => done({ action: 'cancel' })));
        },
      },
    }).then((client) => {
      onTestFinished(() => client.close());
      channel.say({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: asks['elicitation/create'] });
    });
  });
  await asked;
  channel.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'q' } });
  channel.say({ jsonrpc: '2.0', id: 'p', method: 'ping' });
  while (!channel.heard.some(({ id }) => id === 'p')) await new Promise((resolve) => setImmediate(resolve));
  expect(signal?.aborted).toBe(true);
  expect(channel.heard.some(({ id }) => id === 'q')).toBe(false);
});

it('A request on a modern connection is not answered, only warned of', async () => {
  const channel = rudePipe(beModern);
  const client = await opened(connect(channel, { handlers: { roots: () => [] } }));
  const warned = new Promise((resolve) => client.on('warning', resolve));
  channel.say({ jsonrpc: '2.0', id: 'q', method: 'roots/list' });
  expect(await warned).toMatchObject({ code: 'bad-message' });
  await client.ping();
  expect(channel.heard.some(({ id }) => id === 'q')).toBe(false);
});
