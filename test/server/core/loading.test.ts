// What is loaded when it is first needed: ajv for JSON Schemas, the TOON encoder for texts; and who waits meanwhile.
import { encode } from '@toon-format/toon';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Server, ServerOptions, VivariumError } from 'vivarium/server';
import type { Wire } from 'vivarium/testing';
import { z } from 'zod';
import { ask, chunk, type Deferred, defer, handshake, modern, type Reply, text, turn } from '../fixture.ts';

/** Not plain: ajv is needed for it. */
const literal = { type: 'object', properties: { a: { type: 'string', pattern: '^' } } } as const;
const draft7 = { $schema: 'http://json-schema.org/draft-07/schema#', ...literal } as const;

const packages = { 'ajv/dist/2020.js': { Ajv2020 }, ajv: { Ajv }, '@toon-format/toon': { encode } };

let loads: string[];
let gates: Partial<Record<keyof typeof packages, Deferred<void>>>;
let failing: boolean;

beforeEach(() => {
  loads = [];
  gates = {};
  failing = false;
  vi.resetModules();
  for (const path of Object.keys(packages) as (keyof typeof packages)[]) {
    vi.doMock(path, async () => {
      loads.push(path);
      await gates[path]?.promise;
      if (failing) throw new Error('no such module');
      return packages[path];
    });
  }
});

afterEach(() => {
  for (const path of Object.keys(packages)) vi.doUnmock(path);
});

/** A server in a house where nothing has been loaded yet, and a wire to it on which the handshake is done. */
async function open(build: (server: Server) => void, options: Partial<ServerOptions> = {}): Promise<{ server: Server; wire: Wire }> {
  const { Server } = await import('vivarium/server');
  const { createWire } = await import('vivarium/testing');
  const server = new Server({ name: 'fresh', version: '1.0.0', onError: () => undefined, ...options });
  build(server);
  await turn();
  return { server, wire: createWire(server) };
}

const call = (id: number, name: string, _meta?: object) => ({ id, method: 'tools/call', params: { name, ...(_meta && { _meta }) } });
const shake = { id: 0, method: 'initialize', params: handshake() };

/** What has arrived by now; calls may still be running. */
async function arrived(wire: Wire): Promise<Reply[]> {
  for (let i = 0; i < 5; i++) await turn();
  return wire.transcript.entries.filter(({ from }) => from === 'server').map(({ line }) => JSON.parse(line));
}

const ids = (messages: readonly object[]) => messages.map((message) => (message as Reply).id);

describe('ajv', () => {
  it('is never loaded by a server of Standard Schemas', async () => {
    const { server, wire } = await open((made) => made.tool('zod', { input: z.object({}), output: z.object({}) }, () => ({})));
    wire.send(chunk(shake, { id: 1, method: 'tools/list' }, call(2, 'zod')));
    expect(ids(await wire.quiet())).toEqual([0, 1, 2]);
    await server.ready();
    expect(await arrived(wire)).toHaveLength(3);
    expect(loads).toEqual([]);
  });

  it('begins to load once the first answer has left, before any call needs it', async () => {
    const { wire } = await open((made) => made.tool('ajv', { input: literal }, () => 'checked'));
    expect(loads).toEqual([]);
    wire.send(chunk(shake));
    expect(loads).toEqual([]);
    await arrived(wire);
    await vi.waitFor(() => expect(loads).toEqual(['ajv/dist/2020.js']), 60_000);
  });

  it('is not looked for in more schemas than a few hundred: a later one loads it when it is called', async () => {
    const plain = { type: 'object', properties: { a: { type: 'string' } } } as const;
    const { wire } = await open((made) => {
      for (let at = 0; at < 250; at++) made.tool(`plain-${at}`, { input: plain }, () => 'plain');
      made.tool('ajv', { input: literal }, () => 'checked');
    });
    wire.send(chunk(shake));
    await arrived(wire);
    expect(loads).toEqual([]);
    wire.send(chunk(call(1, 'ajv')));
    await vi.waitFor(async () => expect(ids(await arrived(wire))).toContain(1), 60_000);
    expect(loads).toEqual(['ajv/dist/2020.js']);
  });

  it('is loaded once for all that need it', async () => {
    const { server, wire } = await open((made) => {
      for (const name of ['a', 'b', 'c']) made.tool(name, { input: { ...literal, title: name }, output: { ...literal } }, () => ({}));
    });
    wire.send(chunk(shake, call(1, 'a'), call(2, 'b'), call(3, 'c')));
    expect(ids(await wire.quiet())).toEqual([0, 1, 2, 3]);
    await server.ready();
    expect(loads).toEqual(['ajv/dist/2020.js']);
  });

  it('makes what follows a call wait behind it, but not a ping', async () => {
    gates['ajv/dist/2020.js'] = defer();
    const { wire } = await open((made) => {
      made.tool('ajv', { input: literal }, () => 'checked');
      made.tool('zod', { input: z.object({}) }, () => 'at once');
    });
    wire.send(chunk(shake, call(1, 'ajv'), call(2, 'zod'), { id: 3, method: 'tools/list' }, call(4, 'nobody'), call(5, 'ajv')));
    wire.send(chunk(call(6, 'zod', modern()), { id: 7, method: 'ping' }));
    expect(ids(await arrived(wire))).toEqual([0, 7]);
    gates['ajv/dist/2020.js'].resolve();
    const answers = (await wire.quiet()) as Reply[];
    expect(ids(answers)).toEqual([0, 7, 1, 2, 3, 4, 5, 6]);
    expect(answers[2]?.result.content).toEqual([text('checked')]);
    // Afterwards everything is synchronous again.
    wire.send(chunk(call(8, 'ajv'), call(9, 'zod'), { id: 10, method: 'ping' }));
    expect(ids(await wire.quiet())).toEqual([8, 9, 10]);
  });

  it('makes errors keep their place as well', async () => {
    gates['ajv/dist/2020.js'] = defer();
    const { wire } = await open((made) => made.tool('ajv', { input: literal }, () => 'checked'));
    wire.send(chunk(shake, call(1, 'ajv'), { id: 2, method: 'nope' }, { id: 3, method: 'tools/call', params: {} }, call(4, 'ajv')));
    await arrived(wire);
    gates['ajv/dist/2020.js'].resolve();
    expect(ids(await wire.quiet())).toEqual([0, 1, 2, 3, 4]);
  });

  it('keeps the order through two dialects', async () => {
    gates['ajv/dist/2020.js'] = defer();
    gates.ajv = defer();
    const { wire } = await open((made) => {
      made.tool('new', { input: literal }, () => 'checked');
      made.tool('old', { input: draft7 }, () => 'checked');
      made.tool('zod', { input: z.object({}) }, () => 'at once');
    });
    wire.send(chunk(shake, call(1, 'new'), call(2, 'old'), call(3, 'zod')));
    gates['ajv/dist/2020.js'].resolve();
    await arrived(wire);
    gates.ajv.resolve();
    expect(ids(await wire.quiet())).toEqual([0, 1, 2, 3]);
  });

  it('does not hold up other connections', async () => {
    gates['ajv/dist/2020.js'] = defer();
    const { server, wire } = await open((made) => {
      made.tool('ajv', { input: literal }, () => 'checked');
      made.tool('zod', { input: z.object({}) }, () => 'at once');
    });
    wire.send(chunk(shake, call(1, 'ajv')));
    const { createWire } = await import('vivarium/testing');
    expect((await ask(createWire(server), 'tools/call', { name: 'zod', _meta: modern() })).result.content).toEqual([text('at once')]);
    gates['ajv/dist/2020.js'].resolve();
    expect(ids(await wire.quiet())).toEqual([0, 1]);
  });

  it('lets calls that wait for it be cancelled', async () => {
    gates['ajv/dist/2020.js'] = defer();
    const ran: string[] = [];
    const { wire } = await open((made) => {
      made.tool('ajv', { input: literal }, () => void ran.push('ajv'));
      made.tool('zod', { input: z.object({}) }, () => void ran.push('zod'));
    });
    wire.send(chunk(shake, call(1, 'ajv'), call(2, 'zod'), call(3, 'ajv')));
    for (const requestId of [1, 2]) wire.send(chunk({ method: 'notifications/cancelled', params: { requestId } }));
    await arrived(wire);
    gates['ajv/dist/2020.js'].resolve();
    expect(ids(await wire.quiet())).toEqual([0, 3]);
    expect(ran).toEqual(['ajv']);
  });

  it('lets the connection end while it loads', async () => {
    gates['ajv/dist/2020.js'] = defer();
    let ran = false;
    const { wire } = await open((made) =>
      made.tool('ajv', { input: literal }, () => {
        ran = true;
      }),
    );
    wire.send(chunk(shake, call(1, 'ajv')));
    wire.send(chunk({ method: 'notifications/cancelled', params: { requestId: 1 } }));
    await wire.close();
    gates['ajv/dist/2020.js'].resolve();
    expect(ids(await arrived(wire))).toEqual([0]);
    expect(ran).toBe(false);
  });

  it('that cannot be loaded fails the calls that need it and no others', async () => {
    failing = true;
    const { server, wire } = await open((made) => {
      made.tool('ajv', { input: literal }, () => 'checked');
      made.tool('zod', { input: z.object({}) }, () => 'at once');
    });
    wire.send(chunk(shake, call(1, 'ajv'), call(2, 'zod')));
    const [, failed, fine] = (await wire.quiet()) as Reply[];
    expect(failed?.result.isError).toBe(true);
    expect(fine?.result.content).toEqual([text('at once')]);
    await expect(server.ready()).rejects.toThrow('Tool "ajv"');
  });
});

describe('a schema that cannot be compiled', () => {
  const broken = { type: 'object', properties: { a: { type: 'nonsense' } } } as const;

  it('is found by ready(), which names the tool', async () => {
    const { server } = await open((made) => {
      made.tool('fine', { input: literal }, () => 'x');
      made.tool('bad', { input: broken }, () => 'x');
    });
    const failure = (await server.ready().then(
      () => undefined,
      (error: unknown) => error,
    )) as VivariumError;
    expect(failure.code).toBe('ERR_SCHEMA');
    expect(failure.message).toContain('Tool "bad"');
    expect(failure.message).toContain('/properties/a/type');
  });

  it('is found by ready() on the output side too', async () => {
    const { server } = await open((made) => made.tool('bad', { output: broken }, () => ({}) as never));
    await expect(server.ready()).rejects.toMatchObject({ code: 'ERR_SCHEMA' });
  });

  it('fails its own calls and nothing else', async () => {
    const { wire } = await open((made) => {
      made.tool('bad', { input: broken }, () => 'x');
      made.tool('fine', { input: literal }, () => 'fine');
    });
    wire.send(chunk(shake, call(1, 'bad'), call(2, 'fine'), { id: 3, method: 'tools/list' }));
    const [, bad, fine, list] = (await wire.quiet()) as Reply[];
    expect(bad?.result).toMatchObject({ content: [{ text: expect.stringContaining('cannot be compiled') }], isError: true });
    expect(fine?.result.content).toEqual([text('fine')]);
    expect(list?.result.tools).toHaveLength(2);
  });

  it('is no matter when all are sound', async () => {
    const { server, wire } = await open((made) => made.tool('fine', { input: literal, output: draft7 }, () => ({})));
    await expect(server.ready()).resolves.toBeUndefined();
    wire.send(chunk(shake, call(1, 'fine'), { id: 2, method: 'ping' }));
    expect(ids(await wire.quiet())).toEqual([0, 1, 2]);
  });
});

describe('the TOON encoder', () => {
  const Row = z.object({ a: z.number() });

  it('is not loaded by a server that writes JSON', async () => {
    const { wire } = await open((made) => made.tool('it', { output: Row }, () => ({ a: 1 })));
    wire.send(chunk(shake, call(1, 'it')));
    await arrived(wire);
    expect(loads).toEqual([]);
  });

  it('is loaded by the first call that needs it', async () => {
    const { wire } = await open((made) => made.tool('it', { output: Row }, () => ({ a: 1 })), { text: 'toon' });
    wire.send(chunk(shake, call(1, 'it'), { id: 2, method: 'tools/list' }));
    const [, answer, list] = (await wire.quiet()) as Reply[];
    expect(answer?.result.content[0].text).toBe('a: 1');
    expect(list?.id).toBe(2);
  });

  it('is loaded for a single call that asks for it', async () => {
    const { result } = await import('vivarium/server');
    const { wire } = await open((made) => made.tool('it', { output: Row }, () => result({ a: 1 }, { text: 'toon' })));
    wire.send(chunk(shake, call(1, 'it')));
    const [, answer] = (await wire.quiet()) as Reply[];
    expect(answer?.result.content[0].text).toBe('a: 1');
  });

  it('is waited for by a call that arrives while ajv loads', async () => {
    gates['ajv/dist/2020.js'] = defer();
    const { wire } = await open((made) => {
      made.tool('ajv', { input: literal }, () => 'checked');
      made.tool('it', { output: Row, text: 'toon' }, () => ({ a: 1 }));
    });
    wire.send(chunk(shake, call(1, 'ajv'), call(2, 'it')));
    gates['ajv/dist/2020.js'].resolve();
    const [, , answer] = (await wire.quiet()) as Reply[];
    expect(answer?.id).toBe(2);
    expect(answer?.result.content[0].text).toBe('a: 1');
  });
});
