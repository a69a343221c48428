// The surface of the Pharo guide, on Amber: what the guide shows, and what it promises.
import { expect, it } from 'vitest';
import { type Live, smalltalk } from 'vivarium/live';
import { createTestClient, createWire } from 'vivarium/testing';
import { matrix } from '../../../matrix/matrix.ts';
import { openSurface, said, shareSurface, speaker } from '../../surface.ts';

const open = (more: object = {}): Live => openSurface({ surface: 'pharo', engines: [smalltalk()], single: false, ...more });
const shared = shareSurface({ surface: 'pharo', engines: [smalltalk()] });
const className = { name: 'className', description: 'The class to review', required: true };

matrix('the surface pharo offers what the guide lists, with each capability denied that it has not', {}, async ({ connect, revision }) => {
  const link = await connect(shared().server, { bare: true });
  const { result } = revision === '2026-07-28' ? await link.request('server/discover') : await link.initialize();
  expect(result.capabilities).toEqual({
    tools: { listChanged: false },
    resources: { subscribe: false, listChanged: false },
    prompts: { listChanged: false },
  });
  const expression = { type: 'string', description: 'Pharo expression to evaluate' };
  expect((await link.request('tools/list')).result.tools).toEqual([
    {
      name: 'evaluate',
      description: 'Evaluate a Pharo expression',
      inputSchema: { type: 'object', properties: { expression }, required: ['expression'] },
    },
  ]);
  expect((await link.request('resources/list')).result.resources).toEqual([
    { uri: 'pharo://system/version', name: 'System Version', description: 'Current Pharo version', mimeType: 'text/plain' },
  ]);
  expect((await link.request('resources/templates/list')).result.resourceTemplates).toEqual([
    {
      uriTemplate: 'pharo://class/{className}',
      name: 'Class Details',
      description: 'Get details for a Pharo class',
      mimeType: 'application/json',
    },
  ]);
  expect((await link.request('prompts/list')).result.prompts).toEqual([
    { name: 'review-class', description: 'Review a Pharo class', arguments: [className] },
  ]);
  for (const method of ['resources/subscribe', 'logging/setLevel', 'completion/complete', 'unknown/method']) {
    const asked = await link.request(method, { uri: 'pharo://system/version' });
    expect(asked.error).toEqual({ code: -32601, message: `Method not found: ${method}` });
  }
});

matrix('the surface pharo answers the print string alone, and what fails as Error:', {}, async ({ connect }) => {
  const evaluate = speaker(await connect(shared().server), 'evaluate', 'expression');
  expect(await evaluate('3 + 4')).toEqual({ text: '7', isError: false });
  expect(await evaluate("'fern' , 's'")).toEqual({ text: "'ferns'", isError: false });
  expect(await evaluate('x := 41')).toEqual({ text: '41', isError: false });
  expect(await evaluate('x + 1')).toEqual({ text: '42', isError: false });
  expect(await evaluate('undefinedThing bar')).toMatchObject({ text: expect.stringMatching(/^Error: .*undefinedThing/), isError: true });
  expect(await evaluate('nil foo')).toMatchObject({ text: expect.stringMatching(/^Error: .*#foo/), isError: true });
  expect(await evaluate("Error signal: 'out of tea'")).toEqual({ text: 'Error: out of tea', isError: true });
  expect(await evaluate('3 + ')).toMatchObject({ text: expect.stringMatching(/^Error: ./), isError: true });
});

matrix('the surface pharo reads the version of the image and the details of a class', {}, async ({ connect, revision }) => {
  const link = await connect(shared().server);
  const read = (uri: string) => link.request('resources/read', { uri });
  const [version] = (await read('pharo://system/version')).result.contents;
  expect(version).toEqual({
    uri: 'pharo://system/version',
    mimeType: 'text/plain',
    type: 'text',
    text: expect.stringMatching(/^\w+ \d+\.\d+/),
  });
  const [found] = (await read('pharo://class/OrderedCollection')).result.contents;
  expect(found).toMatchObject({ uri: 'pharo://class/OrderedCollection', mimeType: 'application/json', type: 'text' });
  expect(JSON.parse(found.text)).toMatchObject({ name: 'Array', superclass: 'SequenceableCollection', package: 'Kernel-Collections' });
  const notFound = { code: revision === '2026-07-28' ? -32602 : -32002, data: { uri: 'pharo://class/Nobody' } };
  expect((await read('pharo://class/Nobody')).error).toMatchObject(notFound);
  expect((await read('pharo://class/x%20:=%201')).error).toMatchObject({ code: notFound.code });
});

matrix('the surface pharo resolves the prompt of the guide', {}, async ({ connect }) => {
  const link = await connect(shared().server);
  const { result } = await link.request('prompts/get', { name: 'review-class', arguments: { className: 'OrderedCollection' } });
  expect(result).toMatchObject({
    description: 'Code review for OrderedCollection',
    messages: [{ role: 'user', content: { type: 'text', text: 'Please review the class OrderedCollection.' } }],
  });
  expect((await link.request('prompts/get', { name: 'review-class' })).error).toMatchObject({ code: -32602 });
});

it('the surface pharo shows a class as it is after it was changed, and what is on the Transcript beside the value', async () => {
  await using client = await createTestClient(open().server);
  const evaluate = (expression: string) => client.callTool('evaluate', { expression });
  await evaluate("Object subclass: #Fern slots: {#height} package: 'Garden'");
  await evaluate("Fern compile: 'height ^height ifNil: [ 0 ]' protocol: 'accessing'");
  const { contents } = await client.readResource('pharo://class/Fern');
  expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({
    name: 'Fern',
    superclass: 'Object',
    package: 'Garden',
    instanceVariables: ['height'],
    methods: { accessing: ['height'] },
    classMethods: {},
  });
  const { content } = await evaluate("Transcript show: 'grown'. Fern new height");
  expect(content).toEqual([
    { type: 'text', text: '0' },
    { type: 'text', text: 'Transcript:\ngrown' },
  ]);
});

it('the surface pharo says beside the value what was lost with an image, and stops what is cancelled', async () => {
  await using client = await createTestClient(open({ limits: { timeoutMs: 5_000 } }).server);
  const evaluate = async (expression: string): Promise<string> => said({ result: await client.callTool('evaluate', { expression }) }).text;
  expect(await evaluate('kept := 7')).toBe('7');
  expect(await evaluate('[ true ] whileTrue: [ ]')).toMatch(/^Error: It took too long and was stopped\. .* kept\.$/);
  expect(await evaluate('kept')).toBe('7');
  expect(await evaluate('process exit: 3')).toMatch(/^Error: generation 2: it exited with code 3/);
  expect(await evaluate('3 + 4')).toBe('7');
});

it('the surface pharo replays the nine requests of the guide in one session, each answered under its id', async () => {
  await using wire = createWire(open().server);
  const requests: readonly (readonly [string, object?])[] = [
    ['initialize', { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'claude-desktop', version: '1.0.0' } }],
    ['ping'],
    ['tools/list'],
    ['tools/call', { name: 'evaluate', arguments: { expression: '3 + 4' } }],
    ['resources/list'],
    ['resources/read', { uri: 'pharo://system/version' }],
    ['resources/templates/list'],
    ['prompts/list'],
    ['prompts/get', { name: 'review-class', arguments: { className: 'OrderedCollection' } }],
  ];
  for (const [index, [method, params]] of requests.entries()) {
    wire.send({ jsonrpc: '2.0', id: index + 1, method, ...(params !== undefined && { params }) });
    expect(await wire.next()).toMatchObject({ jsonrpc: '2.0', id: index + 1, result: {} });
    if (method === 'initialize') wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }
  wire.send('{\n');
  expect(await wire.next()).toMatchObject({ error: { code: -32700 } });
  wire.send('{}\n');
  expect(await wire.next()).toMatchObject({ error: { code: -32600 } });
});

it('the surface pharo tells the version and shows a class while something runs', async () => {
  const client = await createTestClient(open().server);
  const stop = new AbortController();
  await client.callTool('evaluate', { expression: '3 + 4' });
  const endless = client.callTool('evaluate', { expression: '[ true ] whileTrue' }, { signal: stop.signal }).catch(() => 'stopped');
  for (const uri of ['pharo://system/version', 'pharo://class/Object']) expect((await client.readResource(uri)).contents).toHaveLength(1);
  expect(await Promise.race([endless, 'running'])).toBe('running');
  stop.abort();
  expect(await endless).toBe('stopped');
  await client.close();
});
