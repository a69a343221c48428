// Drives a client that is a library: by each way it has to our server it lists the tools and calls two of them.
// Arguments: the folder they are installed in, the package, and {way: target} as JSON; prints {way: what it saw} as JSON.
import { join } from 'node:path';
import { argv, exit, stdout } from 'node:process';
import { pathToFileURL } from 'node:url';

const [folder, name, targets] = argv.slice(2);
const { load } = await import(pathToFileURL(join(folder, 'load.mjs')).href);
const info = { name: 'stranger', version: '1.0.0' };

/** By package: opens a way, and gives back the names of the tools, a function that calls one, and one that leaves. */
const clients = {
  '@langchain/mcp-adapters': async (way, target) => {
    const { MultiServerMCPClient } = await load(name);
    const server = way === 'stdio' ? { transport: way, ...target } : { transport: way, url: target };
    const client = new MultiServerMCPClient({ mcpServers: { ours: server } });
    const tools = await client.getTools();
    return {
      names: tools.map((tool) => tool.name),
      call: (called, args) => tools.find((tool) => tool.name === called).invoke(args),
      close: () => client.close(),
    };
  },
  '@llamaindex/tools': async (way, target) => {
    const { mcp } = await load(name);
    const client = mcp(way === 'stdio' ? target : { url: target, useSSETransport: way === 'sse' });
    const tools = await client.tools();
    return {
      names: tools.map((tool) => tool.metadata.name),
      call: (called, args) => tools.find((tool) => tool.metadata.name === called).call(args),
      close: () => client.cleanup(),
    };
  },
  '@mastra/mcp': async (way, target) => {
    const { MCPClient } = await load(name);
    const client = new MCPClient({ servers: { ours: way === 'stdio' ? target : { url: new URL(target) } } });
    const tools = await client.listTools();
    return {
      names: Object.keys(tools).map((tool) => tool.replace('ours_', '')),
      call: (called, args) => tools[`ours_${called}`].execute(args, {}),
      close: () => client.disconnect(),
    };
  },
  '@modelcontextprotocol/client': async (way, target) => {
    const { Client, SSEClientTransport, StreamableHTTPClientTransport } = await load(name);
    const { StdioClientTransport } = await load(`${name}/stdio`);
    const Remote = way === 'sse' ? SSEClientTransport : StreamableHTTPClientTransport;
    const client = new Client(info, { versionNegotiation: { mode: 'auto' } });
    return official(client, way === 'stdio' ? new StdioClientTransport(target) : new Remote(new URL(target)));
  },
  '@openai/agents': async (way, target) => {
    const { MCPServerSSE, MCPServerStdio, MCPServerStreamableHttp } = await load(name);
    const kinds = { stdio: MCPServerStdio, http: MCPServerStreamableHttp, sse: MCPServerSSE };
    const client = new kinds[way]({ name: 'ours', ...(way === 'stdio' ? target : { url: target }) });
    await client.connect();
    const tools = await client.listTools();
    return {
      names: tools.map((tool) => tool.name),
      call: (called, args) => client.callTool(called, args),
      close: () => client.close(),
    };
  },
};

/** The official client of the 1.x line, in any of its versions. */
async function sdk(way, target) {
  const { Client } = await load(`${name}/client/index.js`);
  const client = new Client(info, { capabilities: {} });
  if (way === 'stdio') {
    const { StdioClientTransport } = await load(`${name}/client/stdio.js`);
    return official(client, new StdioClientTransport(target));
  }
  const found = await load(`${name}/client/${way === 'sse' ? 'sse' : 'streamableHttp'}.js`);
  return official(client, new (found.SSEClientTransport ?? found.StreamableHTTPClientTransport)(new URL(target)));
}

async function official(client, transport) {
  await client.connect(transport);
  const { tools } = await client.listTools();
  return {
    names: tools.map((tool) => tool.name),
    call: (called, args) => client.callTool({ name: called, arguments: args }),
    close: async () => {
      await transport.terminateSession?.();
      await client.close();
    },
  };
}

/** Each library wraps results in its own way. */
function textOf(result) {
  if (typeof result === 'string') return result;
  return (result.content ?? result)[0].text;
}

const open = clients[name] ?? sdk;
const seen = {};
for (const [way, target] of Object.entries(JSON.parse(targets))) {
  const { names, call, close } = await open(way, target);
  seen[way] = { names, added: textOf(await call('add', { a: 1, b: 2 })), revision: textOf(await call('revision', {})).split(' ')[0] };
  await close();
}
stdout.write(`${JSON.stringify(seen)}\n`, () => exit(0));
