// A client that lasts: listeners that fail, subscriptions that cross, restarts that nobody calls into, and what comes after the end.
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Client, connect, type Warning } from '../../../src/client/index.ts';
import { beLegacy, beModern } from '../../fixtures/rude-manners.mjs';
import { connect as connectTo } from '../doors.ts';
import { restartable } from '../restarts.ts';
import { failureOf, type Line, type Manner, rudePipe, until } from '../rude.ts';
import { visit } from '../ways.ts';

async function opened(connecting: Promise<Client>): Promise<{ client: Client; warnings: Warning[] }> {
  const client = await connecting;
  onTestFinished(() => client.close());
  const warnings: Warning[] = [];
  client.on('warning', (warning) => warnings.push(warning));
  return { client, warnings };
}

it('A client of the older era that only listens notices that the server was restarted', async () => {
  const notes = await restartable(['2025-06-18']);
  const { client } = await opened(connectTo(notes.url));
  let heard = 0;
  await client.subscribe('note:///a', () => heard++);
  await notes.restart();
  const back = new Promise((resolve) => client.on('reconnected', resolve));
  await back;
  notes.server().resourceUpdated('note:///a');
  await until(() => heard === 1);
});

describe.each(['2025-06-18', '2026-07-28'] as const)('in %s', (revision) => {
  it('nothing can be asked of a client that is closed', async () => {
    const { client } = await visit('memory', { revisions: [revision] });
    await client.close();
    const asks = [
      () => client.listTools(),
      () => client.callTool('add', { a: 1, b: 2 }),
      () => client.readResource('note:///a'),
      () => client.subscribe('note:///a', () => undefined),
      () => client.setLogLevel('error'),
      () => client.ping(),
    ];
    for (const ask of asks) expect((await failureOf(ask())).code).toBe('ERR_CLOSED');
    expect(() => client.notify('notifications/roots/list_changed')).toThrow(expect.objectContaining({ code: 'ERR_CLOSED' }));
  });

  it('a listener of progress that fails does not fail the call', async () => {
    const { client } = await visit('memory', { revisions: [revision] });
    const warnings: Warning[] = [];
    client.on('warning', (warning) => warnings.push(warning));
    const onProgress = (): void => {
      throw new Error('mine');
    };
    expect((await client.callTool('steps', { steps: 2, ms: 1 }, { onProgress })).isError).toBe(false);
    expect(warnings).toHaveLength(2);
  });

  it('a listener of a subscription that fails does not keep the others from hearing', async () => {
    const { client } = await visit('memory', { revisions: [revision] });
    let heard = 0;
    await client.subscribe('note:///a', () => {
      throw new Error('mine');
    });
    await client.subscribe('note:///a', () => heard++);
    await client.callTool('touch', { uri: 'note:///a' });
    await until(() => heard === 1);
  });
});

describe('two subscriptions to the same resource at the same time', () => {
  const holding = (): { manner: Manner; held: Line[]; subscribed: () => number } => {
    const held: Line[] = [];
    let count = 0;
    const manner: Manner = (message, line) => {
      if (message.method !== 'resources/subscribe') return message.id === undefined ? undefined : beLegacy(message, line);
      count++;
      held.push(line);
    };
    return { manner, held, subscribed: () => count };
  };

  it('are both made when the server has said so, and not before', async () => {
    const { manner, held } = holding();
    const { client } = await opened(connect(rudePipe(manner)));
    let made = 0;
    const both = ['one', 'two'].map(() => client.subscribe('note:///a', () => undefined).then(() => made++));
    await client.ping();
    expect(made).toBe(0);
    for (const line of held) line.answer({});
    await Promise.all(both);
  });

  it('are both refused when the server refuses', async () => {
    const { manner, held } = holding();
    const { client } = await opened(connect(rudePipe(manner)));
    const both = ['one', 'two'].map(() => failureOf(client.subscribe('note:///a', () => undefined)));
    await client.ping();
    for (const line of held) line.refuse(-32602, 'No such resource');
    for (const error of await Promise.all(both)) expect(error.code).toBe(-32602);
  });
});

it('A listening request that the server ends is made again', async () => {
  const open: Line[] = [];
  const manner: Manner = (message, line) => {
    if (message.method !== 'subscriptions/listen') return message.id === undefined ? undefined : beModern(message, line);
    open.push(line);
    const _meta = { 'io.modelcontextprotocol/subscriptionId': message.id };
    line.say({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { _meta, notifications: {} } });
  };
  const { client } = await opened(connect(rudePipe(manner)));
  await client.subscribe('note:///a', () => undefined);
  open[0]?.answer({ resultType: 'complete' });
  await until(() => open.length === 2);
});

it('A server that answers nothing of the kind to a listening request is an error, and no hang', async () => {
  const manner: Manner = (message, line) =>
    message.method === 'subscriptions/listen' ? line.answer({ resultType: 'complete' }) : beModern(message, line);
  const { client } = await opened(connect(rudePipe(manner)));
  await failureOf(client.subscribe('note:///a', () => undefined));
  await client.ping();
});

it('A listener for changed lists of a server that does not announce them costs nothing but a warning', async () => {
  const { client, warnings } = await opened(connect(rudePipe(beModern)));
  client.on('listChanged', () => undefined);
  await until(() => warnings.length > 0);
  expect(warnings).toMatchObject([{ code: 'subscription' }]);
  await client.ping();
});
