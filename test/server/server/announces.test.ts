// A server that tells its clients nothing they did not ask for, and says so.
import { expect, it } from 'vitest';
import type { Server } from 'vivarium/server';
import { legacy, matrix } from '../../matrix/matrix.ts';
import { createSmall } from '../fixture.ts';

function createQuiet(announces: boolean | 'denied'): Server {
  const server = createSmall({ announces });
  server.resource('note:///a', { name: 'a' }, () => 'a');
  server.prompt('tell', {}, () => 'Tell');
  server.tool('loud', {}, (_, ctx) => {
    ctx.log.error('heard?');
    server.resourceUpdated('note:///a');
    return 'done';
  });
  return server;
}

const silent = { tools: {}, resources: {}, prompts: {} };
const denied = {
  tools: { listChanged: false },
  resources: { subscribe: false, listChanged: false },
  prompts: { listChanged: false },
};

matrix('announces false declares nothing of changes and logs, and denied declares them false', {}, async ({ connect, revision }) => {
  for (const [announces, expected] of [
    [false, silent],
    ['denied', denied],
  ] as const) {
    const link = await connect(createQuiet(announces), { bare: true });
    const { result } = revision === '2026-07-28' ? await link.request('server/discover') : await link.initialize();
    expect(result.capabilities).toEqual(expected);
  }
});

matrix(
  'announces false says nothing when something changes, and knows no way to ask for it',
  { revisions: legacy },
  async ({ connect }) => {
    const server = createQuiet(false);
    const link = await connect(server);
    server.tool('late', {}, () => 'late');
    expect((await link.call('loud')).result.content[0].text).toBe('done');
    for (const [method, params] of [
      ['resources/subscribe', { uri: 'note:///a' }],
      ['resources/unsubscribe', { uri: 'note:///a' }],
      ['logging/setLevel', { level: 'debug' }],
    ] as const) {
      expect((await link.request(method, params)).error?.code, method).toBe(-32601);
    }
    expect(await link.rest()).toEqual([]);
  },
);

matrix('announces false honours nothing that a listener asks for', { revisions: ['2026-07-28'] }, async ({ connect }) => {
  const server = createQuiet(false);
  const link = await connect(server);
  const asked = { toolsListChanged: true, resourceSubscriptions: ['note:///a'] };
  link.start('subscriptions/listen', { notifications: asked });
  const { params } = await link.notification('notifications/subscriptions/acknowledged');
  expect(params.notifications).toEqual({});
  server.tool('late', {}, () => 'late');
  await link.call('loud');
  expect(await link.rest()).toEqual([]);
});

it('announces is true, false or denied', () => {
  expect(() => createSmall({ announces: 'maybe' as never })).toThrow('announces must be one of true, false, denied, got maybe');
});
