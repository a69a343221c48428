// The end of a client: whoever closes it waits until all is over, and nothing is heard of it afterwards.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ClientEvents, connect } from '../../../src/client/index.ts';
import { beLegacy } from '../../fixtures/rude-manners.mjs';
import { connect as connectTo } from '../doors.ts';
import { type Any, fixture, rudeHttp, rudePipe } from '../rude.ts';

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe('whoever closes a client that is being closed', () => {
  it('waits as long as the first', async () => {
    const channel = rudePipe(beLegacy);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const client = await connect({ ...channel, close: () => held.then(() => channel.close()) });
    let over = 0;
    const closing = [client.close(), client.close(), client[Symbol.asyncDispose]()].map((one) => one.then(() => over++));
    await turn();
    expect(over).toBe(0);
    release();
    await Promise.all(closing);
  });

  it('finds no child any more', async () => {
    const client = await connectTo({ command: process.execPath, args: [fixture('rude-guest.mjs'), '{}'] });
    onTestFinished(() => client.close());
    const pid = Number(((await client.callTool('pid')) as Any).content[0].text);
    void client.close();
    await client.close();
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

describe('what a server says after the client was closed', () => {
  it('is not heard: no event, no handler', async () => {
    const channel = rudePipe(beLegacy);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const heard: unknown[] = [];
    const elicit = (): { action: 'decline' } => {
      heard.push('elicit');
      return { action: 'decline' };
    };
    const client = await connect({ ...channel, close: () => held.then(() => channel.close()) }, { handlers: { elicit } });
    for (const name of ['log', 'notification', 'listChanged', 'warning'] as const) client.on(name, (event) => heard.push(event));
    const closing = client.close();
    channel.say({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'bye' } });
    channel.say({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    channel.say({ jsonrpc: '2.0', id: 'never', result: {} });
    const params = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
    channel.say({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params });
    await turn();
    release();
    await closing;
    expect(heard).toEqual([]);
    expect(channel.heard.some(({ id }) => id === 'q')).toBe(false);
  });

  it('is not waited for, where a new connection is being set up again', async () => {
    let session = 's1';
    let asked = 0;
    const { url } = await rudeHttp(beLegacy, (message, response, request) => {
      if (message?.method === 'initialize') response.setHeader('mcp-session-id', session);
      else if (request.method === 'POST' && message.method !== 'server/discover' && request.headers['mcp-session-id'] !== session) {
        response.writeHead(404).end();
        return true;
      }
      if (message?.method !== 'logging/setLevel') return false;
      const answer = { jsonrpc: '2.0', id: message.id, result: {} };
      // Only the first of them is answered.
      if (asked++ === 0) response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      return true;
    });
    const client = await connectTo(url);
    onTestFinished(() => client.close());
    await client.setLogLevel('error');
    const told: [keyof ClientEvents, unknown][] = [];
    for (const name of ['reconnected', 'listChanged', 'warning', 'closed'] as const) client.on(name, (event) => told.push([name, event]));
    session = 's2';
    await client.callTool('echo');
    await vi.waitFor(() => expect(asked).toBe(2), 60_000);
    await client.close();
    await turn();
    expect(told).toEqual([['closed', { wanted: true }]]);
  });
});
