// How a subscription ends when the server does: told so, with a result, and never in the way of the rest.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { metaKeys } from 'vivarium/protocol';
import { serveMemory } from 'vivarium/serve/memory';
import { createWire } from 'vivarium/testing';
import { chunk, createServer, createSmall, defer, modern, type Reply, turn } from '../fixture.ts';

const listen = (id: string | number) => ({
  jsonrpc: '2.0',
  id,
  method: 'subscriptions/listen',
  params: { notifications: { toolsListChanged: true }, _meta: modern() },
});
const cancelled = (requestId: string | number) =>
  expect.objectContaining({ method: 'notifications/cancelled', params: { requestId, reason: 'The server is closing' } });
const ended = (id: string | number) => ({
  jsonrpc: '2.0',
  id,
  result: {
    resultType: 'complete',
    _meta: { [metaKeys.subscriptionId]: id, [metaKeys.serverInfo]: { name: 'tested', version: '1.0.0' } },
  },
});
const sent = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('<') || line.includes('"result"') || line.includes('cancelled'))
    .join('\n');

/** From here on no time passes: whoever waited for it to run out would wait for ever. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

describe('when a wire closes', () => {
  it('every listener is told so, and then given its result', async () => {
    const wire = createWire(createSmall());
    wire.send(listen(0));
    wire.send(listen('b'));
    const heard = Array.from({ length: 6 }, () => wire.next());
    await wire.close();
    const [, , ...last] = (await Promise.all(heard)) as Reply[];
    expect(last.filter(({ method }) => method !== undefined)).toEqual([cancelled(0), cancelled('b')]);
    expect(last.filter(({ method }) => method === undefined)).toEqual([ended(0), ended('b')]);
    for (const id of [0, 'b']) {
      const at = (wanted: (message: Reply) => boolean) => last.findIndex(wanted);
      expect(at(({ params }) => params?.requestId === id)).toBeLessThan(at((message) => message.id === id));
    }
  });

  it('a listener that the client has cancelled is not told again', async () => {
    const wire = createWire(createSmall());
    wire.send(listen(1));
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await wire.close();
    expect(sent(wire.transcript.text())).not.toContain('"result"');
    expect(sent(wire.transcript.text())).not.toContain('The server is closing');
  });

  it('changes of that turn reach no listener any more', async () => {
    const server = createSmall();
    await turn();
    const wire = createWire(server);
    wire.send(listen(1));
    await wire.next();
    server.tool('late', {}, () => '');
    const heard = [wire.next(), wire.next()];
    await wire.close();
    expect(await Promise.all(heard)).toEqual([cancelled(1), ended(1)]);
    await turn();
  });

  it('a listener does not keep it open, nor a call that runs beside it from being answered', async () => {
    const { server } = createServer();
    const go = defer();
    server.tool('slow', {}, async () => {
      await go.promise;
      return 'done';
    });
    const wire = createWire(server);
    wire.send(chunk(listen(1), { id: 2, method: 'tools/call', params: { name: 'slow', _meta: modern() } }));
    await wire.next();
    const heard = [wire.next(), wire.next(), wire.next()];
    stopClock();
    const closing = wire.close();
    setImmediate(() => go.resolve());
    await closing;
    expect((await Promise.all(heard)).map((message) => (message as Reply).id)).toEqual([undefined, 1, 2]);
  });

  it('a listener whose request comes last, without its newline, ends too', async () => {
    const wire = createWire(createSmall());
    wire.send(JSON.stringify(listen(1)));
    stopClock();
    const heard = [wire.next(), wire.next(), wire.next()];
    await wire.close();
    expect((await Promise.all(heard)).slice(1)).toEqual([cancelled(1), ended(1)]);
  });
});

describe('while a listener waits', () => {
  it('the wire is quiet, and everything else is answered at once', async () => {
    const server = createSmall();
    await turn();
    const wire = createWire(server);
    wire.send(listen('l'));
    expect(await wire.quiet()).toHaveLength(1);
    const answer = (await wire.request('tools/call', { name: 'hello', _meta: modern() })) as Reply;
    expect(answer.result.content).toEqual([{ type: 'text', text: 'Hello' }]);
    await wire.close();
  });

  it('there may be 256 on a connection, so that calls keep their room', async () => {
    const wire = createWire(createSmall());
    wire.send(chunk(...Array.from({ length: 2_000 }, (_, id) => listen(`l${id}`))));
    const heard = (await wire.quiet()) as Reply[];
    expect(heard.filter(({ method }) => method === 'notifications/subscriptions/acknowledged')).toHaveLength(256);
    expect(heard.filter(({ error }) => error?.code === -32600)).toHaveLength(2_000 - 256);
    const answer = await wire.request('tools/call', { name: 'hello', _meta: modern() });
    expect(answer).toMatchObject({ result: { resultType: 'complete' } });
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'l0' } });
    wire.send(listen('again'));
    expect(await wire.next()).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
    await wire.close();
  });
});

describe('when a channel in memory closes', () => {
  it('every listener is told so, and then given its result', async () => {
    const server = createSmall();
    await turn();
    const channel = serveMemory(server);
    const heard: object[] = [];
    channel.receive((message) => void heard.push(message));
    channel.send(listen(1));
    await turn();
    await channel.close();
    await turn();
    expect(heard.slice(1)).toEqual([cancelled(1), ended(1)]);
  });
});
