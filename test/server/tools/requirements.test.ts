// Tools as the requirement lists have them: the example with the weather, and both forms of a structured value.
import { decode } from '@toon-format/toon';
import { describe, expect, it } from 'vitest';
import { createWire } from 'vivarium/testing';
import { z } from 'zod';
import { matrix, since } from '../../matrix/matrix.ts';
import { ask, createServer, modern, openWire, type Reply, text, turn } from '../fixture.ts';

const location = { type: 'string', description: 'City name or postal code' } as const;
const input = { type: 'object', properties: { location }, required: ['location'] } as const;

function createWeather(): ReturnType<typeof createServer>['server'] {
  const { server } = createServer({ pageSize: 1 });
  server.tool('get_weather', { description: 'Weather of a place', input }, ({ location: place }) => `${place}: 22 °C, 湿度 40 %, 🌤`);
  server.tool('get_tide', {}, () => 'low');
  return server;
}

describe('the example', () => {
  it('is listed with its description and schema, and a string says that there is more', async () => {
    const wire = await openWire(createWeather());
    await wire.quiet();
    wire.send('{"jsonrpc":"2.0","id":"123","method":"tools/list"}\n');
    const [answer, ...rest] = (await wire.quiet()) as Reply[];
    expect(rest).toEqual([]);
    expect(answer).toEqual({
      jsonrpc: '2.0',
      id: '123',
      result: {
        tools: [{ name: 'get_weather', description: 'Weather of a place', inputSchema: input }],
        nextCursor: expect.any(String),
      },
    });
    const { result } = await ask(wire, 'tools/list', { cursor: answer?.result.nextCursor });
    expect(result.tools).toMatchObject([{ name: 'get_tide' }]);
    expect(result).not.toHaveProperty('nextCursor');
  });

  matrix('is called, and characters of every size come back', {}, async ({ connect }) => {
    const link = await connect(createWeather());
    const { result } = await link.call('get_weather', { location: 'Zürich 🏔' });
    expect(result).toMatchObject({ content: [text('Zürich 🏔: 22 °C, 湿度 40 %, 🌤')], isError: false });
  });
});

describe('a structured value', () => {
  const output = z.object({ rows: z.array(z.object({ id: z.number(), name: z.string() })) });
  const value = { rows: Array.from({ length: 6 }, (_, id) => ({ id, name: `name ${id}` })) };

  matrix('is JSON, whatever its text is written in', { revisions: since('2025-06-18') }, async ({ connect }) => {
    const { server } = createServer();
    for (const format of ['json', 'toon'] as const) server.tool(format, { output, text: format }, () => value);
    const link = await connect(server);
    for (const [format, read] of [
      ['json', JSON.parse],
      ['toon', decode],
    ] as const) {
      const { result } = await link.call(format);
      expect(result.structuredContent).toEqual(value);
      expect(read(result.content[0].text)).toEqual(value);
    }
  });
});

it('a change of the list is told in 2026-07-28 to those who listen for it', async () => {
  const server = createWeather();
  await turn();
  const wire = createWire(server);
  const notifications = { toolsListChanged: true };
  wire.send({ jsonrpc: '2.0', id: 0, method: 'subscriptions/listen', params: { notifications, _meta: modern() } });
  expect(await wire.next()).toMatchObject({ method: 'notifications/subscriptions/acknowledged', params: { notifications } });
  server.tool('get_moon', {}, () => 'full');
  expect(await wire.next()).toEqual({
    jsonrpc: '2.0',
    method: 'notifications/tools/list_changed',
    params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 0 } },
  });
});
