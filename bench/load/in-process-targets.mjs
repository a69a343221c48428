// The libraries as functions inside one process: each entry resolves to (message) => answer or a promise of it.
import { initializedMessage, initializeMessage, modernMeta } from './messages.mjs';

export const dispatchers = {
  async bare() {
    const { toolsWith } = await import('../job.mjs');
    const tools = new Map(toolsWith(0).map((tool) => [tool.name, tool]));
    return async ({ id, params }) => ({ jsonrpc: '2.0', id, result: await tools.get(params.name).run(params.arguments) });
  },
  async vivarium() {
    const { default: open } = await import('../inproc-adapter.mjs');
    return open();
  },
  async lean() {
    const { createSession, dispatch } = await import('../servers/lean.mjs');
    const session = createSession();
    return async (message) => dispatch(message, session);
  },
  async 'sdk-v1'() {
    const { InMemoryTransport } = await import('@modelcontextprotocol/sdk/inMemory.js');
    return overTransport(await import('../servers/sdk-v1.mjs'), InMemoryTransport);
  },
  async 'sdk-v2'() {
    const { InMemoryTransport } = await import('@modelcontextprotocol/server');
    return overTransport(await import('../servers/sdk-v2.mjs'), InMemoryTransport);
  },
  'sdk-v2+fetch': () => overFetch({ 'mcp-protocol-version': '2025-06-18' }, (message) => message),
  'sdk-v2+fetch-2026': () =>
    overFetch({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'echo' }, (message) => ({
      ...message,
      params: { ...message.params, _meta: modernMeta },
    })),
  async tmcp() {
    const { build } = await import('../servers/tmcp.mjs');
    const server = build();
    const context = { sessionId: 'bench', sessionInfo: {} };
    await server.receive(initializeMessage(0), context);
    await server.receive(initializedMessage, context);
    return (message) => server.receive(message, context);
  },
  async 'mcp-lite'() {
    const { build } = await import('../servers/mcp-lite.mjs');
    const server = build();
    await server._dispatch(initializeMessage(0));
    return (message) => server._dispatch(message);
  },
};

/** The library's own client calling its own server over its own memory transport. */
export const clients = {
  async vivarium() {
    const { connect } = await import('vivarium/client');
    const { serveMemory } = await import('vivarium/serve/memory');
    const { Server } = await import('vivarium/server');
    const { info, toolsWith } = await import('../job.mjs');
    const server = new Server(info);
    for (const { name, description, inputSchema, run } of toolsWith(0)) server.tool(name, { description, input: inputSchema }, run);
    // The revision that the official pairs agree on.
    const client = await connect(serveMemory(server), { revision: '2025-11-25' });
    return async ({ params }) => ({ result: await client.callTool(params.name, params.arguments) });
  },
  async 'sdk-v1'() {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { InMemoryTransport } = await import('@modelcontextprotocol/sdk/inMemory.js');
    return withClient(await import('../servers/sdk-v1.mjs'), InMemoryTransport, Client);
  },
  async 'sdk-v2'() {
    const { Client } = await import('@modelcontextprotocol/client');
    const { InMemoryTransport } = await import('@modelcontextprotocol/server');
    return withClient(await import('../servers/sdk-v2.mjs'), InMemoryTransport, Client);
  },
};

async function overTransport({ build }, InMemoryTransport) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const waiting = new Map();
  near.onmessage = (message) => {
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  };
  await build().connect(far);
  await near.start();
  const send = (message) =>
    new Promise((resolve) => {
      waiting.set(message.id, resolve);
      void near.send(message);
    });
  await send(initializeMessage(0));
  await near.send(initializedMessage);
  return send;
}

async function overFetch(extraHeaders, prepare) {
  const { createMcpHandler } = await import('@modelcontextprotocol/server');
  const { build } = await import('../servers/sdk-v2.mjs');
  const handler = createMcpHandler(build);
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...extraHeaders };
  return async (message) => {
    const request = new Request('http://localhost/mcp', { method: 'POST', headers, body: JSON.stringify(prepare(message)) });
    const response = await handler.fetch(request);
    return response.text();
  };
}

async function withClient({ build }, InMemoryTransport, Client) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  await build().connect(far);
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(near);
  return async ({ params }) => ({ result: await client.callTool(params) });
}
