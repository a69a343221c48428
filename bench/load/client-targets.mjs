// The clients of the `client` suite: each opens a connection to the bare server and gives `call(arguments)` and `close()`.
import { spawnTracked } from './children.mjs';
import { HttpConnection } from './http.mjs';
import { echoArguments, headersFor, httpText, initializeMessage, template, toolCall } from './messages.mjs';

const rawConnections = 32;
const jsonHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const clientInfo = { name: 'bench', version: '1.0.0' };
const nothing = async () => {};

export const clients = {
  http: {
    raw: rawHttp,
    undici: bareUndici,
    'node-http': nodeHttp,
    fetch: globalFetch,
    async vivarium({ url }) {
      const { connect } = await import('vivarium/client');
      const { http } = await import('vivarium/connect/http');
      return opened(await connect(http(url), { revision: '2025-11-25' }));
    },
    async 'vivarium@2026'({ url }) {
      const { connect } = await import('vivarium/client');
      const { http } = await import('vivarium/connect/http');
      return opened(await connect(http(url), { revision: '2026-07-28' }));
    },
    async 'sdk-v1'({ url }) {
      const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
      const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
      return connected(new Client(clientInfo), new StreamableHTTPClientTransport(url));
    },
    async 'sdk-v2'({ url }) {
      const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
      return connected(new Client(clientInfo), new StreamableHTTPClientTransport(url));
    },
    async 'sdk-v2@2026'({ url }) {
      const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
      const modern = { versionNegotiation: { mode: { pin: '2026-07-28' } } };
      return connected(new Client(clientInfo, modern), new StreamableHTTPClientTransport(url));
    },
  },
  stdio: {
    raw: rawStdio,
    async vivarium({ bare }) {
      const { connect } = await import('vivarium/client');
      const { stdio } = await import('vivarium/connect/stdio');
      return opened(await connect(stdio(childOf(bare)), { revision: '2025-11-25' }));
    },
    async 'sdk-v1'({ bare }) {
      const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
      const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
      return connected(new Client(clientInfo), new StdioClientTransport(childOf(bare)));
    },
    async 'sdk-v2'({ bare }) {
      const { Client } = await import('@modelcontextprotocol/client');
      const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
      return connected(new Client(clientInfo), new StdioClientTransport(childOf(bare)));
    },
  },
};

const childOf = ({ command: [command, ...args] }) => ({ command, args });

async function connected(client, transport) {
  await client.connect(transport);
  return { call: (input) => client.callTool({ name: 'echo', arguments: input }), close: () => client.close() };
}

/** Pinned above to what the official clients speak when nobody says otherwise: left alone, it would find the newest era at the bare server. */
function opened(client) {
  return { call: (input) => client.callTool('echo', input), close: () => client.close() };
}

/** The limit: prepared bytes on raw sockets. */
async function rawHttp({ url }) {
  const open = async () => {
    const connection = new HttpConnection(Number(url.port), { keepBody: true });
    await connection.ready();
    return connection;
  };
  const free = await Promise.all(Array.from({ length: rawConnections }, open));
  const message = toolCall('echo', echoArguments);
  const makeBody = template(message);
  const sample = httpText(headersFor('http', message), makeBody(1_000_000));
  const head = sample.slice(0, sample.indexOf('\r\n\r\n') + 4);
  let id = 1_000_000;
  const call = async () => {
    const connection = free.pop();
    const { body } = await connection.request(head + makeBody(id++));
    free.push(connection);
    return JSON.parse(body).result;
  };
  return { call, close: nothing };
}

/** What is left of that on undici's own client, one for each call in flight, with headers that are ready. */
async function bareUndici({ url }) {
  const { Client } = await import('undici');
  const free = Array.from({ length: rawConnections }, () => new Client(url.origin));
  const message = toolCall('echo', echoArguments);
  const makeBody = template(message);
  const headers = Object.entries({ ...jsonHeaders, ...headersFor('http', message) }).flat();
  let id = 1;
  const call = () =>
    new Promise((resolve, reject) => {
      const client = free.pop();
      let body;
      client.dispatch(
        { method: 'POST', path: url.pathname, headers, body: makeBody(id++) },
        {
          onConnect() {},
          onHeaders: () => true,
          onData(part) {
            body = body === undefined ? part : Buffer.concat([body, part]);
            return true;
          },
          onComplete() {
            free.push(client);
            resolve(JSON.parse(body).result);
          },
          onError: reject,
        },
      );
    });
  return { call, close: nothing };
}

/** What a client that does not use fetch can reach. */
async function nodeHttp({ url }) {
  const http = await import('node:http');
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  let id = 1;
  const call = (input) =>
    new Promise((resolve, reject) => {
      const body = Buffer.from(JSON.stringify({ ...toolCall('echo', input), id: id++ }));
      const headers = { ...jsonHeaders, 'content-length': body.length };
      const request = http.request(url, { method: 'POST', agent, headers }, (response) => {
        const parts = [];
        response.on('data', (part) => parts.push(part));
        response.on('end', () => resolve(JSON.parse(Buffer.concat(parts)).result));
      });
      request.on('error', reject);
      request.end(body);
    });
  return { call, close: nothing };
}

async function globalFetch({ url }) {
  let id = 1;
  const call = async (input) => {
    const body = JSON.stringify({ ...toolCall('echo', input), id: id++ });
    const response = await fetch(url, { method: 'POST', headers: jsonHeaders, body });
    return (await response.json()).result;
  };
  return { call, close: nothing };
}

async function rawStdio({ bare }) {
  const { child } = spawnTracked(bare, [], {}, 'pipe');
  const waiting = new Map();
  let rest = '';
  let id = 1;
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      waiting.get(message.id)(message.result);
      waiting.delete(message.id);
    }
  });
  const ask = (message) =>
    new Promise((resolve) => {
      waiting.set(message.id, resolve);
      child.stdin.write(`${JSON.stringify(message)}\n`);
    });
  await ask(initializeMessage(0));
  return { call: (input) => ask({ ...toolCall('echo', input), id: id++ }), close: nothing };
}
