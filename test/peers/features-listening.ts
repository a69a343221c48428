// The official client of the 2.x line listens for changes, as 2026-07-28 has it, to be driven over every transport.
import { Client, type ClientOptions, type Transport } from '@modelcontextprotocol/client';
import { describe, expect, it, vi } from 'vitest';

/** A way to the features fixture, which is begun for this one client. */
export interface Way {
  readonly transport: Transport;
  /** After the client has gone. */
  end(): Promise<void>;
}

const told = [
  'notifications/resources/updated',
  'notifications/tools/list_changed',
  'notifications/resources/list_changed',
  'notifications/prompts/list_changed',
] as const;

async function connectBy(way: () => Promise<Way>, options: ClientOptions = {}) {
  const client = new Client({ name: 'peer', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' }, ...options });
  const heard: string[] = [];
  const errors: Error[] = [];
  // At the end of a subscription we send notifications/cancelled and then its result, as the specification has both; this client
  // goes by the first and does not know the second any more.
  client.onerror = (error) => void (error.message.includes('unknown message ID: {"jsonrpc":"2.0","id":"listen:') || errors.push(error));
  if (options.listChanged === undefined) {
    for (const method of told) client.setNotificationHandler(method, () => void heard.push(method.replace('notifications/', '')));
  }
  const { transport, end } = await way();
  await client.connect(transport);
  const call = (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args });
  const close = async () => {
    await client.close();
    await end();
  };
  return { client, heard, errors, call, close };
}

/** `told` is how the client learns that a server leaves: by a message, or by the end of the stream that belongs to it. */
export function driveListening(title: string, told: 'remote' | 'graceful', way: () => Promise<Way>): void {
  const connect = (options?: ClientOptions) => connectBy(way, options);

  describe(title, () => {
    it('hears of changes while it listens, and only of what it asked for', async () => {
      const { client, heard, errors, call, close } = await connect();
      const filter = { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['note:///index'] };
      const subscription = await client.listen(filter);
      expect(subscription.honoredFilter).toEqual(filter);
      await call('touch', { uri: 'note:///logo' });
      await call('touch', { uri: 'note:///index' });
      await call('grow', { name: 'one' });
      await vi.waitFor(() => expect(heard).toEqual(['resources/updated', 'tools/list_changed', 'prompts/list_changed']), 60_000);
      await subscription.close();
      expect(await subscription.closed).toBe('local');
      await call('grow', { name: 'two' });
      expect((await client.listTools()).tools.at(-1)?.name).toBe('two');
      expect(heard).toHaveLength(3);
      await close();
      expect(errors).toEqual([]);
    });

    it('listens in two places at once', async () => {
      const { client, heard, errors, call, close } = await connect();
      const subscriptions = await Promise.all([
        client.listen({ resourcesListChanged: true }),
        client.listen({ resourcesListChanged: true }),
      ]);
      await call('grow', { name: 'one' });
      await vi.waitFor(() => expect(heard).toEqual(['resources/list_changed', 'resources/list_changed']), 60_000);
      for (const subscription of subscriptions) await subscription.close();
      await close();
      expect(errors).toEqual([]);
    });

    it('listens by itself when it was told what to do with changes', async () => {
      const names: string[] = [];
      const onChanged = (_error: Error | null, tools: readonly { name: string }[] | null) => void names.push(tools?.at(-1)?.name ?? '');
      const { errors, call, close } = await connect({ listChanged: { tools: { autoRefresh: true, debounceMs: 0, onChanged } } });
      await call('grow', { name: 'one' });
      await vi.waitFor(() => expect(names).toEqual(['one']), 60_000);
      await close();
      expect(errors).toEqual([]);
    });

    it('is told by a server that leaves', async () => {
      const { client, errors, call, close } = await connect();
      const subscription = await client.listen({ toolsListChanged: true });
      await call('leave');
      expect(await subscription.closed).toBe(told);
      await close();
      expect(errors).toEqual([]);
    });
  });
}
