// Requests of a client over HTTP: methods, types, sessions, and the headers that repeat what the body says.
import { isModern, traitsOf } from '../../model/revision.ts';
import type { Rule, Seen } from '../../model/rule.ts';
import type { Exchange, Message } from '../../model/trace.ts';
import { asRecord, at, brief } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';

export const http: Rule = {
  judges: [
    'http/post/each-message',
    'http/post/accept',
    'http/post/body',
    'http/get/opened',
    'http/get/accept',
    'http/get/client-closes',
    'http/streams/several',
    'http/session/sent',
    'http/version-header/sent',
    'http/version-header/negotiated',
    'http/version-header/matches',
    'http/headers/method',
    'http/headers/name',
    'sse/client-posts',
  ],
  apply(seen, judge) {
    const { conversation } = seen;
    if (conversation.transport === 'sse') return old(seen, judge);
    if (conversation.transport !== 'http') return;
    for (const exchange of conversation.exchanges) {
      const { method } = exchange.request;
      const messages = conversation.messages.filter((one) => one.exchange === exchange && one.direction === 'received');
      if (method === 'POST') post(exchange, messages, seen, judge);
      else if (exchange.request.body !== undefined) judge.broken('http/post/each-message', `a message is sent by ${method}`, [exchange]);
      if (method === 'GET') get(exchange, judge);
      later(exchange, messages, seen, judge);
    }
    several(seen, judge);
  },
};

function post(exchange: Exchange, messages: readonly Message[], { conversation }: Seen, judge: Judge): void {
  const accept = (exchange.request.headers['accept'] ?? '').toLowerCase();
  const isBoth = accept.includes('application/json') && accept.includes('text/event-stream');
  judge.verdict('http/post/accept', isBoth, `Accept is ${brief(exchange.request.headers['accept'])}`, [exchange]);
  const isBatch = messages.some(({ member }) => member !== undefined);
  const isMessage =
    messages.length > 0 && messages.every(({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value));
  const isBody = isMessage && (!isBatch || traitsOf(conversation.revision).batches);
  judge.verdict('http/post/body', isBody, isBatch ? 'the body is a batch' : 'the body is no message', [exchange]);
  if (!isBatch) judge.kept('http/post/each-message');
}

function get(exchange: Exchange, judge: Judge): void {
  judge.kept('http/get/opened');
  const accept = (exchange.request.headers['accept'] ?? '').toLowerCase();
  judge.verdict('http/get/accept', accept.includes('text/event-stream'), `Accept is ${brief(exchange.request.headers['accept'])}`, [
    exchange,
  ]);
  if (exchange.failure?.reason === 'closed-by-client') judge.kept('http/get/client-closes');
}

/** What follows the handshake names its session and its version; in 2026-07-28 everything does. */
function later(exchange: Exchange, messages: readonly Message[], { conversation }: Seen, judge: Judge): void {
  const { headers } = exchange.request;
  const given = headers['mcp-protocol-version'];
  if (isModern(conversation.revision)) return modern(exchange, messages, judge);
  if (messages.some(({ value }) => at(value, 'method') === 'initialize')) return;
  const begun = conversation.exchanges.find(({ response }) => response?.headers['mcp-session-id'] !== undefined);
  const session = begun?.response?.headers['mcp-session-id'];
  if (begun !== undefined && exchange.at >= (begun.response?.at ?? 0)) {
    const isSent = headers['mcp-session-id'] === session;
    judge.verdict('http/session/sent', isSent, `Mcp-Session-Id is ${brief(headers['mcp-session-id'])}`, [exchange]);
  }
  judge.verdict('http/version-header/sent', given !== undefined, 'there is no MCP-Protocol-Version', [exchange]);
  if (given === undefined) return;
  const isAgreed = given === conversation.revision;
  judge.verdict('http/version-header/negotiated', isAgreed, `${brief(given)} where ${conversation.revision} was agreed on`, [exchange]);
}

const named: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

function modern(exchange: Exchange, messages: readonly Message[], judge: Judge): void {
  const { headers } = exchange.request;
  const given = headers['mcp-protocol-version'];
  judge.verdict('http/version-header/sent', given !== undefined, 'there is no MCP-Protocol-Version', [exchange]);
  for (const { value } of messages) {
    const { method, params, id } = asRecord(value);
    if (typeof method !== 'string') continue;
    const version = at(params, '_meta', 'io.modelcontextprotocol/protocolVersion');
    if (given !== undefined && version !== undefined) {
      judge.verdict('http/version-header/matches', given === version, `the header has ${brief(given)}, _meta ${brief(version)}`, [
        exchange,
      ]);
    }
    if (id === undefined) continue;
    judge.verdict('http/headers/method', headers['mcp-method'] === method, `Mcp-Method is ${brief(headers['mcp-method'])}`, [exchange]);
    const member = named.get(method);
    const name = member === undefined ? undefined : asRecord(params)[member];
    // What is no plain ASCII is a matter of its own.
    if (typeof name !== 'string' || !/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(name)) continue;
    judge.verdict('http/headers/name', headers['mcp-name'] === name, `Mcp-Name is ${brief(headers['mcp-name'])}`, [exchange]);
  }
}

function several({ conversation: { exchanges } }: Seen, judge: Judge): void {
  const streams = exchanges.filter(({ response }) => response?.headers['content-type'] === 'text/event-stream');
  const isBeside = streams.some((one, index) =>
    streams.slice(index + 1).some((other) => other.at < (one.response?.endedAt ?? Number.POSITIVE_INFINITY)),
  );
  if (isBeside) judge.kept('http/streams/several');
}

function old({ conversation }: Seen, judge: Judge): void {
  const told = conversation.exchanges.flatMap(({ response }) => response?.events ?? []).find(({ event }) => event === 'endpoint')?.data;
  for (const exchange of conversation.exchanges) {
    const { method, url, body } = exchange.request;
    if (body === undefined || told === undefined) continue;
    const isThere = method === 'POST' && new URL(url).href === new URL(told, url).href;
    judge.verdict('sse/client-posts', isThere, `a message is sent by ${method} to ${new URL(url).pathname}`, [exchange]);
  }
}
