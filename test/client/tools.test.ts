// Results of tools: what a model is shown, how structured values are checked, and which arguments travel in headers.
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { type Client, connect, modelView, type Warning } from '../../src/client/index.ts';
import { beLegacy, beModern } from '../fixtures/rude-manners.mjs';
import { connect as connectTo } from './doors.ts';
import { type Any, failureOf, type Manner, rudeHttp, rudePipe } from './rude.ts';

const text = (of: string) => ({ type: 'text' as const, text: of });
const picture = { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' };

describe('a model is shown', () => {
  it('content where there is nothing else', () => expect(modelView({ content: [text('a'), picture] })).toEqual([text('a'), picture]));

  it('content that says what the structured value says, whatever the order of its keys', () => {
    const content = [text('{ "b": [1, {"c": null}], "a": 1 }')];
    expect(modelView({ content, structuredContent: { a: 1, b: [1, { c: null }] } })).toEqual(content);
  });

  it('the structured value where content says something else, and pictures beside it', () => {
    const shown = modelView({ content: [text('two things'), picture], structuredContent: { a: 1 } });
    expect(shown).toEqual([text('{"a":1}'), picture]);
  });

  it('the structured value where there is no content', () =>
    expect(modelView({ content: [], structuredContent: { a: [1, 2] } })).toEqual([text('{"a":[1,2]}')]));

  it.each([null, 0, '', false, [], {}])('a structured value that is hardly one: %j', (structuredContent) => {
    const shown = modelView({ content: [], structuredContent: structuredContent as never });
    expect(shown).toEqual([text(JSON.stringify(structuredContent))]);
  });

  it('something, always', () => {
    expect(modelView({ content: [] })).toHaveLength(1);
    expect(modelView({} as never)).toHaveLength(1);
    expect(modelView({ content: [], isError: true })).not.toEqual(modelView({ content: [] }));
  });

  it('each thing once: text that holds the value among other blocks', () => {
    const content = [text('{"a":1}'), picture];
    expect(modelView({ content, structuredContent: { a: 1 } })).toEqual(content);
  });
});

interface Met {
  readonly client: Client;
  readonly warnings: Warning[];
}

async function met(connecting: Promise<Client>): Promise<Met> {
  const client = await connecting;
  onTestFinished(() => client.close());
  const warnings: Warning[] = [];
  client.on('warning', (warning) => warnings.push(warning));
  return { client, warnings };
}

const offering = (tools: object[], result: object): Manner => {
  return (message, line) => {
    if (message.method === 'tools/list') line.answer({ tools });
    else if (message.method === 'tools/call') line.answer(result);
    else beLegacy(message, line);
  };
};
const tool = (outputSchema: unknown) => ({ name: 'sum', inputSchema: { type: 'object' }, outputSchema });
const sum = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };

it('does not call a tool that runs as a task only', async () => {
  const { client } = await met(connect(rudePipe(offering([{ ...tool(sum), execution: { taskSupport: 'required' } }], { content: [] }))));
  await client.listTools();
  expect((await failureOf(client.callTool('sum'))).message).toContain('as a task only');
});

describe('a structured value', () => {
  const meet = (schema: unknown, result: object): Promise<Met> => met(connect(rudePipe(offering([tool(schema)], result))));

  it('that fits the schema of the server is given', async () => {
    const { client } = await meet(sum, { content: [], structuredContent: { sum: 1 } });
    await client.listTools();
    expect((await client.callTool('sum')).structuredContent).toEqual({ sum: 1 });
  });

  it.each([{ structuredContent: { sum: 'one' } }, { structuredContent: {} }, {}])('that breaks it is refused: %j', async (result) => {
    const { client } = await meet(sum, { content: [], ...result });
    await client.listTools();
    expect((await failureOf(client.callTool('sum'))).code).toBe('ERR_INVALID_RESULT');
  });

  it('is not wanted of a failure', async () => {
    const { client } = await meet(sum, { content: [text('it broke')], isError: true });
    await client.listTools();
    expect((await client.callTool('sum')).isError).toBe(true);
  });

  it.each([
    ['a reference to the network', { $ref: 'https://example.invalid/schema.json' }],
    ['a reference to nothing', { type: 'object', properties: { sum: { $ref: '#/$defs/none' } } }],
    ['an unknown type', { type: 'thing' }],
    ['a dialect of old', { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' }],
    ['no object', 'object'],
    ['null', null],
    ['a pattern of nothing but brackets', { properties: { sum: { pattern: '('.repeat(333) + '+'.repeat(333) + ')'.repeat(333) } } }],
    [
      'far too many choices',
      { anyOf: Array.from({ length: 10_000 }, (_, n) => ({ type: 'object', properties: { [`p${n}`]: { const: n } } })) },
    ],
  ])('is given unchecked where the schema is of no use, with one warning: %s', async (_what, schema) => {
    const { client, warnings } = await meet(schema, { content: [], structuredContent: { sum: 1 } });
    await client.listTools();
    for (let time = 0; time < 3; time++) expect((await client.callTool('sum')).structuredContent).toEqual({ sum: 1 });
    expect(warnings).toEqual([{ code: 'schema', message: expect.stringContaining('"sum"') }]);
  });

  const long = 'a'.repeat(40);
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [
      `d${n}`,
      n === 39 ? {} : { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
    ]),
  );
  it.each([
    ['a repetition in a repetition', { properties: { text: { pattern: '^(a+)+$' } } }, { text: `${long}b` }],
    ['choices that overlap', { properties: { text: { pattern: '^(a|a)*$' } } }, { text: `${long}b` }],
    ['many repetitions in a row', { properties: { text: { pattern: `^${'a*'.repeat(9)}$` } } }, { text: `${'a'.repeat(300)}b` }],
    ['references that double', { $ref: '#/$defs/d0', $defs: doubling }, {}],
  ])('is given unchecked where the check would take for ever, with one warning: %s', async (_what, schema, structuredContent) => {
    const { client, warnings } = await meet({ type: 'object', ...schema }, { content: [], structuredContent });
    await client.listTools();
    for (let time = 0; time < 3; time++) expect((await client.callTool('sum')).structuredContent).toEqual(structuredContent);
    expect(warnings).toEqual([{ code: 'schema', message: expect.stringContaining('takes too long') }]);
  });

  it('is checked where twenty thousand items must differ', async () => {
    const items = Array.from({ length: 20_000 }, (_, n) => ({ n: { n } }));
    const result = { content: [], structuredContent: { list: items } };
    const { client, warnings } = await meet({ type: 'object', properties: { list: { uniqueItems: true } } }, result);
    await client.listTools();
    expect((await client.callTool('sum')).structuredContent).toEqual({ list: items });
    items.push({ n: { n: 7 } });
    expect((await failureOf(client.callTool('sum'))).message).toContain('items ## 7 and 20000 are identical');
    expect(warnings).toEqual([]);
  });

  it.each(['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2019-09/schema'])(
    'is checked by a schema of %s',
    async ($schema) => {
      const { client } = await meet({ $schema, ...sum }, { content: [], structuredContent: { sum: 'one' } });
      await client.listTools();
      expect((await failureOf(client.callTool('sum'))).code).toBe('ERR_INVALID_RESULT');
    },
  );

  it('is checked and typed by a schema of the caller', async () => {
    const { client } = await meet(undefined, { content: [], structuredContent: { sum: '7' } });
    const output = z.object({ sum: z.coerce.number() });
    expect((await client.callTool('sum', {}, { output })).structuredContent?.sum).toBe(7);
    const error = await failureOf(client.callTool('sum', {}, { output: z.object({ sum: z.boolean() }) }));
    expect(error.code).toBe('ERR_INVALID_RESULT');
    expect(error.message).toContain('sum');
    expect((await failureOf(client.callTool('sum', {}, { output: sum }))).code).toBe('ERR_INVALID_RESULT');
  });

  it('is missing where the tool gives none, or the revision has none, and that is what is said', async () => {
    const output = z.object({ sum: z.number() });
    const { client } = await meet(undefined, { content: [text('{"sum":1}')] });
    const error = await failureOf(client.callTool('sum', {}, { output }));
    expect([error.code, error.message]).toEqual([
      'ERR_INVALID_RESULT',
      'The result of "sum" does not fit: it has no structuredContent; read its content instead',
    ]);
    const old = await connect(
      rudePipe((message, line) =>
        message.method === 'initialize'
          ? line.answer({ protocolVersion: '2025-03-26', capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } })
          : beLegacy(message, line),
      ),
    );
    onTestFinished(() => old.close());
    expect((await failureOf(old.callTool('echo', {}, { output }))).message).toContain(
      'no structuredContent, which 2025-03-26 does not have',
    );
  });
});

describe('results that are none of the method break the protocol', () => {
  const answering =
    (method: string, result: object): Manner =>
    (message, line) =>
      message.method === method ? line.answer(result) : beLegacy(message, line);

  it.each([
    ['resources/read', (client: Client) => client.readResource('note:///a')],
    ['prompts/get', (client: Client) => client.getPrompt('greet')],
    ['completion/complete', (client: Client) => client.complete({ type: 'ref/prompt', name: 'a' }, { name: 'b', value: '' })],
    ['prompts/list', (client: Client) => client.listPrompts()],
    ['resources/list', (client: Client) => client.listResources()],
    ['resources/templates/list', (client: Client) => client.listResourceTemplates()],
  ] as const)('%s', async (method, ask) => {
    const { client } = await met(connect(rudePipe(answering(method, { nothing: true }))));
    expect((await failureOf(ask(client))).code).toBe('ERR_PROTOCOL');
  });
});

describe('over HTTP in 2026-07-28', () => {
  const schema = {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      count: { type: 'integer', 'x-mcp-header': 'Count' },
      deep: { type: 'object', properties: { flag: { type: 'boolean', 'x-mcp-header': 'Flag' } } },
      plain: { type: 'string' },
    },
  };
  const broken = { type: 'object', properties: { list: { type: 'array', 'x-mcp-header': 'List' } } };
  const tools = [
    { name: 'route', inputSchema: schema },
    { name: 'broken', inputSchema: broken },
    { name: 'plain', inputSchema: { type: 'object' } },
  ];
  const serving: Manner = (message, line) =>
    message.method === 'tools/list'
      ? line.answer({ resultType: 'complete', tools, ttlMs: 0, cacheScope: 'private' })
      : beModern(message, line);

  it('arguments are repeated in headers where the schema says so, and nothing else is', async () => {
    const server = await rudeHttp(serving);
    const { client } = await met(connectTo(server.url));
    await client.callTool('route', { region: 'eu west/ü', count: 3, deep: { flag: true }, plain: 'p' });
    const { headers } = server.heard.at(-1) as Any;
    expect(headers['mcp-param-region']).toMatch(/^=\?base64\?/);
    expect(headers['mcp-param-count']).toBe('3');
    expect(headers['mcp-param-flag']).toBe('true');
    expect(headers['mcp-name']).toBe('route');
    expect(Object.keys(headers).filter((name) => name.startsWith('mcp-param-'))).toHaveLength(3);
    await client.callTool('route', { region: null });
    expect((server.heard.at(-1) as Any).headers['mcp-param-region']).toBeUndefined();
  });

  it('a tool whose headers are wrong is dropped with a warning, and the others stay', async () => {
    const server = await rudeHttp(serving);
    const { client, warnings } = await met(connectTo(server.url));
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['route', 'plain']);
    expect(warnings).toEqual([{ code: 'tool-dropped', message: expect.stringContaining('"broken"') }]);
    await expect(client.callTool('broken')).rejects.toMatchObject({ code: 'ERR_PROTOCOL' });
    expect(server.heard.some(({ message }) => message.params?.name === 'broken')).toBe(false);
  });

  it('on a pipe nothing is dropped', async () => {
    const { client, warnings } = await met(connect(rudePipe(serving)));
    expect(await client.listTools()).toHaveLength(3);
    expect(warnings).toEqual([]);
  });

  it('a mismatch leads to one more look at the schema, and one more call', async () => {
    let calls = 0;
    const server = await rudeHttp(serving, (message, response) => {
      if (message?.method !== 'tools/call' || ++calls > 1) return false;
      const error = { code: -32020, message: 'Header mismatch' };
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error }));
      return true;
    });
    const { client } = await met(connectTo(server.url));
    expect((await client.callTool('plain', { a: 1 })).content).toEqual([text('{"a":1}')]);
    expect(server.heard.map(({ message }) => message.method)).toEqual([
      'server/discover',
      'tools/list',
      'tools/call',
      'tools/list',
      'tools/call',
    ]);
  });
});
