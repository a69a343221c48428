import { describe, expect, it, vi } from 'vitest';
import { Server } from 'vivarium/server';
import { createWire } from 'vivarium/testing';
import { Pipe } from '../../../src/serve/pipe.ts';
import { coreOf } from '../../../src/server/core.ts';
import { serve } from '../../../src/server/requests.ts';

const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const handshake = (protocolVersion = '2025-11-25', id: unknown = 'init'): string =>
  line({ id, method: 'initialize', params: { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } } });
const call = (id: number | string, name: string): string => line({ id, method: 'tools/call', params: { name } });
const cancelled = (requestId: unknown): string => line({ method: 'notifications/cancelled', params: { requestId } });
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const ids = (messages: readonly object[]): unknown[] => messages.map((message) => (message as { id?: unknown }).id);

describe('a reader that has stopped', () => {
  it('stops the calls too: large answers do not pile up, and none is lost', async () => {
    const server = new Server({ name: 's', version: '1' });
    let ran = 0;
    server.tool('large', {}, () => {
      ran++;
      return 'x'.repeat(300_000);
    });
    const core = coreOf(server);
    core.serve ??= serve;
    const written: string[] = [];
    let room = false;
    const pipe = new Pipe(core, { write: (text) => written.push(text) > 0 && room, flow: () => undefined });
    pipe.receive(Buffer.from(handshake() + Array.from({ length: 200 }, (_, id) => call(id, 'large')).join('')));
    await turn();
    expect(ran).toBeLessThan(10);
    room = true;
    while (ran < 200) {
      pipe.drained();
      await turn();
    }
    await pipe.idle();
    const answers = written.join('').trim().split('\n');
    expect(answers).toHaveLength(201);
    expect(Math.max(...written.map((text) => text.length))).toBeLessThan(2 * 1024 * 1024);
  });

  it('gets no stale progress, and not more notifications than can be kept', async () => {
    const reported: string[] = [];
    const server = new Server({ name: 's', version: '1', onError: (error) => reported.push(String(error)) });
    server.tool('chatty', {}, async (_, ctx) => {
      for (let at = 1; at <= 40_000; at++) {
        ctx.progress(at);
        ctx.log('error', at);
      }
      return 'said';
    });
    const core = coreOf(server);
    core.serve ??= serve;
    const written: string[] = [];
    const pipe = new Pipe(core, { write: (text) => written.push(text) < 0, flow: () => undefined });
    pipe.receive(Buffer.from(handshake()));
    pipe.receive(Buffer.from(line({ id: 1, method: 'tools/call', params: { name: 'chatty', _meta: { progressToken: 1 } } })));
    pipe.drained();
    await pipe.idle();
    await turn();
    const methods = written
      .join('')
      .split('\n')
      .filter((text) => text.includes('notifications/'));
    // What fits into one write, and a thousand more.
    expect(methods.length).toBeLessThan(20_000);
    expect(written.join('')).toContain('said');
    expect(reported.join()).toContain('The client reads nothing');
  });
});

describe('a batch', () => {
  it('counts with all its members, and a member that waits can be cancelled', async () => {
    const server = new Server({ name: 's', version: '1' });
    let running = 0;
    server.tool('wait', {}, (_, ctx) => {
      running++;
      return new Promise((resolve) => ctx.signal.addEventListener('abort', () => resolve('x')));
    });
    server.tool('now', {}, () => 'x');
    const wire = createWire(server);
    wire.send(handshake('2025-03-26'));
    const batch = (from: number): string => `[${Array.from({ length: 600 }, (_, at) => call(from + at, 'wait').trim()).join(',')}]\n`;
    wire.send(batch(0) + batch(1_000) + batch(2_000));
    await turn();
    expect(running).toBe(1_200);
    wire.send(`[${call('b1', 'now').trim()},${call('b2', 'now').trim()}]\n${cancelled('b1')}`);
    for (let id = 0; id < 600; id++) wire.send(cancelled(id) + cancelled(1_000 + id) + cancelled(2_000 + id));
    const answers = await wire.quiet();
    expect(answers.flat().map((answer) => (answer as { id: unknown }).id)).toEqual(['init', 'b2']);
    await wire.close();
  });
});

describe('the handshake', () => {
  it('cannot be cancelled, nor confirmed too early, while it waits behind something that loads', async () => {
    const server = new Server({ name: 's', version: '1' });
    server.tool('checked', { input: { type: 'object', properties: { a: { type: 'number' } } } }, () => 'x');
    const wire = createWire(server);
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
    wire.send(
      line({ id: 'm', method: 'tools/call', params: { name: 'checked', _meta } }) +
        handshake() +
        cancelled('init') +
        line({ method: 'notifications/initialized' }),
    );
    const answers = await wire.quiet();
    expect(ids(answers)).toEqual(['m', 'init']);
    server.tool('more', {}, () => 'x');
    expect(await wire.quiet()).toEqual([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }]);
    await wire.close();
  });
});

describe('an id that is in use', () => {
  it('is refused to everything, ping and initialize included', async () => {
    const server = new Server({ name: 's', version: '1' });
    server.tool('wait', {}, (_, ctx) => new Promise((resolve) => ctx.signal.addEventListener('abort', () => resolve('x'))));
    const wire = createWire(server);
    wire.send(handshake() + call(1, 'wait') + line({ id: 1, method: 'ping' }) + handshake('2025-11-25', 1));
    await turn();
    wire.send(cancelled(1));
    const answers = (await wire.quiet()) as { id: unknown; error?: { code: number } }[];
    expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
      ['init', undefined],
      [1, -32600],
      [1, -32600],
    ]);
    await wire.close();
  });
});

describe('what may not be answered', () => {
  it('is not, however deep it is', async () => {
    const deep = `${'['.repeat(300)}${']'.repeat(300)}`;
    const wire = createWire(new Server({ name: 's', version: '1', onError: () => undefined }));
    wire.send(`{"jsonrpc":"2.0","method":"notifications/x","params":{"a":${deep}}}\n{"jsonrpc":"2.0","id":7,"result":{"a":${deep}}}\n`);
    wire.send('{"jsonrpc":"2.0","id":5,"method":null,"result":{}}\n');
    expect(await wire.quiet()).toEqual([]);
    wire.send(`{"jsonrpc":"2.0","id":8,"method":"x","params":{"a":${deep}}}\n`);
    expect(ids(await wire.quiet())).toEqual([8]);
    await wire.close();
  });
});

describe('an error that reaches stderr', () => {
  it('shows what came from outside instead of obeying it', async () => {
    const lines = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const server = new Server({ name: 's', version: '1' });
    server.tool('fail', {}, (_, ctx) => {
      throw new Error(`bad ${String(ctx.meta['x'])}`);
    });
    const wire = createWire(server);
    await wire.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } });
    await wire.request('tools/call', { name: 'fail', _meta: { x: '\u001b]0;owned\u0007\u202e' } });
    expect(lines.mock.calls.flat().join('')).toContain('\\x1b]0;owned\\x07\\u{202e}');
    lines.mockRestore();
    await wire.close();
  });
});
