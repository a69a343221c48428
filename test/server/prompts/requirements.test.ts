// Prompts as the requirement lists have them: lists, messages filled in with arguments, changes.
import { describe, expect, it } from 'vitest';
import type { Server } from 'vivarium/server';
import { createWire } from 'vivarium/testing';
import { z } from 'zod';
import { legacy, matrix } from '../../matrix/matrix.ts';
import { ask, createServer, createSmall, handshake, modern, openWire, type Reply, text, turn } from '../fixture.ts';

const code = z.string().describe('The code to look at');

function createPrompts(pageSize = 100): Server {
  const { server } = createServer({ pageSize });
  server.prompt('code_review', { description: 'Looks over code', input: z.object({ code, focus: z.string().optional() }) }, (args) => ({
    description: `Review of ${args.code.length} characters`,
    messages: [
      { role: 'user', content: { type: 'text', text: `Please review this:\n${args.code}` } },
      { role: 'assistant', content: { type: 'text', text: JSON.stringify(args) } },
    ],
  }));
  server.prompt('greet', {}, () => 'Say hello');
  return server;
}

describe('the capability', () => {
  it('is declared where there are prompts, and only there', async () => {
    const { server } = createServer();
    const of = async () => (await ask(createWire(server), 'initialize', handshake())).result.capabilities.prompts;
    expect(await of()).toBeUndefined();
    const prompt = server.prompt('greet', {}, () => 'Say hello');
    expect(await of()).toEqual({ listChanged: true });
    prompt.remove();
    expect(await of()).toBeUndefined();
  });

  matrix('is what makes its methods exist', {}, async ({ connect }) => {
    const link = await connect(createSmall());
    for (const method of ['prompts/list', 'prompts/get']) {
      expect((await link.request(method, { name: 'greet' })).error?.code, method).toBe(-32601);
    }
    expect((await (await connect(createPrompts())).request('prompts/list')).error).toBeUndefined();
  });
});

describe('prompts/list', () => {
  matrix('gives an array of prompts with a name, and what else was said of them', {}, async ({ connect }) => {
    expect((await (await connect(createPrompts())).request('prompts/list')).result.prompts).toEqual([
      {
        name: 'code_review',
        description: 'Looks over code',
        arguments: [
          { name: 'code', description: 'The code to look at', required: true },
          { name: 'focus', required: false },
        ],
      },
      { name: 'greet' },
    ]);
  });

  matrix('comes in pages', {}, async ({ connect }) => {
    const link = await connect(createPrompts(1));
    const first = (await link.request('prompts/list')).result;
    expect(first.nextCursor).toEqual(expect.any(String));
    const second = (await link.request('prompts/list', { cursor: first.nextCursor })).result;
    expect([...first.prompts, ...second.prompts].map(({ name }) => name)).toEqual(['code_review', 'greet']);
    expect(second).not.toHaveProperty('nextCursor');
    expect((await link.request('prompts/list', { cursor: 'made up' })).error?.code).toBe(-32602);
  });
});

describe('prompts/get', () => {
  matrix('gives messages with a role and one block of content, the arguments filled in', {}, async ({ connect }) => {
    const link = await connect(createPrompts());
    const { result } = await link.request('prompts/get', { name: 'code_review', arguments: { code: 'def hello(): …' } });
    expect(result.description).toBe('Review of 14 characters');
    expect(result.messages).toEqual([
      { role: 'user', content: text('Please review this:\ndef hello(): …') },
      { role: 'assistant', content: text('{"code":"def hello(): …"}') },
    ]);
  });

  matrix('needs no description', {}, async ({ connect }) => {
    const { result } = await (await connect(createPrompts())).request('prompts/get', { name: 'greet' });
    expect(result.messages).toEqual([{ role: 'user', content: text('Say hello') }]);
    expect(result).not.toHaveProperty('description');
  });

  matrix('gives content of every type that the revision knows, and of no other', {}, async ({ connect, revision }) => {
    const { server } = createServer();
    const blocks = [
      { type: 'text', text: 'A' },
      { type: 'image', data: 'AQID', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'note:///a', text: 'A' } },
      { type: 'audio', data: 'AQID', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'note:///a', name: 'a' },
    ] as const;
    server.prompt('all', {}, () => blocks.map((content) => ({ role: 'user', content })));
    const { messages } = (await (await connect(server)).request('prompts/get', { name: 'all' })).result;
    expect(messages.map(({ content }: { content: { type: string } }) => content.type)).toEqual([
      'text',
      'image',
      'resource',
      revision === '2024-11-05' ? 'resource' : 'audio',
      revision < '2025-06-18' ? 'text' : 'resource_link',
    ]);
  });

  it.each([
    ['a role that nobody has', { role: 'system', content: text('A') }],
    ['no role', { content: text('A') }],
    ['no content', { role: 'user' }],
    ['a block of unknown type', { role: 'user', content: { type: 'video' } }],
  ])('never gives a message with %s', async (_, message) => {
    const { server, told } = createServer();
    server.prompt('odd', {}, () => message as never);
    expect((await ask(await openWire(server), 'prompts/get', { name: 'odd' })).error).toMatchObject({ code: -32603 });
    expect(told).toHaveLength(1);
  });

  matrix('refuses an unknown name, and arguments that do not fit', {}, async ({ connect }) => {
    const link = await connect(createPrompts());
    for (const params of [
      { name: 'nobody' },
      {},
      { name: 'code_review' },
      { name: 'code_review', arguments: {} },
      { name: 'code_review', arguments: { code: 5 } },
      { name: 'code_review', arguments: { focus: 'names' } },
    ]) {
      expect((await link.request('prompts/get', params)).error?.code, JSON.stringify(params)).toBe(-32602);
    }
  });
});

describe('notifications/prompts/list_changed', () => {
  matrix('is sent without parameters when the list changes', { revisions: legacy }, async ({ connect }) => {
    const server = createPrompts();
    await turn();
    const link = await connect(server);
    const prompt = server.prompt('new', {}, () => 'new');
    expect(await link.rest()).toEqual([{ jsonrpc: '2.0', method: 'notifications/prompts/list_changed' }]);
    prompt.remove();
    expect(await link.rest()).toHaveLength(1);
  });

  it('is sent in 2026-07-28 to those who listen for it', async () => {
    const server = createPrompts();
    await turn();
    const wire = createWire(server);
    const notifications = { promptsListChanged: true };
    wire.send({ jsonrpc: '2.0', id: 7, method: 'subscriptions/listen', params: { notifications, _meta: modern() } });
    const told = async () => ((await wire.next()) as Reply).method;
    expect(await told()).toBe('notifications/subscriptions/acknowledged');
    server.tool('other', {}, () => 'x');
    server.prompt('new', {}, () => 'new');
    expect(await told()).toBe('notifications/prompts/list_changed');
  });

  it('is sent to no one who was promised no prompts, or did not ask', async () => {
    const server = createSmall();
    await turn();
    const wire = await openWire(server);
    const now = createWire(server);
    await now.request('tools/list', { _meta: modern() });
    server.prompt('new', {}, () => 'new');
    for (const one of [wire, now]) expect(await one.quiet()).toEqual([]);
  });
});
