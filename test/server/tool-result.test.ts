// What a handler may return, and what of it reaches a client of each revision.
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { image, result, type Server } from 'vivarium/server';
import { z } from 'zod';
import { matrix, since } from '../matrix/matrix.ts';
import { ask, createServer, openWire, text } from './fixture.ts';

const until = (first: Parameters<typeof since>[0]) => since('2024-11-05').slice(0, -since(first).length);
const link = { type: 'resource_link', uri: 'note:///a', name: 'a' } as const;
const embedded = { type: 'resource', resource: { uri: 'note:///a', text: 'A' } } as const;
const blob = { type: 'resource', resource: { uri: 'note:///a', blob: 'AQID' } } as const;

/** For what the compiler would refuse. */
function returning(value: unknown, options: Parameters<typeof createServer>[0] = {}): { server: Server; told: { error: unknown }[] } {
  const made = createServer(options);
  made.server.tool('it', {}, () => value as string);
  return made;
}

describe('a tool without output', () => {
  matrix('returns text', {}, async ({ connect }) => {
    const answer = (await (await connect(returning('hi').server)).call('it')).result;
    expect(answer).toMatchObject({ content: [text('hi')], isError: false });
    expect(answer).not.toHaveProperty('structuredContent');
  });

  matrix('returns one block', {}, async ({ connect }) => {
    const png = image(new Uint8Array([1, 2, 3]), 'image/png');
    for (const block of [text('hi'), png, embedded, blob]) {
      expect((await (await connect(returning(block).server)).call('it')).result).toMatchObject({ content: [block], isError: false });
    }
  });

  matrix('returns blocks and strings in any mixture', {}, async ({ connect }) => {
    const answer = await (await connect(returning(['one', embedded, text('two'), '']).server)).call('it');
    expect(answer.result.content).toEqual([text('one'), embedded, text('two'), text('')]);
  });

  matrix('returns a whole result, which leaves as given', {}, async ({ connect }) => {
    const whole = { content: [text('no')], isError: true, _meta: { 'example.com/a': 1 } };
    const answer = (await (await connect(returning(whole).server)).call('it')).result;
    expect(answer).toMatchObject(whole);
  });

  matrix('says isError even when the whole result does not', {}, async ({ connect }) => {
    expect((await (await connect(returning({ content: [text('a')] }).server)).call('it')).result.isError).toBe(false);
  });

  matrix('gets a text projection when there is only a structured value', { revisions: since('2025-06-18') }, async ({ connect }) => {
    for (const content of [undefined, []]) {
      const { server } = returning({ structuredContent: { a: 1 }, ...(content && { content }) });
      expect((await (await connect(server)).call('it')).result).toMatchObject({
        content: [text('{"a":1}')],
        structuredContent: { a: 1 },
        isError: false,
      });
    }
  });

  matrix('never sends an empty content', {}, async ({ connect }) => {
    for (const nothing of [undefined, null, [], { content: [] }]) {
      expect((await (await connect(returning(nothing).server)).call('it')).result).toMatchObject({
        content: [text('Done.')],
        isError: false,
      });
    }
  });

  it('awaits a promise of any of these', async () => {
    const { server } = returning(Promise.resolve(['one', embedded]));
    expect((await ask(await openWire(server), 'tools/call', { name: 'it' })).result.content).toEqual([text('one'), embedded]);
  });

  it('awaits what can be awaited, as await does', async () => {
    const { server } = createServer();
    const resolve = (done: (value: string) => void) => done('hi');
    server.tool('thenable', {}, () => Object.defineProperty({}, 'then', { value: resolve }) as string);
    server.tool('promise-of-another-realm', {}, () => runInNewContext('Promise.resolve("hi")') as Promise<string>);
    const wire = await openWire(server);
    for (const name of ['thenable', 'promise-of-another-realm']) {
      expect((await ask(wire, 'tools/call', { name })).result.content).toEqual([text('hi')]);
    }
  });

  it.each([
    ['a number', 42],
    ['a boolean', true],
    ['a bigint', 1n],
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    ['an object without a type', { answer: 42 }],
    ['a block of unknown type', { type: 'video', data: 'AQID' }],
    ['a text block without text', { type: 'text' }],
    ['a text block whose text is a number', { type: 'text', text: 5 }],
    ['an image without a type of data', { type: 'image', data: 'AQID' }],
    ['audio without data', { type: 'audio', mimeType: 'audio/wav' }],
    ['an image with raw bytes', { type: 'image', data: new Uint8Array(3), mimeType: 'image/png' }],
    ['a link without a name', { type: 'resource_link', uri: 'a:b' }],
    ['an embedded resource without a uri', { type: 'resource', resource: { text: 'x' } }],
    ['an embedded resource with neither text nor blob', { type: 'resource', resource: { uri: 'a:b' } }],
    ['an embedded resource with both', { type: 'resource', resource: { uri: 'a:b', text: '', blob: '' } }],
    ['null among blocks', [null]],
    ['a number among blocks', ['a', 5]],
    ['a list among blocks', [['a']]],
    ['a bad block in a whole result', { content: [text('a'), { type: 'video' }] }],
    ['a whole result whose content is text', { content: 'hi' }],
  ])('is at fault when it returns %s', async (_, value) => {
    const { server, told } = returning(value);
    const answer = await ask(await openWire(server), 'tools/call', { name: 'it' });
    expect(answer.result).toMatchObject({
      content: [{ type: 'text', text: expect.stringContaining('Tool "it" returned') }],
      isError: true,
    });
    expect(answer.result.content).toHaveLength(1);
    expect(told).toHaveLength(1);
  });

  it('may use result() too', async () => {
    const { server } = returning(result({ a: 1 }, { meta: { 'example.com/a': 1 } }));
    const answer = (await ask(await openWire(server), 'tools/call', { name: 'it' })).result;
    expect(answer).toEqual({ content: [text('{"a":1}')], structuredContent: { a: 1 }, isError: false, _meta: { 'example.com/a': 1 } });
  });
});

describe('a tool with output', () => {
  const Note = z.object({ id: z.string(), tags: z.array(z.string()).default([]) });

  matrix('returns the value, which leaves validated and as text', {}, async ({ connect, revision }) => {
    const { server } = createServer();
    server.tool('it', { output: Note }, () => ({ id: 'a', stray: 1 }) as { id: string });
    const answer = (await (await connect(server)).call('it')).result;
    expect(answer).toMatchObject({ content: [text('{"id":"a","tags":[]}')], isError: false });
    if (revision >= '2025-06-18') expect(answer.structuredContent).toEqual({ id: 'a', tags: [] });
    else expect(answer).not.toHaveProperty('structuredContent');
  });

  matrix('adds content and meta with result()', {}, async ({ connect }) => {
    const { server } = createServer();
    server.tool('it', { output: Note }, () => result({ id: 'a' }, { content: [embedded], meta: { 'example.com/a': 1 } }));
    const answer = (await (await connect(server)).call('it')).result;
    expect(answer.content).toEqual([text('{"id":"a","tags":[]}'), embedded]);
    expect(answer._meta).toMatchObject({ 'example.com/a': 1 });
  });

  it('takes an object for the value, whatever its members are called', async () => {
    const { server } = createServer();
    const output = z.object({ path: z.string(), content: z.array(z.number()), isError: z.boolean() });
    server.tool('it', { output }, () => ({ path: 'a', content: [1], isError: true }));
    const answer = (await ask(await openWire(server), 'tools/call', { name: 'it' })).result;
    expect(answer).toMatchObject({ structuredContent: { path: 'a', content: [1], isError: true }, isError: false });
  });

  it('has nothing to do with a block that the protocol does not know', async () => {
    const { server, told } = createServer();
    server.tool('it', { output: Note }, () => result({ id: 'a' }, { content: [{ type: 'video' } as never] }));
    const answer = (await ask(await openWire(server), 'tools/call', { name: 'it' })).result;
    expect(answer.isError).toBe(true);
    expect(answer.content.every(({ type }: { type: string }) => type === 'text')).toBe(true);
    expect(told).toHaveLength(1);
  });
});

describe('projection', () => {
  matrix('turns sound into an embedded resource where there is none', { revisions: until('2025-03-26') }, async ({ connect }) => {
    const { server } = returning({ type: 'audio', data: 'AQID', mimeType: 'audio/wav' });
    const [block] = (await (await connect(server)).call('it')).result.content;
    expect(block).toEqual({ type: 'resource', resource: { uri: expect.any(String), mimeType: 'audio/wav', blob: 'AQID' } });
  });

  matrix('keeps sound where it is known', { revisions: since('2025-03-26') }, async ({ connect }) => {
    const sound = { type: 'audio', data: 'AQID', mimeType: 'audio/wav' };
    expect((await (await connect(returning(sound).server)).call('it')).result.content).toEqual([sound]);
  });

  matrix('writes links as text where there are none', { revisions: until('2025-06-18') }, async ({ connect }) => {
    const { server } = returning([link, { ...link, title: 'The A', description: 'First' }]);
    const blocks = (await (await connect(server)).call('it')).result.content;
    expect(blocks).toEqual([text('a: note:///a'), text('The A: note:///a\nFirst')]);
  });

  matrix('keeps links where they are known', { revisions: since('2025-06-18') }, async ({ connect }) => {
    expect((await (await connect(returning(link).server)).call('it')).result.content).toEqual([link]);
  });

  matrix('leaves the value of the author as it was', {}, async ({ connect }) => {
    const value = Object.freeze({ content: Object.freeze([Object.freeze({ ...link })]), structuredContent: Object.freeze([1]) });
    const { server } = returning(value);
    for (let round = 0; round < 2; round++) expect((await (await connect(server)).call('it')).result.isError).toBe(false);
    expect(value).toEqual({ content: [link], structuredContent: [1] });
  });

  matrix('drops the structured value of a whole result where there is none', { revisions: until('2025-06-18') }, async ({ connect }) => {
    const answer = (await (await connect(returning({ structuredContent: { a: 1 } }).server)).call('it')).result;
    expect(answer.content).toEqual([text('{"a":1}')]);
    expect(answer).not.toHaveProperty('structuredContent');
  });

  it.each(['2024-11-05', '2025-11-25'])('keeps members of the modern result from %s', async (revision) => {
    const { server } = returning({ content: [text('a')], resultType: 'complete' });
    expect((await ask(await openWire(server, revision), 'tools/call', { name: 'it' })).result).not.toHaveProperty('resultType');
  });
});
