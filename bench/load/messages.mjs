// What the load generators say: messages of both protocol eras, HTTP headers, and how an answer is read and judged.
const legacyRevision = '2025-06-18';
const modernRevision = '2026-07-28';

export const endpoint = '/mcp';
export const echoArguments = { text: 'hello from the benchmark, sixty-four bytes of plain ascii text.' };

export const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': modernRevision,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

export const initializeMessage = (id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params: { protocolVersion: legacyRevision, capabilities: {}, clientInfo: { name: 'bench', version: '1.0.0' } },
});

export const initializedMessage = { jsonrpc: '2.0', method: 'notifications/initialized' };

export const request = (method, params, modern = false) => ({
  jsonrpc: '2.0',
  id: 0,
  method,
  params: modern ? { ...params, _meta: modernMeta } : params,
});

export const toolCall = (name, input, modern) => request('tools/call', { name, arguments: input }, modern);

export const isModern = (target) => target.era === '2026' || target.kind === 'http-2026';

/** The message with its id cut out: (id) => JSON text. */
export function template(message) {
  const text = JSON.stringify({ ...message, id: '@@' });
  const at = text.indexOf('"@@"');
  const before = text.slice(0, at);
  const after = text.slice(at + 4);
  return (id) => before + id + after;
}

export function headersFor(kind, message, sessionId) {
  const modern = kind === 'http-2026';
  const headers = { 'mcp-protocol-version': modern ? modernRevision : legacyRevision };
  if (modern) headers['mcp-method'] = message.method;
  if (modern && message.params?.name) headers['mcp-name'] = message.params.name;
  if (sessionId) headers['mcp-session-id'] = sessionId;
  return headers;
}

export function httpText(headers, body) {
  let head = `POST ${endpoint} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n`;
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
  return `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** The answer inside an HTTP body, which may be JSON or an event stream. */
export function answerIn(body) {
  const text = body.toString();
  if (text.startsWith('{')) return JSON.parse(text);
  for (const event of text.split(/\r?\n\r?\n/)) {
    const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
    const data = lines.map((line) => line.slice(5).trim()).join('\n');
    if (!data) continue;
    const message = JSON.parse(data);
    if (message.result || message.error) return message;
  }
  throw new Error(`no answer in: ${text.slice(0, 300)}`);
}

/** Throws unless the answer is the echo of `echoArguments`. */
export function mustEcho(answer, who) {
  const result = answer?.result;
  if (result?.content?.[0]?.text === echoArguments.text && result.isError !== true) return;
  throw new Error(`${who}: wrong answer ${JSON.stringify(answer)?.slice(0, 300)}`);
}
