// Our client with servers that are not ours: the reference server, and servers made with the official SDKs of both lines.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Client, type ClientEvents, type ConnectOptions, connect, RpcError, type Target } from 'vivarium';
import { z } from 'zod';

interface Place {
  readonly target: Target;
  /** Settles with how the server ended, where it is ours to end. */
  end(): Promise<number | null>;
}

interface Visit {
  readonly client: Client;
  readonly warnings: readonly ClientEvents['warning'][];
  readonly logs: readonly ClientEvents['log'][];
  /** What the server asked. */
  readonly asked: readonly string[];
}

const everything = fileURLToPath(new URL('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url));
const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/official-${name}.mjs`, import.meta.url));

const pipe = (...args: readonly string[]): Place => ({ target: { command: process.execPath, args }, end: async () => 0 });

async function served(name: string): Promise<Place> {
  const child = spawn(process.execPath, [fixture(name), 'http'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return {
    target: url,
    end: () => {
      child.stdin.end();
      return exited;
    },
  };
}

/** It takes a port, and says on stderr when it has it. */
async function reference(kind: 'sse' | 'streamableHttp', path: string): Promise<Place> {
  const probe = createServer().listen(0);
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const child: ChildProcess = spawn(process.execPath, [everything, kind], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stderr as NonNullable<typeof child.stderr> });
  for await (const line of lines) if (/on port \d+/.test(line)) break;
  child.stderr?.resume();
  return {
    target: `http://127.0.0.1:${port}${path}`,
    end: async () => {
      child.kill();
      await exited;
      return 0;
    },
  };
}

async function visit(target: Target, options: ConnectOptions = {}): Promise<Visit> {
  const asked: string[] = [];
  const client = await connect(target, {
    features: ['elicitation.url'],
    handlers: {
      elicit(ask) {
        asked.push(ask.message);
        return ask.mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { name: 'Ada' } };
      },
      sample(params) {
        asked.push(`${params.maxTokens} tokens`);
        return { role: 'assistant', model: 'none', content: { type: 'text', text: 'hi' } };
      },
      roots: () => [{ uri: 'file:///home/ada', name: 'home' }],
    },
    ...options,
  });
  const warnings: ClientEvents['warning'][] = [];
  const logs: ClientEvents['log'][] = [];
  client.on('warning', (warning) => warnings.push(warning));
  client.on('log', (log) => logs.push(log));
  return { client, warnings, logs, asked };
}

const text = (value: string) => [{ type: 'text', text: value }];
const textOf = ({ content }: { readonly content: readonly object[] }): string => (content[0] as { text?: string }).text ?? '';

/** Processes that this one has begun and that are still there. */
function children(): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))?.[1] === String(process.pid);
    } catch {
      return false;
    }
  });
}

describe.each([
  ['stdio', () => Promise.resolve(pipe(everything, 'stdio'))],
  ['SSE', () => reference('sse', '/sse')],
  ['Streamable HTTP', () => reference('streamableHttp', '/mcp')],
] as const)('The reference server over %s', (_way, open) => {
  let place: Place;
  let seen: Visit;
  const call = (name: string, args?: Record<string, unknown>) => seen.client.callTool(name, args);

  beforeAll(async () => {
    place = await open();
    seen = await visit(place.target);
  });
  afterAll(async () => {
    await seen.client.close();
    await place.end();
  });

  it('introduces itself at its newest revision', () => {
    const { client } = seen;
    expect([client.era, client.revision]).toEqual(['legacy', '2025-11-25']);
    expect(client.server?.name).toBe('mcp-servers/everything');
    expect(client.instructions).toContain('Everything');
  });

  it('answers a ping', () => seen.client.ping());

  it('lists its tools, those for what the client can do among them', async () => {
    const names = (await seen.client.listTools()).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['echo', 'get-structured-content', 'get-roots-list', 'trigger-sampling-request']));
    expect(names).not.toContain('trigger-sampling-request-async');
  });

  it('gives text, pictures, links and resources', async () => {
    expect((await call('echo', { message: 'héllo 🦎' })).content).toEqual(text('Echo: héllo 🦎'));
    expect((await call('get-sum', { a: 1, b: 2 })).content).toEqual(text('The sum of 1 and 2 is 3.'));
    expect((await call('get-tiny-image')).content[1]).toMatchObject({ type: 'image', mimeType: 'image/png' });
    expect((await call('get-resource-links', { count: 2 })).content.map(({ type }) => type)).toEqual([
      'text',
      'resource_link',
      'resource_link',
    ]);
    expect((await call('get-resource-reference', { resourceType: 'Text', resourceId: 3 })).content[1]).toMatchObject({ type: 'resource' });
    const annotated = await call('get-annotated-message', { messageType: 'error', includeImage: true });
    expect(annotated.content).toMatchObject([{ annotations: { priority: 1 } }, { annotations: { audience: ['user'] } }]);
  });

  it('gives structured content, which is checked', async () => {
    const output = z.object({ temperature: z.number(), conditions: z.string(), humidity: z.number() });
    const result = await seen.client.callTool('get-structured-content', { location: 'Chicago' }, { output });
    expect(result.structuredContent).toEqual({ temperature: 36, conditions: 'Light rain / drizzle', humidity: 82 });
    expect((await call('get-structured-content', { location: 'New York' })).structuredContent).toMatchObject({ conditions: 'Cloudy' });
  });

  it('says what is wrong with a call in its result', async () => {
    expect(await call('get-sum', { a: 'one' })).toMatchObject({ isError: true });
    expect(await call('unheard-of')).toMatchObject({ isError: true });
  });

  it('lists and reads resources', async () => {
    const { client } = seen;
    const [first] = await client.listResources();
    expect((await client.readResource(first?.uri ?? '')).contents[0]).toHaveProperty('text');
    const templates = await client.listResourceTemplates();
    expect(templates.map(({ uriTemplate }) => uriTemplate)).toContain('demo://resource/dynamic/text/{resourceId}');
    const { contents } = await client.readResource('demo://resource/dynamic/blob/2');
    expect(contents).toMatchObject([{ uri: 'demo://resource/dynamic/blob/2', blob: expect.any(String) }]);
    await expect(client.readResource('demo://nothing')).rejects.toBeInstanceOf(RpcError);
  });

  it('lists and gives prompts', async () => {
    const { client } = seen;
    expect((await client.listPrompts()).map(({ name }) => name)).toContain('args-prompt');
    const { messages } = await client.getPrompt('args-prompt', { city: 'Bonn', state: 'NRW' });
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: "What's weather in Bonn, NRW?" } }]);
    expect((await client.getPrompt('resource-prompt', { resourceType: 'Text', resourceId: '1' })).messages).toHaveLength(2);
    await expect(client.getPrompt('args-prompt')).rejects.toMatchObject({ code: -32602 });
  });

  it('completes arguments of prompts and of templates', async () => {
    const { client } = seen;
    const prompt = { type: 'ref/prompt', name: 'completable-prompt' } as const;
    expect((await client.complete(prompt, { name: 'department', value: 'S' })).values).toEqual(['Sales', 'Support']);
    const context = { arguments: { department: 'Sales' } };
    expect((await client.complete(prompt, { name: 'name', value: '' }, context)).values).toEqual(['David', 'Eve', 'Frank']);
    const ref = { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' } as const;
    expect((await client.complete(ref, { name: 'resourceId', value: '12' })).values).toEqual(['12']);
  });

  it('tells of progress', async () => {
    const heard: object[] = [];
    const options = { onProgress: (progress: object) => heard.push(progress) };
    await seen.client.callTool('trigger-long-running-operation', { duration: 0.1, steps: 2 }, options);
    expect(heard).toEqual([1, 2].map((progress) => ({ progress, total: 2 })));
  });

  it('is left alone when a call is cancelled', async () => {
    const controller = new AbortController();
    const options = { signal: controller.signal, onProgress: () => controller.abort() };
    const held = seen.client.callTool('trigger-long-running-operation', { duration: 1, steps: 20 }, options);
    await expect(held).rejects.toMatchObject({ code: 'ERR_CANCELLED' });
    await seen.client.ping();
  });

  it('fills in a form, and what is left out has its default', async () => {
    const result = await call('trigger-elicitation-request');
    expect((result.content[1] as { text: string }).text).toMatch(/Name: Ada[\s\S]*Favorite Integer: 42/);
    expect(seen.asked).toContain('Please provide inputs for the following fields:');
  });

  it('sends the user to a URL, by a question or by an error', async () => {
    const url = 'https://example.com/';
    expect(textOf(await call('trigger-url-elicitation', { url, message: 'Go there' }))).toContain('completed the URL');
    expect(seen.asked).toContain('Go there');
    await expect(call('trigger-url-elicitation', { url, message: 'Go there', errorPath: true })).rejects.toMatchObject({ code: -32042 });
  });

  it('asks for a message of the model and for roots', async () => {
    expect(textOf(await call('trigger-sampling-request', { prompt: 'hello', maxTokens: 9 }))).toContain('"text": "hi"');
    expect(seen.asked).toContain('9 tokens');
    expect(textOf(await call('get-roots-list'))).toContain('file:///home/ada');
  });

  it('logs from the level on that was set', async () => {
    await seen.client.setLogLevel('debug');
    const before = seen.logs.length;
    await call('toggle-simulated-logging');
    await vi.waitFor(
      () => expect(seen.logs.slice(before).map(({ data }) => data)).toContainEqual(expect.stringMatching(/message/)),
      20_000,
    );
    await call('toggle-simulated-logging');
  });

  it('tells of resources that are subscribed to', async () => {
    const uri = 'demo://resource/dynamic/text/1';
    const updated = vi.fn();
    const subscription = await seen.client.subscribe(uri, updated);
    await call('toggle-subscriber-updates');
    await vi.waitFor(() => expect(updated).toHaveBeenCalledOnce(), 60_000);
    await call('toggle-subscriber-updates');
    await subscription[Symbol.asyncDispose]();
  });

  it('tells of a list that has changed', async () => {
    const changed = new Promise<string>((resolve) => seen.client.on('listChanged', ({ of }) => of === 'resources' && resolve(of)));
    const args = { name: 'a.gz', data: 'data:text/plain,hello', outputType: 'resourceLink' };
    expect((await call('gzip-file-as-resource', args)).content).toMatchObject([{ type: 'resource_link', name: 'a.gz' }]);
    await changed;
    expect((await seen.client.listResources()).map(({ name }) => name)).toContain('a.gz');
  });

  it('says nothing odd', () => expect(seen.warnings).toEqual([]));
});

interface Official {
  readonly name: string;
  readonly open: () => Promise<Place>;
  readonly options: ConnectOptions;
  readonly revision: string;
  /** Whether the server remembers anything from one request to the next. */
  readonly stateless?: boolean;
}

const latest = '2025-11-25';
const legacy: ConnectOptions = { revision: latest };

describe.each<Official>([
  { name: 'the v1 SDK over stdio', open: async () => pipe(fixture('v1'), 'stdio'), options: {}, revision: latest },
  { name: 'the v1 SDK over HTTP with sessions', open: () => served('v1'), options: {}, revision: latest },
  { name: 'the v2 SDK over stdio', open: async () => pipe(fixture('v2'), 'stdio'), options: {}, revision: '2026-07-28' },
  { name: 'the v2 SDK over stdio, asked to be older,', open: async () => pipe(fixture('v2'), 'stdio'), options: legacy, revision: latest },
  { name: 'the v2 SDK over HTTP', open: () => served('v2'), options: {}, revision: '2026-07-28' },
  { name: 'the v2 SDK over HTTP, asked to be older,', open: () => served('v2'), options: legacy, revision: latest, stateless: true },
])('A server made with $name', ({ open, options, revision, stateless = false }) => {
  let place: Place;
  let seen: Visit;
  const call = async (name: string, args?: Record<string, unknown>) => textOf(await seen.client.callTool(name, args));

  beforeAll(async () => {
    place = await open();
    seen = await visit(place.target, options);
  });
  afterAll(() => seen.client.close());

  it('introduces itself', () => {
    const { client } = seen;
    expect([client.revision, client.server?.name, client.instructions]).toEqual([revision, 'official', 'Ask me anything.']);
    expect(client.capabilities).toMatchObject({ tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} });
  });

  it('answers a ping', () => seen.client.ping());

  it('lists and calls tools, and its structured content is checked', async () => {
    const { client } = seen;
    const sum = (await client.listTools()).find(({ name }) => name === 'sum');
    expect(sum?.outputSchema).toMatchObject({ type: 'object', required: ['sum'] });
    expect(await call('echo', { text: 'héllo 🦎' })).toBe('héllo 🦎');
    const typed = await client.callTool('sum', { of: [1, 2, 3] }, { output: z.object({ sum: z.number() }) });
    expect(typed.structuredContent?.sum).toBe(6);
    expect((await client.callTool('sum', { of: [] })).structuredContent).toEqual({ sum: 0 });
  });

  it('says what failed in the result', async () => {
    expect(await seen.client.callTool('fail')).toMatchObject({ isError: true, content: text('it broke') });
    expect(await seen.client.callTool('echo', { text: 5 })).toMatchObject({ isError: true });
  });

  it('lists and reads resources', async () => {
    const { client } = seen;
    const notes = ['ant', 'bee', 'beetle'];
    expect((await client.listResources()).map(({ uri }) => uri)).toEqual(['note:///index', ...notes.map((id) => `note:///of/${id}`)]);
    expect((await client.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate)).toEqual(['note:///of/{id}']);
    expect((await client.readResource('note:///index')).contents).toMatchObject([{ text: 'ant,bee,beetle' }]);
    expect((await client.readResource('note:///of/bee')).contents).toMatchObject([{ text: 'about bee' }]);
    await expect(client.readResource('note:///none')).rejects.toBeInstanceOf(RpcError);
  });

  it('lists, gives and completes prompts', async () => {
    const { client } = seen;
    expect((await client.listPrompts()).map(({ name }) => name)).toEqual(['review']);
    const { messages } = await client.getPrompt('review', { code: 'x', language: 'ts' });
    expect(messages).toMatchObject([{ role: 'user', content: { text: 'Review x in ts' } }]);
    const values = await client.complete(
      { type: 'ref/prompt', name: 'review' },
      { name: 'language', value: 't' },
      { arguments: { code: 'text' } },
    );
    expect(values.values).toEqual(['ts', 'tsx', 'text']);
    const ids = await client.complete({ type: 'ref/resource', uri: 'note:///of/{id}' }, { name: 'id', value: 'be' });
    expect(ids.values).toEqual(['bee', 'beetle']);
  });

  it('tells of progress', async () => {
    const heard: object[] = [];
    const result = await seen.client.callTool('steps', {}, { onProgress: (progress) => heard.push(progress) });
    expect(result.content).toEqual(text('done'));
    expect(heard).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3, message: String(progress) })));
  });

  it('hears that a call is cancelled', async () => {
    const controller = new AbortController();
    const held = seen.client.callTool('hold', {}, { signal: controller.signal, onProgress: () => controller.abort() });
    await expect(held).rejects.toMatchObject({ code: 'ERR_CANCELLED' });
    if (!stateless) await vi.waitFor(async () => expect(await call('aborts')).toBe('1'), 60_000);
  });

  it('logs from the level on that was set', async () => {
    await seen.client.setLogLevel('info');
    await call('log');
    // Where nothing is remembered, neither is the level.
    const levels = stateless ? ['debug', 'info', 'error'] : ['info', 'error'];
    await vi.waitFor(() => expect(seen.logs.map(({ data }) => data)).toEqual(levels.map((level) => ({ level }))), 60_000);
  });

  it.skipIf(stateless)('asks for a form, for a message of the model, and for roots', async () => {
    expect(JSON.parse(await call('form'))).toEqual({ action: 'accept', content: { name: 'Ada', age: 7 } });
    expect(await call('model')).toBe('hi');
    expect(await call('roots')).toBe('file:///home/ada');
    expect(seen.asked).toEqual(['Who are you?', '10 tokens']);
  });

  it.skipIf(stateless)('tells of resources that are subscribed to, until they are not', async () => {
    const updated = vi.fn();
    const subscription = await seen.client.subscribe('note:///index', updated);
    await call('touch', { uri: 'note:///index' });
    await vi.waitFor(() => expect(updated).toHaveBeenCalledOnce(), 60_000);
    await subscription[Symbol.asyncDispose]();
  });

  it.skipIf(stateless)('tells of a list that has changed', async () => {
    const changed = new Promise<string>((resolve) => seen.client.on('listChanged', ({ of }) => resolve(of)));
    // In 2026-07-28 both wishes are in one listening request: once this one is granted, so is the other.
    const subscription = await seen.client.subscribe('note:///of/ant', () => undefined);
    await call('grow');
    expect(await changed).toBe('tools');
    await subscription[Symbol.asyncDispose]();
    expect((await seen.client.listTools()).map(({ name }) => name)).toContain('grown');
    expect(await call('grown')).toBe('grown up');
  });

  it('is left without a session, and nothing odd was said', async () => {
    await seen.client.close();
    expect(await place.end()).toBe(0);
    expect(seen.warnings).toEqual([]);
  });
});

// Runs last.
it('No process is left behind', () => vi.waitFor(() => expect(children()).toEqual([]), 60_000));
