// A probe of what is attainable, not a product: the checks a conforming server must make, written directly on node:http and Buffers.
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { info, options, resourcesWith, toolsWith } from '../job.mjs';

const { mode, port, tools: toolCount, resources: resourceCount } = options();
const tools = new Map();
for (const { name, description, inputSchema, run } of toolsWith(toolCount)) {
  tools.set(name, { definition: { name, description, inputSchema }, check: undefined, run: async (input, context) => run(input, context) });
}
const resources = resourcesWith(resourceCount).map(({ name, uri }) => ({ name, uri }));
let toolListJson;

/** The answer as JSON text, a promise of it, or undefined for a notification. */
export function dispatch(message, session) {
  if (typeof message !== 'object' || message === null || message.jsonrpc !== '2.0') return errorText(null, -32600, 'Invalid Request');
  const { id, method, params } = message;
  if (typeof method !== 'string') return undefined;
  if (id === undefined) {
    if (method === 'notifications/cancelled') session.inflight.get(params?.requestId)?.abort();
    return undefined;
  }
  if (typeof id !== 'string' && !Number.isInteger(id)) return errorText(null, -32600, 'Invalid Request');
  switch (method) {
    case 'tools/call':
      return callTool(id, params, session);
    case 'tools/list':
      toolListJson ??= JSON.stringify({ tools: [...tools.values()].map((tool) => tool.definition) });
      return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${toolListJson}}`;
    case 'resources/list':
      return resultText(id, { resources });
    case 'initialize':
      return resultText(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: info });
    case 'ping':
      return resultText(id, {});
    default:
      return errorText(id, -32601, 'Method not found');
  }
}

export const createSession = (modern = false) => ({ inflight: new Map(), modern });

function callTool(id, params, session) {
  if (typeof params !== 'object' || params === null || typeof params.name !== 'string') return errorText(id, -32602, 'Invalid params');
  const tool = tools.get(params.name);
  if (!tool) return errorText(id, -32602, `Unknown tool: ${params.name}`);
  tool.check ??= compile(tool.definition.inputSchema);
  const complaint = tool.check(params.arguments ?? {});
  if (complaint) return failureText(id, `Invalid arguments: ${complaint}`);
  const context = new Context();
  session.inflight.set(id, context);
  return tool.run(params.arguments, context).then(
    (result) => {
      session.inflight.delete(id);
      return resultText(id, session.modern ? { resultType: 'complete', ...result } : result);
    },
    (error) => {
      session.inflight.delete(id);
      return failureText(id, String(error?.message ?? error));
    },
  );
}

/** One per request; the AbortController is made only when someone asks for the signal. */
class Context {
  #controller;

  get signal() {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  abort() {
    this.#controller ??= new AbortController();
    this.#controller.abort();
  }
}

function resultText(id, result) {
  return `{"jsonrpc":"2.0","id":${typeof id === 'number' ? id : JSON.stringify(id)},"result":${JSON.stringify(result)}}`;
}

function failureText(id, text) {
  return resultText(id, { content: [{ type: 'text', text }], isError: true });
}

function errorText(id, code, message) {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}

const typeChecks = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  array: (value) => Array.isArray(value),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

/** The part of JSON Schema that the job uses, as closures: (value) => complaint or undefined. */
function compile(schema) {
  const { type, items, properties = {}, required = [], minimum, maximum } = schema;
  const isType = type ? typeChecks[type] : () => true;
  const checkItem = items ? compile(items) : undefined;
  const members = Object.entries(properties).map(([name, member]) => ({ name, check: compile(member) }));
  return (value) => {
    if (!isType(value)) return `must be ${type}`;
    if (minimum !== undefined && value < minimum) return `must be >= ${minimum}`;
    if (maximum !== undefined && value > maximum) return `must be <= ${maximum}`;
    if (checkItem) for (const item of value) if (checkItem(item)) return checkItem(item);
    for (const name of required) if (value[name] === undefined) return `missing ${name}`;
    for (const { name, check } of members) {
      const complaint = value[name] === undefined ? undefined : check(value[name]);
      if (complaint) return `${name} ${complaint}`;
    }
    return undefined;
  };
}

function serveStdio() {
  const session = createSession();
  let parts = [];
  let waiting = '';
  const put = (text) => {
    if (waiting === '') setImmediate(flush);
    waiting += `${text}\n`;
  };
  const flush = () => {
    const text = waiting;
    waiting = '';
    process.stdout.write(text);
  };
  const onLine = (line) => {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return put(errorText(null, -32700, 'Parse error'));
    }
    const answer = dispatch(message, session);
    if (typeof answer === 'string') put(answer);
    else answer?.then(put);
  };
  process.stdin.on('data', (chunk) => {
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      if (parts.length === 0) onLine(chunk.toString('utf8', from, at));
      else {
        parts.push(chunk.subarray(from, at));
        onLine(Buffer.concat(parts).toString());
        parts = [];
      }
      from = at + 1;
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  });
  process.stdin.on('end', () => process.exit(0));
}

function serveHttp() {
  const revisions = new Set(['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']);
  const localHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;
  const sessions = new Map();

  const send = (response, status, text, sessionId) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    if (sessionId) headers['mcp-session-id'] = sessionId;
    response.writeHead(status, headers).end(text);
  };

  const refusal = ({ method, headers }) => {
    const { host, origin, accept = '', 'content-type': type = '', 'mcp-protocol-version': revision } = headers;
    if (!localHost.test(host)) return [403, 'Forbidden'];
    if (origin !== undefined && !localHost.test(origin.replace(/^https?:\/\//, ''))) return [403, 'Forbidden'];
    if (method !== 'POST') return [405, 'Method not allowed'];
    if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return [406, 'Not acceptable'];
    if (!type.startsWith('application/json')) return [415, 'Unsupported media type'];
    if (revision !== undefined && !revisions.has(revision)) return [400, 'Unsupported protocol version'];
    return undefined;
  };

  /** The session a message belongs to, or a refusal. */
  const sessionFor = (headers, { method, params }) => {
    const revision = headers['mcp-protocol-version'];
    if (revision === '2026-07-28') {
      if (headers['mcp-method'] !== method || (method === 'tools/call' && headers['mcp-name'] !== params.name))
        return [400, 'Header mismatch'];
      if (params?._meta?.['io.modelcontextprotocol/protocolVersion'] !== revision) return [400, 'Version mismatch'];
      return { session: createSession(true) };
    }
    if (mode !== 'http-stateful') return { session: createSession() };
    const id = headers['mcp-session-id'];
    if (id) return sessions.has(id) ? { session: sessions.get(id) } : [404, 'Session not found'];
    if (method !== 'initialize') return [400, 'Session required'];
    const newId = randomUUID();
    sessions.set(newId, createSession());
    return { session: sessions.get(newId), newId };
  };

  const onBody = (request, response, body) => {
    let message;
    try {
      message = JSON.parse(body.toString());
    } catch {
      return send(response, 400, errorText(null, -32700, 'Parse error'));
    }
    const found = sessionFor(request.headers, message);
    if (Array.isArray(found)) return send(response, found[0], errorText(null, -32000, found[1]));
    const answer = dispatch(message, found.session);
    if (answer === undefined) response.writeHead(202).end();
    else if (typeof answer === 'string') send(response, 200, answer, found.newId);
    else answer.then((text) => send(response, 200, text, found.newId));
  };

  const onRequest = (request, response) => {
    const refused = refusal(request);
    if (refused) return send(response, refused[0], errorText(null, -32000, refused[1]));
    const parts = [];
    let size = 0;
    request.on('data', (part) => {
      size += part.length;
      if (size > 16_000_000) request.destroy();
      else parts.push(part);
    });
    request.on('end', () => onBody(request, response, parts.length === 1 ? parts[0] : Buffer.concat(parts)));
  };

  http.createServer(onRequest).listen(port, '127.0.0.1');
}

if (mode === 'stdio') serveStdio();
else if (mode !== 'none') serveHttp();
