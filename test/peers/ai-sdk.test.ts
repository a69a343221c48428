// The client of the AI SDK on our server, over both transports it has. It speaks 2025-11-25 and no more than tools, resources,
// prompts, completion and forms.
import { createMCPClient, ElicitationRequestSchema, type MCPClient } from '@ai-sdk/mcp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { serveFixture, type Watch, watchFetch } from './served.ts';

/** What this client takes for errors, though each is as the specification has it. */
const itsOwn = [
  // It asks for the stream of a session before it has one, and again once it has.
  /GET SSE failed: 400/,
  // It reads the empty event that begins a stream in 2025-11-25 as a message.
  /Failed to parse message/,
  // It has no use for any notification.
  /Unsupported message type/,
];

interface Connected {
  readonly client: MCPClient;
  readonly watch: Watch;
  /** Leaves; there must have been no errors but those that are its own. */
  close(): Promise<void>;
}

async function connect(type: 'http' | 'sse', which: 'peer' | 'features', server: object = {}): Promise<Connected> {
  const served = await serveFixture(which, { server, endpoint: { sse: type === 'sse' } });
  const watch = watchFetch();
  const errors: string[] = [];
  let closing = false;
  const client = await createMCPClient({
    transport: { type, url: type === 'http' ? served.url : new URL('/sse', served.url).href, fetch: watch.fetch },
    clientName: 'ai',
    capabilities: { elicitation: {} },
    onUncaughtError: (error) => {
      // It reports its own going away as well.
      if (!(closing && String(error).startsWith('AbortError'))) errors.push(String(error));
    },
  });
  const close = async (): Promise<void> => {
    closing = true;
    await client.close();
    await served.end();
    expect(errors.filter((error) => !itsOwn.some((own) => own.test(error)))).toEqual([]);
  };
  return { client, watch, close };
}

const options = { toolCallId: 'call', messages: [] };

describe.each(['http', 'sse'] as const)('@ai-sdk/mcp over %s', (type) => {
  const to = {} as Record<'peer' | 'features', Connected>;

  beforeAll(async () => {
    for (const which of ['peer', 'features'] as const) to[which] = await connect(type, which);
  });
  afterAll(async () => {
    for (const { close } of Object.values(to)) await close();
  });

  it('knows the server it talks to', () => {
    expect(to.peer.client.serverInfo).toEqual({ name: 'everything', version: '1.0.0' });
  });

  it('lists tools in pages', async () => {
    const { client, close } = await connect(type, 'peer', { pageSize: 10 });
    const first = await client.listTools();
    expect(first.tools).toHaveLength(10);
    const second = await client.listTools({ params: { cursor: first.nextCursor as string } });
    expect(second.tools.map(({ name }) => name)).toContain('revision');
    expect(second.nextCursor).toBeUndefined();
    await close();
  });

  it('calls tools, by the schemas they came with', async () => {
    const { add, echo, picture, link, revision, fail } = await to.peer.client.tools();
    const said = async (tool: typeof add, args: object = {}): Promise<unknown> =>
      ((await tool?.execute(args, options)) as { content?: unknown } | undefined)?.content;
    expect(await said(add, { a: 1, b: 2 })).toEqual([{ type: 'text', text: '3' }]);
    expect(await said(echo, { text: 'héllo 🦎' })).toEqual([{ type: 'text', text: 'héllo 🦎' }]);
    expect(await said(picture)).toMatchObject([{ type: 'text' }, { type: 'image', data: 'AQID', mimeType: 'image/png' }]);
    expect(await said(link)).toEqual([{ type: 'resource_link', uri: 'note:///a', name: 'a' }]);
    expect(await said(revision)).toEqual([{ type: 'text', text: '2025-11-25 ai' }]);
    expect(await fail?.execute({}, options)).toMatchObject({ isError: true, content: [{ type: 'text', text: 'it broke' }] });
    await expect(said(echo, { text: 5 })).resolves.toMatchObject([{ text: expect.stringContaining('text') }]);
  });

  it('takes structured results by a schema of its own', async () => {
    const inputSchema = z.object({ of: z.array(z.number()) });
    const { sum } = await to.peer.client.tools({ schemas: { sum: { inputSchema, outputSchema: z.object({ sum: z.number() }) } } });
    expect(await sum.execute({ of: [4, 5] }, options)).toEqual({ sum: 9 });
  });

  it('is answered though there was progress before', async () => {
    const { steps } = await to.peer.client.tools();
    expect(await steps?.execute({ steps: 3 }, options)).toMatchObject({ content: [{ type: 'text', text: 'stepped' }] });
  });

  it('gives up a call, which goes on: in this revision going away cancels nothing', async () => {
    const { hold, aborts } = await to.peer.client.tools();
    const controller = new AbortController();
    const held = hold?.execute({}, { ...options, abortSignal: controller.signal }) as Promise<unknown>;
    const given = expect(held).rejects.toThrow();
    const calls = () => to.peer.watch.fetched.filter(({ method }) => method === 'POST').length;
    const before = calls();
    await aborts?.execute({}, options);
    await vi.waitFor(() => expect(calls()).toBeGreaterThan(before), 60_000);
    controller.abort();
    await given;
    expect(await aborts?.execute({}, options)).toMatchObject({ content: [{ type: 'text', text: '' }] });
  });

  it('lists and reads resources, and completes what a template leaves open', async () => {
    const { client } = to.features;
    expect((await client.listResources()).resources).toHaveLength(6);
    expect((await client.readResource({ uri: 'note:///index' })).contents).toMatchObject([{ text: 'ant,bee,beetle' }]);
    expect((await client.readResource({ uri: 'note:///logo' })).contents).toMatchObject([{ blob: 'AQID' }]);
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([{ uriTemplate: 'note:///of/{id}' }]);
    const ref = { type: 'ref/resource' as const, uri: 'note:///of/{id}' };
    const { completion } = await client.complete({ ref, argument: { name: 'id', value: 'be' } });
    expect(completion.values).toEqual(['bee', 'beetle']);
    await expect(client.readResource({ uri: 'note:///of/cow' })).rejects.toThrow('Resource not found');
  });

  it('lists and fills in prompts', async () => {
    const { client } = to.features;
    expect((await client.experimental_listPrompts()).prompts.map(({ name }) => name)).toEqual(['review', 'letter']);
    const { messages } = await client.experimental_getPrompt({ name: 'review', arguments: { code: 'x', language: 'ts' } });
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Review x in ts' } }]);
  });

  it('is asked to fill in a form', async () => {
    const { client } = to.features;
    const asked: string[] = [];
    client.onElicitationRequest(ElicitationRequestSchema, ({ params }) => {
      asked.push(params.message);
      return { action: 'accept', content: { name: 'Ada', age: 36 } };
    });
    const { form, model } = await client.tools();
    expect(await form?.execute({}, options)).toMatchObject({
      content: [{ text: '{"action":"accept","content":{"name":"Ada","age":36}}' }],
    });
    expect(asked).toEqual(['Who are you?']);
    // What it does not say it can, it is not asked.
    expect(await model?.execute({}, options)).toMatchObject({ isError: true });
  });
});
