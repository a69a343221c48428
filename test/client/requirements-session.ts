// A client that uses everything a server has, and what it said meanwhile.
import { onTestFinished } from 'vitest';
import type { Revision } from 'vivarium';
import { serveMemory } from 'vivarium/serve/memory';
import { type Client, type ClientOptions, connect } from '../../src/client/index.ts';
import { createGuest } from '../fixtures/rude-guest.mjs';
import { type Any, failureOf, type Manner, type RudeChannel, rudePipe } from './rude.ts';

export const handlers: NonNullable<ClientOptions['handlers']> = {
  elicit: () => ({ action: 'accept', content: { sure: true } }),
  sample: () => ({ role: 'assistant', content: { type: 'text', text: 'Paris' }, model: 'm-1', stopReason: 'endTurn' }),
  roots: () => [{ uri: 'file:///home/ada', name: 'Home' }],
};

export interface Talked {
  readonly client: Client;
  /** Messages of the client, in their order. */
  readonly sent: Any[];
}

/** To a server of that revision alone, in this process. */
export async function talkTo(revision: Revision, options: ClientOptions = {}): Promise<Talked> {
  const sent: Any[] = [];
  const tap: ClientOptions['tap'] = ({ direction, message }) => direction === 'out' && sent.push(structuredClone(message));
  const client = await connect(serveMemory(createGuest({ revisions: [revision] })), { tap, handlers, ...options });
  onTestFinished(() => client.close());
  return { client, sent };
}

/** Every method there is, questions, an aborted call, and an unknown tool. */
export async function useEverything(client: Client): Promise<void> {
  await client.setLogLevel('error');
  await Promise.all([client.listTools(), client.listResources(), client.listResourceTemplates(), client.listPrompts(), client.ping()]);
  await client.callTool('add', { a: 1, b: 2 }, { onProgress: () => undefined, logLevel: 'info' });
  await client.readResource('note:///a');
  await client.getPrompt('greet', { name: 'Ada' });
  await client.complete({ type: 'ref/prompt', name: 'greet' }, { name: 'name', value: 'A' });
  for (const name of [...(client.revision >= '2025-06-18' ? ['ask'] : []), 'think', 'where']) await client.callTool(name);
  const subscription = await client.subscribe('note:///a', () => undefined);
  await subscription[Symbol.asyncDispose]();
  const abort = new AbortController();
  const aborted = failureOf(client.callTool('wait', {}, { signal: abort.signal }));
  abort.abort();
  await aborted;
  await failureOf(client.callTool('nobody'));
  if (client.era === 'legacy') client.notify('notifications/roots/list_changed');
}

/** A server that is a function, greeted by the handshake. */
export async function greet(manner: Manner, options: ClientOptions = {}): Promise<{ client: Client; channel: RudeChannel }> {
  const channel = rudePipe(manner);
  const client = await connect(channel, { revision: '2025-06-18', ...options });
  onTestFinished(() => client.close());
  return { client, channel };
}

/** Once everything that was said has been heard, and answered where it is. */
export const settled = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 5));
