// Clients that use HTTP as they should not: headers, streams, sessions, and what they fetch beside.
import { members } from '../model/hands.ts';
import { asking, extra, habits, type Mutant, on, onAsk } from './mutant.ts';

const revision = '2025-11-25';
const modern = '2026-07-28';
const transport = 'http';
const header = (name: string, value: string | undefined, method = 'prompts/list') =>
  onAsk(method, ({ headers }) => {
    if (value === undefined) delete headers[name];
    else headers[name] = value;
  });
/** The header of one tool with a marked parameter. */
const mark = (tool: string, value: string | undefined) =>
  asking(({ body, headers }) => {
    if (body?.includes(`"name":"${tool}"`) !== true) return;
    if (value === undefined) delete headers['mcp-param-region'];
    else headers['mcp-param-region'] = value;
  });
const zurich = Buffer.from('Zürich').toString('base64');

export const http: readonly Mutant[] = [
  {
    id: 'sse/client-posts',
    does: 'posts a message elsewhere',
    revision: '2024-11-05',
    transport: 'sse',
    hands: () => ({
      out: (message) =>
        message['method'] === 'prompts/list' ? [message, { jsonrpc: '2.0', method: 'notifications/roots/list_changed' }] : [message],
      ask(ask) {
        if (ask.body?.includes('roots/list_changed') === true) ask.url = new URL('/mcp', ask.url);
      },
    }),
  },
  {
    id: 'http/post/each-message',
    does: 'puts a message',
    revision,
    transport,
    hands: () => ({
      out: (message) =>
        message['method'] === 'prompts/list' ? [message, { jsonrpc: '2.0', method: 'notifications/roots/list_changed' }] : [message],
      ask(ask) {
        if (ask.body?.includes('roots/list_changed') === true) ask.method = 'PUT';
      },
    }),
  },
  { id: 'http/post/accept', does: 'accepts no streams', revision, transport, hands: header('accept', 'application/json') },
  {
    id: 'http/post/body',
    does: 'posts what is no message',
    revision,
    transport,
    also: ['jsonrpc/conformance'],
    hands: extra(() => 'hello'),
  },
  {
    id: 'http/post/both-types',
    does: 'reads no streams',
    revision,
    transport,
    also: ['http/resume/get', 'http/resume/polled', 'cancellation/races', 'ping/answered'],
    hands: habits({ readsStreams: false, timeoutMs: 1_000 }),
  },
  {
    id: 'http/disconnect/cancel-explicit',
    does: 'cancels by hanging up',
    revision,
    transport,
    twins: ['lifecycle/timeouts/cancelled'],
    hands: habits({ hangsUp: true }),
  },
  {
    id: 'http/get/accept',
    does: 'listens for anything',
    revision,
    transport,
    hands: asking(({ method, headers }) => {
      if (method === 'GET' && headers['accept'] === 'text/event-stream') headers['accept'] = '*/*';
    }),
  },
  {
    id: 'http/resume/get',
    does: 'resumes from an id of its own',
    revision,
    transport,
    hands: asking(({ headers }) => {
      if (headers['last-event-id'] !== undefined) headers['last-event-id'] = 'mine';
    }),
  },
  {
    id: 'http/resume/polled',
    does: 'never comes back',
    revision,
    transport,
    twins: ['http/resume/get'],
    hands: habits({ resumes: false }),
  },
  { id: 'http/resume/retry-respected', does: 'comes back at once', revision, transport, hands: habits({ waitsForRetry: false }) },
  { id: 'http/session/sent', does: 'forgets its session', revision, transport, hands: header('mcp-session-id', undefined) },
  { id: 'http/session/new-on-404', does: 'stays in a session that is gone', revision, transport, hands: habits({ beginsAnew: false }) },
  { id: 'http/session/delete', does: 'leaves its session behind', revision, transport, hands: habits({ deletes: false }) },
  { id: 'http/version-header/sent', does: 'names no version', revision, transport, hands: header('mcp-protocol-version', undefined) },
  {
    id: 'http/version-header/negotiated',
    does: 'names another version',
    revision,
    transport,
    hands: header('mcp-protocol-version', '2024-11-05'),
  },
  {
    id: 'http/version-header/matches',
    does: 'names two versions',
    revision: modern,
    transport,
    hands: header('mcp-protocol-version', '2025-11-25'),
  },
  { id: 'http/headers/method', does: 'leaves Mcp-Method out', revision: modern, transport, hands: header('mcp-method', undefined) },
  { id: 'http/headers/name', does: 'names another tool', revision: modern, transport, hands: header('mcp-name', 'another', 'prompts/get') },
  {
    id: 'http/headers/name-encoded',
    does: 'encodes a name in its own way',
    revision: modern,
    transport,
    hands: asking(({ headers }) => {
      if (headers['mcp-name']?.startsWith('=?base64?') === true) headers['mcp-name'] = 'gr%C3%B6%C3%9Fe';
    }),
  },
  { id: 'http/headers/case', does: 'looks at the case of headers', revision: modern, transport, hands: habits({ headersByCase: true }) },
  {
    id: 'http/era/body-inspected',
    does: 'falls back at any 400',
    revision: modern,
    transport,
    everywhere: ['plain', 'refused-version'],
    hands: habits({ readsRefusals: false }),
  },
  { id: 'http/param-headers/supported', does: 'mirrors nothing', revision: modern, transport, hands: mark('plain_value', undefined) },
  {
    id: 'http/param-headers/tool-rejected',
    does: 'calls tools with marks that break the rules',
    revision: modern,
    transport,
    hands: habits({ leavesToolsOut: false }, { ask: ({ headers }) => delete headers['mcp-param-bad name'] }),
  },
  { id: 'http/param-headers/encoded', does: 'sends blanks as they are', revision: modern, transport, hands: mark('blanks', 'padded') },
  {
    id: 'http/param-headers/base64',
    does: 'encodes something else',
    revision: modern,
    transport,
    twins: ['http/param-headers/encoded', 'http/param-headers/marks'],
    hands: mark('umlaut', '=?base64?bm9uZQ==?='),
  },
  {
    id: 'http/param-headers/marks',
    does: 'writes the marks in upper case',
    revision: modern,
    transport,
    twins: ['http/param-headers/encoded', 'http/param-headers/base64'],
    hands: mark('umlaut', `=?BASE64?${zurich}?=`),
  },
  {
    id: 'http/param-headers/marks-escaped',
    does: 'sends what looks encoded as it is',
    revision: modern,
    transport,
    hands: mark('looks_encoded', '=?base64?SGVsbG8=?='),
  },
  { id: 'http/param-headers/null-omitted', does: 'sends null', revision: modern, transport, hands: mark('nothing', 'null') },
  { id: 'http/param-headers/absent-omitted', does: 'sends what is not there', revision: modern, transport, hands: mark('absent', '') },
  {
    id: 'http/param-headers/safe-integer',
    does: 'sends a number that is too large',
    revision: modern,
    transport,
    hands: on('tools/call', (_, params) => {
      if (params['name'] === 'counted') members(params['arguments'])['region'] = 2 ** 53 + 2;
    }),
  },
  {
    id: 'http/param-headers/refreshed',
    does: 'does not look at the tools again',
    revision: modern,
    transport,
    hands: habits({ refreshesTools: false }),
  },
  { id: 'json-schema/ref/network', does: 'fetches references', revision: modern, transport, hands: habits({ fetchesRefs: true }) },
  { id: 'json-schema/bounds', does: 'hangs at a deep schema', revision: modern, hands: habits({ hangsOnDepth: true }) },
  { id: 'icons/no-credentials', does: 'fetches icons with cookies', revision, transport, hands: habits({ iconCookie: true }) },
  { id: 'icons/same-origin', does: 'fetches icons anywhere', revision, transport, hands: habits({ iconsAnywhere: true }) },
  { id: 'elicitation/url/not-fetched', does: 'fetches the page for the user', revision, transport, hands: habits({ fetchesUrls: true }) },
  { id: 'caching/no-polling', does: 'fetches what became stale', revision: modern, hands: habits({ polls: true }) },
  { id: 'caching/pages/invalid-cursor', does: 'insists on a cursor', revision: modern, hands: habits({ restartsList: false }) },
];
