// Every method a server knows in a revision, used once, on any link.
import { expect } from 'vitest';
import type { Link, Message } from './link.ts';

/** What the client declares on the tour. */
export const tourCapabilities: object = { roots: {}, sampling: {}, elicitation: { form: {}, url: {} } };

const answers: Readonly<Record<string, object>> = {
  'elicitation/create': { action: 'accept', content: { name: 'Ada' } },
  'sampling/createMessage': { role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'm1' },
  'roots/list': { roots: [{ uri: 'file:///home' }] },
};

/**
 * What a legacy client cannot have where nothing is remembered between its requests: what needs to know what it can do, to find it
 * again, or to find a call of it.
 */
export const remembered: RegExp =
  /subscribe$|list_changed$|updated$|^roots\/list$|^sampling\/|^elicitation\/|elicitation\/complete$|cancelled$/;

/** Gives the methods that were seen to work, in both directions; `alone` where a server keeps no sessions. */
export async function tour(link: Link, alone = false): Promise<Set<string>> {
  const seen = new Set<string>();
  const ask = async (method: string, params: object = {}, meta?: object): Promise<Message['result']> => {
    const { result, error } = await link.request(method, params, meta);
    expect(error).toBeUndefined();
    seen.add(method);
    return result;
  };
  const told = async (method: string): Promise<Message> => {
    const message = await link.notification(method);
    seen.add(method);
    return message;
  };
  if (link.modern) await ask('server/discover');
  else {
    // The link has made its handshake already.
    for (const method of ['initialize', 'notifications/initialized']) seen.add(method);
    await ask('ping');
    await ask('logging/setLevel', { level: 'debug' });
    if (!alone) await ask('resources/subscribe', { uri: 'tour:///index' });
  }
  expect((await ask('tools/list')).tools).toHaveLength(10);
  expect((await ask('tools/call', { name: 'echo', arguments: { text: 'hi' } })).content[0].text).toBe('hi');
  expect((await ask('resources/list')).resources).toHaveLength(1);
  expect((await ask('resources/templates/list')).resourceTemplates).toHaveLength(1);
  expect((await ask('resources/read', { uri: 'tour:///notes/one' })).contents[0].text).toBe('one');
  expect((await ask('prompts/list')).prompts).toHaveLength(1);
  expect((await ask('prompts/get', { name: 'greet', arguments: { name: 'Ada' } })).messages).toHaveLength(1);
  const ref = { type: 'ref/resource', uri: 'tour:///notes/{id}' };
  expect((await ask('completion/complete', { ref, argument: { name: 'id', value: 't' } })).completion.values).toEqual(['two']);
  await ask('tools/call', { name: 'steps' }, { progressToken: 'p' });
  await told('notifications/progress');
  await ask('tools/call', { name: 'log' }, link.modern ? { 'io.modelcontextprotocol/logLevel': 'debug' } : {});
  await told('notifications/message');
  if (alone && !link.modern) return seen;
  await changes(link, ask, told, seen);
  const waiting = link.start('tools/call', { name: 'wait' });
  link.notify('notifications/cancelled', { requestId: waiting });
  expect((await link.rest()).filter((message) => message.id === waiting)).toEqual([]);
  seen.add('notifications/cancelled');
  await asks(link, seen);
  return seen;
}

type Ask = (method: string, params?: object, meta?: object) => Promise<Message['result']>;

async function changes(link: Link, ask: Ask, told: (method: string) => Promise<Message>, seen: Set<string>): Promise<void> {
  const all = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true, resourceSubscriptions: ['tour:///index'] };
  const listening = link.modern ? link.start('subscriptions/listen', { notifications: all }) : undefined;
  if (listening !== undefined) {
    expect((await told('notifications/subscriptions/acknowledged')).params.notifications).toEqual(all);
    seen.add('subscriptions/listen');
  }
  await ask('tools/call', { name: 'change' });
  for (const of of ['tools', 'prompts', 'resources']) await told(`notifications/${of}/list_changed`);
  await ask('tools/call', { name: 'touch' });
  expect((await told('notifications/resources/updated')).params.uri).toBe('tour:///index');
  if (listening === undefined) await ask('resources/unsubscribe', { uri: 'tour:///index' });
  else link.notify('notifications/cancelled', { requestId: listening });
}

async function asks(link: Link, seen: Set<string>): Promise<void> {
  const { revision } = link;
  for (const [tool, method, text] of [
    ['roots', 'roots/list', 'file:///home'],
    ['sample', 'sampling/createMessage', 'm1'],
    ['ask', 'elicitation/create', 'Hello, Ada'],
    ['ask_url', 'elicitation/create', 'accept'],
  ] as const) {
    if (method === 'elicitation/create' && revision < (tool === 'ask' ? '2025-06-18' : '2025-11-25')) continue;
    const answer = link.modern ? await inRounds(link, tool, method) : await inPlace(link, tool, method);
    expect(answer.result.content[0].text).toBe(text);
    seen.add(method);
    if (tool !== 'ask_url' || link.modern) continue;
    await link.notification('notifications/elicitation/complete');
    seen.add('notifications/elicitation/complete');
  }
}

async function inPlace(link: Link, tool: string, method: string): Promise<Message> {
  const id = link.start('tools/call', { name: tool });
  const question = await link.notification(method);
  link.send({ jsonrpc: '2.0', id: question.id, result: answers[method] });
  return link.answer(id);
}

async function inRounds(link: Link, tool: string, method: string): Promise<Message> {
  const { result } = await link.call(tool);
  expect(result.resultType).toBe('input_required');
  const [[key, question]] = Object.entries(result.inputRequests) as [[string, { method: string }]];
  expect(question.method).toBe(method);
  return link.request('tools/call', {
    name: tool,
    arguments: {},
    inputResponses: { [key]: answers[method] },
    requestState: result.requestState,
  });
}
