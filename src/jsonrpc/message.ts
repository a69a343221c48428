// One text becomes a request, a notification, a response, a batch, or a precise refusal.
import { cut, type ErrorObject, errorCodes, faults } from './error.ts';

export type RequestId = string | number;
export type Params = { readonly [key: string]: unknown };

export interface ParsedRequest {
  readonly kind: 'request';
  readonly id: RequestId;
  readonly method: string;
  readonly params: Params | undefined;
}

export interface ParsedNotification {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: Params | undefined;
}

/** `id` is undefined when the peer could not read the id of what it answers. */
export interface ParsedResponse {
  readonly kind: 'response';
  readonly id: RequestId | undefined;
  readonly result?: unknown;
  readonly error?: ErrorObject;
}

/** `answer` is false for what must stay unanswered: a broken response, a notification with unusable params. */
export interface Refusal {
  readonly kind: 'refused';
  readonly id: RequestId | undefined;
  readonly error: ErrorObject;
  readonly answer: boolean;
}

export interface Batch {
  readonly kind: 'batch';
  readonly members: readonly unknown[];
}

export type ParsedMessage = ParsedRequest | ParsedNotification | ParsedResponse | Refusal;

const maxIdLength = 256;

export type Decoded = ParsedMessage | Batch;

/** Duplicate keys: the last one wins, as in JSON.parse, and what was checked is what is executed (one parse only). */
export function decodeMessage(text: string, maxDepth: number): Decoded {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refusal(faults.parseError('Not valid JSON'));
  }
  // A text too short to hold that many brackets needs no walk; nearly all messages are.
  if (text.length > 2 * maxDepth && deeperThan(value, maxDepth)) return tooDeep(value, maxDepth);
  return Array.isArray(value) ? { kind: 'batch', members: value } : parseMessage(value);
}

/** For what somebody else has parsed already. */
export function decodeValue(value: unknown, maxDepth: number): Decoded {
  if (deeperThan(value, maxDepth)) return tooDeep(value, maxDepth);
  return Array.isArray(value) ? { kind: 'batch', members: value } : parseMessage(value);
}

/** What may not be answered stays unanswered, however deep it is. */
function tooDeep(value: unknown, maxDepth: number): Refusal {
  const message = Array.isArray(value) ? undefined : parseMessage(value);
  const error = faults.invalidRequest(`Nested deeper than ${maxDepth} levels`);
  if (message === undefined) return refusal(error);
  const answer = message.kind === 'request' || (message.kind === 'refused' && message.answer);
  return { kind: 'refused', id: 'id' in message ? message.id : undefined, error, answer };
}

export function refusal(error: ErrorObject, id?: string | number): Refusal {
  return { kind: 'refused', id, error, answer: true };
}

/**
 * Classifies a decoded JSON value. Never throws; a value that is no JSON-RPC message comes back as a
 * refusal that says what is wrong and carries the id when one can be read.
 */
export function parseMessage(value: unknown): ParsedMessage {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refuse(undefined, `Expected a JSON object, got ${nameOf(value)}`);
  }
  const message = value as Params;
  const { jsonrpc, id, method, params } = message;
  // A broken response is still an attempt to answer: answering it could start a loop.
  const answers = message['result'] !== undefined || message['error'] !== undefined;
  if (answers && method === undefined) return parseResponse(message);
  if (answers && typeof method !== 'string') return refuse(undefined, 'method must be a string', errorCodes.invalidRequest, false);
  if (jsonrpc !== '2.0') return refuse(readableId(id), jsonrpc === undefined ? missing('jsonrpc') : 'jsonrpc must be "2.0"');
  if (id !== undefined && !isRequestId(id)) return refuse(undefined, idFault(id));
  if (typeof method !== 'string' || method === '') {
    return refuse(id, method === undefined ? missing('method') : 'method must be a non-empty string');
  }
  if (params !== undefined && (typeof params !== 'object' || params === null || Array.isArray(params))) {
    if (id === undefined) return refuse(id, 'params must be an object', errorCodes.invalidRequest, false);
    // By position is legal JSON-RPC but no MCP method takes it.
    const code = Array.isArray(params) ? errorCodes.invalidParams : errorCodes.invalidRequest;
    return refuse(id, 'params must be an object', code);
  }
  if (id === undefined) return { kind: 'notification', method, params: params as Params | undefined };
  return { kind: 'request', id, method, params: params as Params | undefined };
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' ? value.length <= maxIdLength : Number.isSafeInteger(value);
}

function parseResponse(message: Params): ParsedResponse | Refusal {
  const { jsonrpc, id, result, error } = message;
  if (jsonrpc !== '2.0') return refuse(undefined, 'A response needs "jsonrpc": "2.0"', errorCodes.invalidRequest, false);
  if (result !== undefined && error !== undefined) {
    return refuse(undefined, 'A response has either result or error', errorCodes.invalidRequest, false);
  }
  const readable = readableId(id);
  if (error === undefined) {
    if (readable === undefined) return refuse(undefined, 'A result needs the id of its request', errorCodes.invalidRequest, false);
    return { kind: 'response', id: readable, result };
  }
  if (!isErrorObject(error)) {
    return refuse(undefined, 'error needs an integer code and a message', errorCodes.invalidRequest, false);
  }
  return { kind: 'response', id: readable, error };
}

function isErrorObject(value: unknown): value is ErrorObject {
  if (typeof value !== 'object' || value === null) return false;
  const { code, message } = value as Params;
  return Number.isInteger(code) && typeof message === 'string';
}

function readableId(id: unknown): RequestId | undefined {
  return isRequestId(id) ? id : undefined;
}

function idFault(id: unknown): string {
  if (typeof id === 'string') return `id is longer than ${maxIdLength} characters`;
  if (typeof id === 'number') return `id must be an integer of at most 2^53 - 1, got ${id}`;
  return `id must be a string or an integer, got ${nameOf(id)}`;
}

function refuse(id: RequestId | undefined, why: string, code: number = errorCodes.invalidRequest, answer = true): Refusal {
  const details = cut(why);
  const error = code === errorCodes.invalidParams ? faults.invalidParams(details) : faults.invalidRequest(details);
  return { kind: 'refused', id, error, answer };
}

function missing(field: string): string {
  return `Missing required field: ${field}`;
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : typeof value;
}

/** Recursion is safe here: it ends at `levels`. */
/** Recursive, so `levels` must be far less than a stack holds. */
export function deeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && deeperThan(item, levels - 1)) return true;
    return false;
  }
  for (const key in value) {
    const item = (value as Record<string, unknown>)[key];
    if (typeof item === 'object' && deeperThan(item, levels - 1)) return true;
  }
  return false;
}
