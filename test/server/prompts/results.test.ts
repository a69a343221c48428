// What a prompt may return, in the words of each revision, and what becomes of everything else.
import { describe, expect, it } from 'vitest';
import { metaKeys } from 'vivarium/protocol';
import { type PromptReturn, RpcError, ToolError } from 'vivarium/server';
import { matrix } from '../../matrix/matrix.ts';
import { ask, createServer, openWire, text } from '../fixture.ts';

const user = (content: object) => ({ role: 'user', content });
const assistant = (content: object) => ({ role: 'assistant', content });

function returning(value: unknown, options: object = {}): ReturnType<typeof createServer> {
  const made = createServer();
  made.server.prompt('it', options, () => value as PromptReturn);
  made.server.prompt('later', options, async () => value as PromptReturn);
  return made;
}

describe('what is returned', () => {
  const described = { description: 'of the prompt' };
  it.each<[string, unknown, object, object]>([
    ['a string', 'hi', {}, { messages: [user(text('hi'))] }],
    ['a string, with the description of the prompt', 'hi', described, { ...described, messages: [user(text('hi'))] }],
    ['an empty string', '', {}, { messages: [user(text(''))] }],
    ['a message', assistant(text('a')), {}, { messages: [assistant(text('a'))] }],
    ['messages', [user(text('a')), assistant(text('b'))], {}, { messages: [user(text('a')), assistant(text('b'))] }],
    ['no messages', [], {}, { messages: [] }],
    ['a whole result', { messages: [user(text('a'))] }, described, { ...described, messages: [user(text('a'))] }],
    [
      'a whole result with its own description',
      { description: 'of its own', messages: [], _meta: { a: 1 } },
      described,
      { description: 'of its own', messages: [], _meta: { a: 1 } },
    ],
  ])('may be %s', async (_, value, options, expected) => {
    const { server, told } = returning(value, options);
    const wire = await openWire(server);
    for (const name of ['it', 'later']) expect((await ask(wire, 'prompts/get', { name })).result).toEqual(expected);
    expect(told).toEqual([]);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a number', 5],
    ['a list of strings', ['a']],
    ['a list with nothing in it', [null]],
    ['a message without a role', { content: text('a') }],
    ['a message of the system', { role: 'system', content: text('a') }],
    ['a message without content', { role: 'user' }],
    ['a message whose content is a string', { role: 'user', content: 'a' }],
    ['a message whose content is a list', { role: 'user', content: [text('a')] }],
    ['content of an unknown kind', user({ type: 'video', data: 'AA==', mimeType: 'a/b' })],
    ['an image without a type', user({ type: 'image', data: 'AA==' })],
    ['an embedded resource with text and blob', user({ type: 'resource', resource: { uri: 'a:b', text: '', blob: '' } })],
    ['messages that are no list', { messages: 'a' }],
  ])('cannot be %s: the client learns nothing, the author does', async (_, value) => {
    const { server, told } = returning(value);
    const wire = await openWire(server);
    for (const name of ['it', 'later']) {
      expect((await ask(wire, 'prompts/get', { name })).error).toEqual({ code: -32603, message: 'Internal error' });
    }
    expect(told).toHaveLength(2);
    expect(told[0]?.error).toBeInstanceOf(TypeError);
    expect(told[0]?.info.method).toBe('prompts/get');
  });

  matrix('is a result of its revision', {}, async ({ connect, revision }) => {
    const { result } = await (await connect(returning('hi').server)).request('prompts/get', { name: 'it' });
    const messages = [user(text('hi'))];
    const _meta = { [metaKeys.serverInfo]: { name: 'tested', version: '1.0.0' } };
    expect(result).toEqual(revision === '2026-07-28' ? { resultType: 'complete', messages, _meta } : { messages });
  });

  matrix('may hold every kind of content, as each revision knows it', {}, async ({ connect, revision }) => {
    const annotations = { audience: ['user'], priority: 1 };
    const image = { type: 'image', data: 'AA==', mimeType: 'image/png', annotations };
    const audio = { type: 'audio', data: 'AA==', mimeType: 'audio/wav' };
    const resource = { type: 'resource', resource: { uri: 'a:b', mimeType: 'text/plain', text: 'x' }, annotations };
    const blob = { type: 'resource', resource: { uri: 'a:c', blob: 'AA==' } };
    const link = { type: 'resource_link', uri: 'a:d', name: 'd', title: 'The D', description: 'Is linked' };
    const noted = { type: 'text', text: 'x', _meta: { 'example.com/a': 1 } };
    const { server } = returning([image, audio, resource, blob, link, noted].map((content) => user(content)));
    const { result } = await (await connect(server)).request('prompts/get', { name: 'it' });
    const blocks = result.messages.map(({ content }: { content: object }) => content);
    const isNew = revision >= '2025-06-18';
    expect(blocks).toEqual([
      image,
      revision === '2024-11-05' ? { type: 'resource', resource: { uri: 'audio:result', mimeType: 'audio/wav', blob: 'AA==' } } : audio,
      resource,
      blob,
      isNew ? link : text('The D: a:d\nIs linked'),
      isNew ? noted : text('x'),
    ]);
    expect(result.messages.every(({ role }: { role: string }) => role === 'user')).toBe(true);
  });

  it('is not changed by having been sent', async () => {
    const message = Object.freeze(user(Object.freeze({ type: 'text', text: 'a', _meta: { a: 1 } })));
    const { server } = returning(Object.freeze({ messages: Object.freeze([message]) }));
    for (const version of ['2024-11-05', '2025-11-25']) {
      const { result } = await ask(await openWire(server, version), 'prompts/get', { name: 'it' });
      expect(result.messages[0].content._meta).toEqual(version === '2024-11-05' ? undefined : { a: 1 });
    }
  });
});

describe('a prompt that throws', () => {
  const throwing = (thrown: unknown) => {
    const made = createServer();
    made.server.prompt('it', {}, () => {
      throw thrown;
    });
    made.server.prompt('later', {}, async () => {
      await undefined;
      throw thrown;
    });
    return made;
  };

  matrix('an RpcError is answered with it', {}, async ({ connect }) => {
    const { server, told } = throwing(new RpcError(1234, 'Out of paper', { data: { tray: 2 } }));
    const link = await connect(server);
    for (const name of ['it', 'later']) {
      expect((await link.request('prompts/get', { name })).error).toEqual({ code: 1234, message: 'Out of paper', data: { tray: 2 } });
    }
    expect(told).toEqual([]);
  });

  matrix('a ToolError is answered with its message', {}, async ({ connect }) => {
    const { server, told } = throwing(new ToolError('No such class'));
    const link = await connect(server);
    for (const name of ['it', 'later']) {
      expect((await link.request('prompts/get', { name })).error).toEqual({ code: -32603, message: 'No such class' });
    }
    expect(told).toEqual([]);
  });

  matrix('anything else tells the client nothing and the author everything', {}, async ({ connect }) => {
    for (const thrown of [new Error('password: 1234'), 'a string', undefined, null]) {
      const { server, told } = throwing(thrown);
      const link = await connect(server);
      for (const name of ['it', 'later']) {
        expect((await link.request('prompts/get', { name })).error).toEqual({ code: -32603, message: 'Internal error' });
      }
      expect(told.map(({ error }) => error)).toEqual([thrown, thrown]);
    }
  });
});

// Such a long name does not fit into a header, where 2026-07-28 repeats it.
matrix('a prompt that is not there is an error of the call', { except: /^(http|stateless) 2026/ }, async ({ connect }) => {
  const link = await connect(returning('x').server);
  for (const name of ['nobody', '', 'IT', 'toString', '__proto__']) {
    const { error } = await link.request('prompts/get', { name });
    expect(error).toEqual({ code: -32602, message: `Unknown prompt: ${name}`, data: { details: `Unknown prompt: ${name}` } });
  }
  for (const params of [{}, { name: 5 }, { name: null }]) expect((await link.request('prompts/get', params)).error?.code).toBe(-32602);
  const { error } = await link.request('prompts/get', { name: 'x'.repeat(100_000) });
  expect(JSON.stringify(error).length).toBeLessThan(1_000);
});
