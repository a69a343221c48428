// How a well-behaved client answers what a server asks of it: at once, validly, and without a person.

import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { asRecord, isRecord, type Json } from '../../model/value.ts';
import { sampleOf } from '../../schemas/sample.ts';

/** The reply to a request of the server; undefined when the message is not a request. */
export function replyTo(value: unknown, declared: Json): Json | undefined {
  if (!isRecord(value) || typeof value['method'] !== 'string' || value['method'].startsWith('notifications/')) return undefined;
  const { id, method } = value;
  if (typeof id !== 'string' && typeof id !== 'number') return undefined;
  const result = resultOf(method, asRecord(value['params']), declared);
  if (result === undefined) return { jsonrpc: '2.0', id, error: { code: -32601, message: `Method not found: ${method}` } };
  return { jsonrpc: '2.0', id, result };
}

/** Undefined where the client did not offer it. */
export function resultOf(method: string, params: Json, declared: Json): Json | undefined {
  if (method === 'ping') return {};
  if (method === 'roots/list' && declared['roots'] !== undefined) {
    return { roots: [{ uri: pathToFileURL(tmpdir()).href, name: 'check' }] };
  }
  if (method === 'sampling/createMessage' && declared['sampling'] !== undefined) {
    return { role: 'assistant', content: { type: 'text', text: 'An answer.' }, model: 'vivarium-check', stopReason: 'endTurn' };
  }
  if (method === 'elicitation/create' && declared['elicitation'] !== undefined) {
    if (params['mode'] === 'url') return { action: 'decline' };
    return { action: 'accept', content: asRecord(sampleOf(params['requestedSchema'])) };
  }
  return undefined;
}
