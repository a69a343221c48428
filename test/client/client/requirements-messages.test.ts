// What the requirement lists ask of a client, message by message: envelopes, answers, ping, cancellation, progress, pages.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { type Revision, revisions } from 'vivarium';
import { beLegacy } from '../../fixtures/rude-manners.mjs';
import { reference } from '../../matrix/schemas.ts';
import { greet, settled, talkTo, useEverything } from '../requirements-session.ts';
import { type Any, failureOf, type Manner } from '../rude.ts';

describe.each(revisions)('everything a client of %s sends', (revision) => {
  it('is a request with a version, a method and an id of its own, a notification without an id, or an answer', async () => {
    const { client, sent } = await talkTo(revision);
    await useEverything(client);
    expect(new Set(sent.map(({ jsonrpc }) => jsonrpc))).toEqual(new Set(['2.0']));
    const requests = sent.filter(({ id, method }) => id !== undefined && method !== undefined);
    const ids = requests.map(({ id }) => id);
    expect(ids.filter((id) => !Number.isSafeInteger(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(requests.map(({ method }) => typeof method))).toEqual(new Set(['string']));
    expect(requests.length).toBeGreaterThan(12);
    const notifications = sent.filter(({ method }) => method?.startsWith('notifications/'));
    expect(notifications.filter((one) => 'id' in one)).toEqual([]);
    expect(notifications.length).toBeGreaterThan(0);
    const answers = sent.filter(({ method }) => method === undefined);
    expect(answers.length > 0).toBe(client.era === 'legacy');
    for (const one of answers) {
      expect(['result' in one, 'error' in one].filter(Boolean)).toHaveLength(1);
      expect(one.result).toBeTypeOf('object');
    }
  });

  it.skipIf(!reference)('is what the official schema of its revision allows', async () => {
    const { client, sent } = await talkTo(revision, { revision });
    await useEverything(client);
    const check = judge(revision);
    expect(sent.flatMap((message) => check(message))).toEqual([]);
  });
});

describe('an answer', () => {
  it('belongs to the request whose id it has', async () => {
    const { client } = await greet((message, line) => {
      if (message.method !== 'tools/call') return beLegacy(message, line);
      line.say({ jsonrpc: '2.0', id: `${message.id}x`, result: { content: [{ type: 'text', text: 'a string' }] } });
      line.say({ jsonrpc: '2.0', id: message.id + 1_000, result: { content: [] } });
      return beLegacy(message, line);
    });
    expect((await client.callTool('echo', { of: 'mine' })).content).toEqual([{ type: 'text', text: '{"of":"mine"}' }]);
  });

  it('with both a result and an error, or neither, is none', async () => {
    const { client } = await greet((message, line) => {
      if (message.method !== 'tools/call') return beLegacy(message, line);
      line.say({ jsonrpc: '2.0', id: message.id, result: { content: [] }, error: { code: 1, message: 'both' } });
      line.say({ jsonrpc: '2.0', id: message.id });
      line.say({ jsonrpc: '2.0', id: message.id, error: { code: 1.5, message: 'no integer' } });
      line.say({ jsonrpc: '2.0', id: message.id, error: { code: 1 } });
      return beLegacy(message, line);
    });
    const warned: string[] = [];
    client.on('warning', ({ code }) => warned.push(code));
    expect((await client.callTool('echo', {})).content).toEqual([{ type: 'text', text: '{}' }]);
    expect(warned).toEqual(['bad-message', 'bad-message', 'bad-message', 'bad-message']);
  });

  it('that is an error rejects with its code, message and data, as they were sent', async () => {
    const data = { details: ['x', null] };
    const { client } = await greet((message, line) =>
      message.method === 'tools/call' ? line.refuse(-31_999, 'Not today', data) : beLegacy(message, line),
    );
    expect(await failureOf(client.callTool('echo'))).toMatchObject({ name: 'RpcError', code: -31_999, message: 'Not today', data });
  });

  it('without isError is a success', async () => {
    const { client } = await greet(beLegacy);
    expect(await client.callTool('echo')).toMatchObject({ isError: false });
  });
});

describe('what a server says', () => {
  it('is not answered where it is a notification, known or not, whole or broken', async () => {
    const { client, channel } = await greet(beLegacy);
    const before = channel.heard.length;
    for (const method of ['notifications/tools/list_changed', 'notifications/message', 'notifications/progress', 'notifications/unheard']) {
      for (const params of [undefined, {}, { of: [1, null] }, 'text']) channel.say({ jsonrpc: '2.0', method, params });
    }
    await settled();
    expect(channel.heard.slice(before)).toEqual([]);
    await client.ping();
  });

  it('is answered under its id, whatever that is, and an unknown request by an error with a code and a message', async () => {
    const { client, channel } = await greet(beLegacy);
    const ids = [0, -3, '', 'a b', '7'];
    for (const id of ids) channel.say({ jsonrpc: '2.0', id, method: 'unheard/of' });
    await settled();
    const answers = channel.heard.filter(({ method }) => method === undefined);
    expect(answers.map(({ id }) => id)).toEqual(ids);
    for (const { error, result } of answers) {
      expect(result).toBeUndefined();
      expect([error.code, typeof error.message]).toEqual([-32_601, 'string']);
    }
    await client.ping();
  });
});

describe('a ping', () => {
  it('of the server is answered at once by an empty result, also while calls run', async () => {
    const { client, channel } = await greet((message, line) =>
      message.method === 'tools/call' ? undefined : message.method !== undefined && beLegacy(message, line),
    );
    const call = failureOf(client.callTool('echo'));
    channel.say({ jsonrpc: '2.0', id: 'p-1', method: 'ping' });
    channel.say({ jsonrpc: '2.0', id: 'p-2', method: 'ping', params: {} });
    await settled();
    expect(channel.heard.slice(-2)).toEqual([
      { jsonrpc: '2.0', id: 'p-1', result: {} },
      { jsonrpc: '2.0', id: 'p-2', result: {} },
    ]);
    await client.close();
    await call;
  });

  it('of the client that gets no answer is given up', async () => {
    const { client, channel } = await greet((message, line) => (message.method === 'ping' ? undefined : beLegacy(message, line)));
    expect(await failureOf(client.ping({ timeouts: { idleMs: 20 } }))).toMatchObject({ code: 'ERR_TIMEOUT', failure: { limit: 'idleMs' } });
    expect(channel.heard.find(({ method }) => method === 'ping')).toMatchObject({ jsonrpc: '2.0', method: 'ping' });
  });
});

describe('a cancellation', () => {
  const deaf: Manner = (message, line) =>
    message.method === 'tools/call' && message.params.name === 'wait' ? undefined : beLegacy(message, line);

  it('names a request of the client that is still open, once, with a reason, and nothing that was answered', async () => {
    const { client, channel } = await greet(deaf);
    const abort = new AbortController();
    await client.callTool('echo', {}, { signal: abort.signal });
    const waits = failureOf(client.callTool('wait', {}, { signal: abort.signal }));
    const other = failureOf(client.callTool('wait'));
    abort.abort();
    abort.abort();
    expect(await waits).toMatchObject({ code: 'ERR_CANCELLED' });
    const [first] = channel.heard.filter(({ method, params }) => method === 'tools/call' && params.name === 'wait');
    expect(channel.heard.filter(({ method }) => method === 'notifications/cancelled')).toEqual([
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: first.id, reason: 'The request was cancelled' } },
    ]);
    await client.close();
    await other;
  });

  it('is never sent for initialize', async () => {
    const heard: Any[] = [];
    const manner: Manner = (message) => void heard.push(message);
    expect(await failureOf(greet(manner, { timeouts: { connectMs: 30 } }))).toMatchObject({ code: 'ERR_TIMEOUT' });
    await settled();
    expect(heard.map(({ method }) => method)).toEqual(['initialize']);
  });

  it('of a request the client does not know changes nothing', async () => {
    const { client, channel } = await greet(beLegacy);
    for (const params of [{ requestId: 99 }, { requestId: null }, {}, undefined]) {
      channel.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    }
    expect((await client.callTool('echo')).isError).toBe(false);
  });
});

describe('progress', () => {
  it('is asked for with a token that no other running request has', async () => {
    const { client, channel } = await greet((message, line) => (message.method === 'tools/call' ? undefined : beLegacy(message, line)));
    const calls = Array.from({ length: 50 }, () => failureOf(client.callTool('echo', {}, { onProgress: () => undefined })));
    const tokens = channel.heard.filter(({ method }) => method === 'tools/call').map(({ params }) => params._meta.progressToken);
    expect(new Set(tokens).size).toBe(50);
    expect(tokens.every((token) => Number.isSafeInteger(token))).toBe(true);
    await client.close();
    await Promise.all(calls);
  });

  it('without a token or a number, and after the answer, reaches nobody', async () => {
    const seen: object[] = [];
    const { client, channel } = await greet((message, line) => {
      if (message.method !== 'tools/call') return beLegacy(message, line);
      const { progressToken } = message.params._meta;
      for (const params of [
        { progress: 1 },
        { progressToken },
        { progressToken, progress: 'x' },
        { progressToken, progress: 2, total: 4 },
      ]) {
        line.say({ jsonrpc: '2.0', method: 'notifications/progress', params });
      }
      beLegacy(message, line);
      return line.say({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 3 } });
    });
    await client.callTool('echo', {}, { onProgress: (one) => seen.push(one) });
    await settled();
    expect(seen).toEqual([{ progress: 2, total: 4 }]);
    expect(channel.heard.length).toBeGreaterThan(0);
  });

  it('is never told by a client, even where the server asks for it', async () => {
    const { channel } = await greet(beLegacy, { handlers: { roots: async () => settled().then(() => [{ uri: 'file:///a' }]) } });
    channel.say({ jsonrpc: '2.0', id: 'r', method: 'roots/list', params: { _meta: { progressToken: 't' } } });
    await settled();
    await settled();
    expect(channel.heard.at(-1)).toEqual({ jsonrpc: '2.0', id: 'r', result: { roots: [{ uri: 'file:///a' }] } });
    expect(channel.heard.filter(({ method }) => method === 'notifications/progress')).toEqual([]);
  });
});

describe('a cursor', () => {
  const cursors = ['eyJwYWdlIjogM30=', ' ', '', '{"page":2}', 'ä\n\u2028🦎', '0'];

  it('is sent back as it came, whatever it looks like, until there is none', async () => {
    const { client, channel } = await greet((message, line) => {
      if (message.method !== 'tools/list') return beLegacy(message, line);
      const at = message.params.cursor === undefined ? 0 : cursors.indexOf(message.params.cursor) + 1;
      const tools = [{ name: `tool-${at}`, inputSchema: { type: 'object' } }];
      return line.answer({ tools, ...(at < cursors.length && { nextCursor: cursors[at] }) });
    });
    expect((await client.listTools()).map(({ name }) => name)).toEqual(Array.from({ length: 7 }, (_, at) => `tool-${at}`));
    const asked = channel.heard.filter(({ method }) => method === 'tools/list');
    expect(asked.map(({ params }) => params.cursor)).toEqual([undefined, ...cursors]);
  });
});

/** Complaints about a message of a client. */
function judge(revision: Revision): (message: Any) => string[] {
  const schema = JSON.parse(readFileSync(join(reference as string, 'spec', `${revision}.schema.json`), 'utf8'));
  const modern = '$defs' in schema;
  const options = { strict: false, allErrors: true, validateFormats: false };
  const ajv = modern ? new Ajv2020(options) : new Ajv(options);
  ajv.addSchema({ ...schema, $id: `urn:mcp:${revision}` });
  const fits = (name: string, value: unknown): string[] => {
    const check = ajv.getSchema(`urn:mcp:${revision}#/${modern ? '$defs' : 'definitions'}/${name}`);
    if (check === undefined) throw new Error(`The schema of ${revision} has no ${name}`);
    return check(value) ? [] : [`${JSON.stringify(value)} is no ${name}: ${JSON.stringify(check.errors).slice(0, 400)}`];
  };
  return (message) => {
    if (message.method !== undefined && message.id !== undefined)
      return [...fits('JSONRPCRequest', message), ...fits('ClientRequest', message)];
    if (message.method !== undefined) return [...fits('JSONRPCNotification', message), ...fits('ClientNotification', message)];
    const response = revision >= '2025-11-25' ? 'JSONRPCResultResponse' : 'JSONRPCResponse';
    return [...fits(response, message), ...fits('ClientResult', message.result)];
  };
}
