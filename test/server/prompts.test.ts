// Prompts as they are listed, and the arguments they take: strings on the wire, typed in the handler.
import { describe, expect, it } from 'vitest';
import type { Principal } from 'vivarium/server';
import { z } from 'zod';
import { legacy, matrix, pipes } from '../matrix/matrix.ts';
import { ask, createServer, openWire, text, turn } from './fixture.ts';

const icons = [{ src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48'] }];

describe('a description', () => {
  const input = z.object({
    code: z.string().meta({ title: 'Code', description: 'What to review' }),
    language: z.enum(['ts', 'lisp']).optional(),
    tone: z.string().default('kind').describe('How to say it'),
  });

  matrix('has the members its revision knows', {}, async ({ connect, revision }) => {
    const { server } = createServer();
    server.prompt('review', { title: 'Review', description: 'Reviews code', icons, meta: { 'example.com/a': 1 }, input }, () => 'x');
    const { result } = await (await connect(server)).request('prompts/list');
    const titles = revision >= '2025-06-18';
    expect(result.prompts).toEqual([
      {
        name: 'review',
        ...(titles && { title: 'Review' }),
        description: 'Reviews code',
        ...(revision >= '2025-11-25' && { icons }),
        arguments: [
          { name: 'code', ...(titles && { title: 'Code' }), description: 'What to review', required: true },
          { name: 'language', required: false },
          { name: 'tone', description: 'How to say it', required: false },
        ],
        _meta: { 'example.com/a': 1 },
      },
    ]);
  });

  matrix('says nothing that was not said', {}, async ({ connect, revision }) => {
    const { server } = createServer();
    server.prompt('plain', {}, () => 'x');
    server.prompt('empty', { input: { type: 'object' } }, () => 'x');
    const link = await connect(server, { bare: true });
    const { result } = revision === '2026-07-28' ? await link.request('server/discover') : await link.initialize();
    expect(result.capabilities.prompts).toEqual({ listChanged: true });
    expect(result.capabilities).not.toHaveProperty('completions');
    expect((await link.request('prompts/list')).result.prompts).toEqual([{ name: 'plain' }, { name: 'empty' }]);
  });

  // Changes are told once a turn, and through a socket this takes several.
  matrix('changes with what is registered', { transports: pipes }, async ({ connect, revision }) => {
    const { server } = createServer();
    server.prompt('stays', {}, () => 'x');
    const prompt = server.prompt('it', { description: 'old', input }, ({ tone }) => tone);
    await turn();
    const link = await connect(server);
    prompt.update({ description: 'new', meta: { a: 1 } });
    const [, described] = (await link.request('prompts/list')).result.prompts;
    expect(described).toMatchObject({ description: 'new', arguments: [{ name: 'code' }, {}, {}], _meta: { a: 1 } });
    const { result } = await link.request('prompts/get', { name: 'it', arguments: { code: '' } });
    expect(result).toMatchObject({ description: 'new', messages: [{ content: text('kind') }] });
    prompt.remove();
    expect((await link.request('prompts/list')).result.prompts).toEqual([{ name: 'stays' }]);
    expect((await link.request('prompts/get', { name: 'it' })).error?.code).toBe(-32602);
    if (legacy.includes(revision))
      expect(await link.rest()).toMatchObject([{ method: 'notifications/prompts/list_changed' }, {}].slice(0, 1));
    expect(() => prompt.update({})).toThrow('Prompt "it" was removed: register it again');
  });
});

describe('arguments', () => {
  const input = z.object({
    size: z.string().transform(Number).pipe(z.number().int()),
    yes: z.stringbool().optional(),
    tone: z.string().default('kind'),
    kind: z.enum(['a', 'b']).optional(),
  });
  const create = () => {
    const { server, told } = createServer();
    const seen: unknown[] = [];
    server.prompt('it', { input }, (args) => {
      seen.push(args);
      return 'x';
    });
    return { server, told, seen };
  };

  matrix('are turned into what the schema says', {}, async ({ connect }) => {
    const { server, seen } = create();
    const link = await connect(server);
    await link.request('prompts/get', { name: 'it', arguments: { size: '12', yes: 'true', kind: 'b' } });
    await link.request('prompts/get', { name: 'it', arguments: { size: '-1', tone: '', stray: 'ignored' } });
    expect(seen).toEqual([
      { size: 12, yes: true, tone: 'kind', kind: 'b' },
      { size: -1, tone: '' },
    ]);
  });

  matrix('that do not fit are an error with the place', {}, async ({ connect }) => {
    const { server, seen, told } = create();
    const link = await connect(server);
    const refused = async (args?: object) =>
      (await link.request('prompts/get', { name: 'it', ...(args !== undefined && { arguments: args }) })).error;
    for (const args of [undefined, {}, { size: 'many' }, { size: '1.5' }]) {
      const error = await refused(args);
      expect(error).toMatchObject({ code: -32602, message: 'Invalid params' });
      expect(error?.data).toEqual({ details: expect.stringContaining('Invalid arguments for prompt "it": /size') });
    }
    expect((await refused({ size: '1', kind: 'c' }))?.data).toEqual({ details: expect.stringContaining('/kind') });
    expect(seen).toEqual([]);
    expect(told).toEqual([]);
  });

  matrix('that are no strings are refused before the schema sees them', {}, async ({ connect }) => {
    const { server, seen } = create();
    server.prompt('free', {}, () => 'x');
    const link = await connect(server);
    for (const value of [5, true, null, {}, ['1']]) {
      for (const name of ['it', 'free']) {
        const { error } = await link.request('prompts/get', { name, arguments: { size: value } });
        expect(error).toMatchObject({ code: -32602, data: { details: 'Argument "size" must be a string' } });
      }
    }
    for (const args of [5, null, ['a'], 'size']) {
      expect((await link.request('prompts/get', { name: 'it', arguments: args })).error?.code).toBe(-32602);
    }
    expect(seen).toEqual([]);
  });

  matrix('by a JSON Schema are checked the same way', {}, async ({ connect }) => {
    const { server } = createServer();
    const properties = { code: { type: 'string', minLength: 1 }, mode: { enum: ['a', 'b'] } } as const;
    server.prompt('it', { input: { type: 'object', properties, required: ['code'] } }, ({ code, mode }) => `${code} ${mode}`);
    const link = await connect(server);
    const get = (args: object) => link.request('prompts/get', { name: 'it', arguments: args });
    expect((await get({ code: 'x', mode: 'a', stray: 'y' })).result.messages[0].content).toEqual(text('x a'));
    for (const args of [{}, { code: '' }, { code: 'x', mode: 'c' }]) expect((await get(args)).error?.code).toBe(-32602);
    expect((await get({ mode: 'a' })).error?.data).toEqual({ details: expect.stringContaining('/code') });
  });

  it.each(['{{code}}', '#{code}', '{code}', '%s', '$&', '__proto__', '\0', '</user>'])('are only text: %s', async (code) => {
    const { server } = createServer();
    server.prompt('it', { input: z.object({ code: z.string() }) }, (args) => `Review: ${args.code}`);
    const wire = await openWire(server);
    const { result } = await ask(wire, 'prompts/get', { name: 'it', arguments: { [code]: 'x', code } });
    expect(result.messages).toEqual([{ role: 'user', content: text(`Review: ${code}`) }]);
  });

  it('may be checked asynchronously', async () => {
    const { server } = createServer();
    const known = z.string().refine(async (value) => value === 'known', 'is not known');
    server.prompt('it', { input: z.object({ id: known }) }, ({ id }) => id);
    const wire = await openWire(server);
    expect((await ask(wire, 'prompts/get', { name: 'it', arguments: { id: 'known' } })).result.messages).toHaveLength(1);
    expect((await ask(wire, 'prompts/get', { name: 'it', arguments: { id: 'x' } })).error.data.details).toContain('/id: is not known');
  });
});

matrix('scopes, visible and needs hold for prompts', {}, async ({ connect, revision }) => {
  const { server } = createServer();
  server.prompt('open', {}, () => 'x');
  server.prompt('scoped', { scopes: ['write'] }, () => 'x');
  server.prompt('hidden', { visible: (principal) => principal?.id === 'ada' }, () => 'x');
  server.prompt('needy', { needs: ['sampling'] }, () => 'x');
  const principal: Principal = { id: 'bob', scopes: ['read'] };
  const bob = await connect(server, { principal });
  const names = (await bob.request('prompts/list')).result.prompts.map(({ name }: { name: string }) => name);
  expect(names).toEqual(['open', 'scoped', 'needy']);
  expect((await bob.request('prompts/get', { name: 'scoped' })).error).toMatchObject({ code: 403, data: { scopes: ['write'] } });
  expect((await bob.request('prompts/get', { name: 'hidden' })).error?.message).toBe('Unknown prompt: hidden');
  const code = revision === '2026-07-28' ? -32021 : -32602;
  expect((await bob.request('prompts/get', { name: 'needy' })).error?.code).toBe(code);
  const ada = await connect(server, { principal: { id: 'ada', scopes: ['write'] }, capabilities: { sampling: {} } });
  for (const name of ['open', 'scoped', 'hidden', 'needy']) {
    expect((await ada.request('prompts/get', { name })).result.messages).toHaveLength(1);
  }
});
