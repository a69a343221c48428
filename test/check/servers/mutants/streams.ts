// Mutants of streams over HTTP: how they end, what is left of them, and what becomes of a client that is lost.

import { type Arrival, type HttpMutant, isStream, methodOf, paramsOf, rewritten, standing } from './http-mutant.ts';
import type { Body } from './mutant.ts';

const revision = '2025-11-25';
const isCall = (arrival: Arrival, name: string): boolean => methodOf(arrival) === 'tools/call' && paramsOf(arrival)['name'] === name;
const isResumed = ({ method, headers }: Arrival): boolean => method === 'GET' && headers.has('last-event-id');
const withoutResults = (text: string): string => text.replaceAll(/^(?:(?:id|event):.*\n)*data: ?\{.*"result".*\n\n/gm, '');

/** The stream goes on when all was said. */
function endless(response: Response): Response {
  const reader = response.body?.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const part = await reader?.read();
      if (part === undefined || part.done) return new Promise(() => undefined);
      controller.enqueue(part.value);
      return undefined;
    },
    cancel: () => reader?.cancel(),
  });
  return new Response(body, { status: response.status, headers: response.headers });
}

/** What comes after the first event is late, and `lost` is told when nobody waits for it. */
function halting(response: Response, lost: () => void): Response {
  const encoder = new TextEncoder();
  let isOver = false;
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const text = await response.text();
      const end = text.indexOf('\n\n') + 2;
      controller.enqueue(encoder.encode(text.slice(0, end)));
      await new Promise((resolve) => setTimeout(resolve, 150));
      if (isOver) return;
      isOver = true;
      controller.enqueue(encoder.encode(text.slice(end)));
      controller.close();
    },
    cancel() {
      if (!isOver) lost();
      isOver = true;
    },
  });
  return new Response(body, { status: response.status, headers: response.headers });
}

export const streamMutants: readonly HttpMutant[] = [
  {
    id: 'http/stream/closed-after',
    rules: { stream: 'always' },
    does: 'leaves streams open',
    revision,
    around: () => async (arrival, next) => {
      const response = await next();
      return isStream(response) && isCall(arrival, 'greet') ? endless(response) : response;
    },
  },
  {
    id: 'http/stream/response',
    rules: { stream: 'always' },
    does: 'ends a stream for good without the response',
    revision,
    around: () => async (arrival, next) => {
      const response = await next();
      if (!isStream(response) || !(isCall(arrival, 'measure') || isResumed(arrival))) return response;
      return rewritten(response, withoutResults);
    },
  },
  {
    id: 'http/stream/retry',
    rules: { stream: 'always' },
    does: 'ends a connection without saying when to come again',
    revision,
    around: () => async (arrival, next) => {
      const response = await next();
      if (!isStream(response) || !isCall(arrival, 'measure')) return response;
      return rewritten(response, (text) => withoutResults(text.replaceAll(/^retry:.*\n/gm, '')));
    },
  },
  {
    id: 'cancellation/disconnect',
    rules: { stream: 'always' },
    does: 'goes on with the calls of a lost client',
    revision: '2026-07-28',
    also: ['http/stream/related', 'progress/stops', 'progress/token/in-progress'],
    around: () => async (arrival, next) => {
      const response = await next();
      const token = (paramsOf(arrival)['_meta'] as Body | undefined)?.['progressToken'];
      if (!isStream(response) || token !== 'found-0') return response;
      const params = { progressToken: 'lost-0', progress: 1 };
      return rewritten(
        response,
        (text) => `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })}\n\n${text}`,
      );
    },
  },
  {
    id: 'http/disconnect/not-cancel',
    rules: { stream: 'always' },
    does: 'takes a lost connection for a cancellation',
    revision,
    around: () => {
      const lost = new Set<string | null>();
      return async (arrival, next) => {
        const session = arrival.headers.get('mcp-session-id');
        if (isResumed(arrival) && lost.has(session)) return standing(':\n\n');
        const response = await next();
        if (!isStream(response) || !isCall(arrival, 'work')) return response;
        return halting(response, () => lost.add(session));
      };
    },
  },
];
