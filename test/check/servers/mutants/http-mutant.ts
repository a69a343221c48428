// What a mutant over HTTP is, and the ways to lay a hand on a response.

import type { CheckOptions } from 'vivarium/check';
import type { RequirementId } from '../../../../src/check/model/requirement-id.ts';
import type { Around, Arrival, HttpTargetOptions } from '../../http-target.ts';
import type { Body, Revision } from './mutant.ts';

export interface HttpMutant {
  readonly id: RequirementId;
  readonly does: string;
  readonly revision: Revision;
  /** What cannot be told apart from it on the wire: found broken as well. */
  readonly twins?: readonly RequirementId[];
  /** What cannot but be broken with it. */
  readonly also?: readonly RequirementId[];
  readonly transport?: 'http' | 'sse';
  /** What the judge sends with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Tokens that must not do what the one in its headers does. */
  readonly tokens?: CheckOptions['tokens'];
  readonly rules?: HttpTargetOptions['rules'];
  /** Anew for each server. */
  around(): Around;
}

export type { Around, Arrival };

export const methodOf = ({ value }: Arrival): string => String(value['method'] ?? '');
export const paramsOf = ({ value }: Arrival): Body => (value['params'] ?? {}) as Body;

/** With another status. */
export function restated(response: Response, status: number): Response {
  return new Response(status === 202 || status === 204 ? null : response.body, { status, headers: response.headers });
}

export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json', ...headers } });
}

export function refusal({ value }: Arrival, status: number, code: number, message = 'No'): Response {
  return json({ jsonrpc: '2.0', id: value['id'] ?? null, error: { code, message } }, status);
}

export const isStream = (response: Response): boolean => response.headers.get('content-type')?.startsWith('text/event-stream') === true;

/** Changes the text of a stream, piece by piece; each piece has whole events. */
export function rewritten(response: Response, change: (text: string) => string): Response {
  if (response.body === null) return response;
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const text = change(decoder.decode(chunk, { stream: true }));
        if (text !== '') controller.enqueue(encoder.encode(text));
      },
    }),
  );
  return new Response(body, { status: response.status, headers: response.headers });
}

/** The status of some responses is another. */
export function restating(is: (arrival: Arrival, status: number) => boolean, status: number): () => Around {
  return () => async (arrival, next) => {
    const response = await next();
    return is(arrival, response.status) ? restated(response, status) : response;
  };
}

/** Headers are changed before the server sees them. */
export function amending(change: (headers: Headers, arrival: Arrival) => void): () => Around {
  return () => (arrival, next) => {
    change(arrival.headers, arrival);
    return next();
  };
}

/** Streams say something else. */
export function streaming(change: (text: string, arrival: Arrival) => string): () => Around {
  return () => async (arrival, next) => {
    const response = await next();
    return isStream(response) ? rewritten(response, (text) => change(text, arrival)) : response;
  };
}

/** A stream that says this at once, and stays. */
export function standing(text: string): Response {
  const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(new TextEncoder().encode(text)) });
  return new Response(body, { headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' } });
}
