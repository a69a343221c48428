// An answer that is none: what the server said instead, as a failure that names it.
import { cut, VivariumError } from '../jsonrpc/error.ts';
import { parseMessage } from '../jsonrpc/message.ts';
import type { ChannelFailure } from '../protocol/channel.ts';
import { printable } from '../text/printable.ts';
import type { HeaderLookup } from './requester.ts';

export type AnswerType = 'json' | 'events' | 'html' | 'other' | 'none';

/** What the body claims to be: an answer is one of two types, and nothing like them. */
export function answerType(contentType: string | undefined): AnswerType {
  if (contentType === 'application/json') return 'json';
  if (contentType === 'text/event-stream') return 'events';
  if (contentType === undefined || contentType.trim() === '') return 'none';
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  const legible = parameters.every((parameter) => !parameter.startsWith('charset=') || /^charset="?utf-?8"?$/.test(parameter));
  if (type === 'application/json' && legible) return 'json';
  if (type === 'text/event-stream') return 'events';
  return type === 'text/html' || type === 'application/xhtml+xml' ? 'html' : 'other';
}

/** So much of a body that nobody asked for is read. */
export const maxRefusalBytes = 65_536;
const maxBodyLength = 2_000;

export function refusal(status: number, header: HeaderLookup, body: string): ChannelFailure {
  const error = errorIn(body);
  const challenge = header('www-authenticate');
  const retryAfterMs = readRetryAfter(header('retry-after'));
  return {
    kind: 'status',
    message: describe(status, header, body, error?.message),
    status,
    ...(error === undefined ? body !== '' && { body: cut(body, maxBodyLength) } : { error }),
    ...(challenge !== undefined && { challenge }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    unsent: false,
  };
}

/** A body of the wrong kind, although the status says that all is well. */
export function noAnswer(status: number, contentType: string | undefined, body: string): ChannelFailure {
  const type = answerType(contentType);
  const start = body.trim() === '' ? '' : `: ${inLine(body)}`;
  let what = 'nothing came back';
  if (type === 'html' || looksLikeHtml(body)) what = `HTML came back instead of an answer${start}`;
  else if (body !== '')
    what = `${type === 'json' ? 'what came back is not JSON' : `"${inLine(contentType ?? 'no type')}" came back`}${start}`;
  return noMessage(`The server answered ${status}, but ${what}`, status, body);
}

/** JSON came back, but no answer to what was asked: one to something else, or no message at all. */
export function notOurs(status: number, messages: readonly unknown[], body: string): ChannelFailure {
  const isMessage = messages.some((message) => parseMessage(message).kind !== 'refused');
  const what = isMessage ? 'to another request' : `with JSON that is no JSON-RPC message: ${inLine(body)}`;
  return noMessage(`The server answered ${status}, but ${what}`, status, body);
}

export function noMessage(message: string, status?: number, body = ''): ChannelFailure {
  return {
    kind: 'protocol',
    message,
    ...(status !== undefined && { status }),
    ...(body !== '' && { body: cut(body, maxBodyLength) }),
    unsent: false,
  };
}

/** It never left: what it was given has no place in JSON. */
export function unwritable(message: object, error: unknown): ChannelFailure {
  const { method, params } = message as { readonly method?: unknown; readonly params?: { readonly name?: unknown } };
  const what = typeof method !== 'string' ? 'The answer' : typeof params?.name === 'string' ? `${method} of "${params.name}"` : method;
  // How a circle is drawn takes several lines; the first says it.
  const why = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] as string;
  const text = `${inLine(what)} cannot be written as JSON: ${inLine(why)}`;
  return { kind: 'protocol', message: text, unsent: true, cause: new VivariumError('ERR_NOT_JSON', text, { cause: error }) };
}

export function broken(message: string, cause?: unknown): ChannelFailure {
  return { kind: 'network', message, unsent: false, ...(cause !== undefined && { cause }) };
}

const heads: Readonly<Record<number, string>> = {
  401: 'The server wants authorization (401)',
  403: 'The server refuses this client (403)',
};

function describe(status: number, header: HeaderLookup, body: string, error: string | undefined): string {
  const location = status >= 300 && status < 400 ? header('location') : undefined;
  if (status >= 300 && status < 400) {
    const where = location === undefined ? 'elsewhere' : `to ${placeOf(location)}`;
    return `The server redirects ${where} (${status}), and redirects are not followed: use the URL it leads to`;
  }
  const head = heads[status] ?? `The server answered ${status}`;
  if (error !== undefined) return `${head}: ${inLine(error)}`;
  if (looksLikeHtml(body)) return `${head} with HTML: ${inLine(body)}`;
  return body.trim() === '' ? head : `${head}: ${inLine(body)}`;
}

/** Without what may be a secret: a query, or a password. */
function placeOf(location: string): string {
  if (!URL.canParse(location)) return inLine(location.split(/[?#]/, 1)[0] ?? '');
  const { origin, protocol, pathname } = new URL(location);
  return inLine(origin === 'null' ? protocol : `${origin}${pathname}`);
}

function errorIn(body: string): ChannelFailure['error'] | undefined {
  if (!body.trimStart().startsWith('{')) return undefined;
  try {
    const message = parseMessage(JSON.parse(body));
    return message.kind === 'response' ? message.error : undefined;
  } catch {
    return undefined;
  }
}

function readRetryAfter(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^\s*\d{1,9}\s*$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

function looksLikeHtml(body: string): boolean {
  return /^\s*<(?:!doctype html|html|head|body)\b/i.test(body);
}

function inLine(text: string): string {
  return printable(cut(text.slice(0, 1_000).replace(/\s+/g, ' ').trim()));
}
