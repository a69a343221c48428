// What a mutant is: the honest server, and one hand on its wire that breaks one requirement.
import type { RequirementId } from '../../../../src/check/model/requirement-id.ts';
import type { Meddling } from '../../pipe-target.ts';

export type Revision = '2024-11-05' | '2025-03-26' | '2025-06-18' | '2025-11-25' | '2026-07-28';
export type Body = Record<string, unknown>;

export interface Mutant {
  /** The requirement that must be found broken. */
  readonly id: RequirementId;
  /** In words what it does. */
  readonly does: string;
  readonly revision: Revision;
  /** What cannot be told apart from it on the wire: found broken as well. */
  readonly twins?: readonly RequirementId[];
  /** What cannot but be broken with it. */
  readonly also?: readonly RequirementId[];
  meddle(): Meddling;
}

export interface Reply {
  readonly method: string;
  readonly params: Body;
  readonly message: Body;
}

/** Changes replies of the server; what is returned is sent instead, undefined sends nothing. */
export function onReply(change: (reply: Reply) => Body | readonly (Body | string)[] | string | undefined): () => Meddling {
  return () => {
    const asked = new Map<unknown, { readonly method: string; readonly params: Body }>();
    return {
      in(line) {
        const message = parse(line);
        if (message !== undefined && typeof message['method'] === 'string' && message['id'] !== undefined) {
          asked.set(message['id'], { method: message['method'], params: (message['params'] ?? {}) as Body });
        }
        return line;
      },
      out(line) {
        const message = parse(line);
        if (message === undefined || 'method' in message) return line;
        const request = asked.get(message['id']) ?? { method: '', params: {} };
        return text(change({ ...request, message }));
      },
    };
  };
}

/** Changes the result of one method, in place. */
export function onResult(method: string, change: (result: Body, params: Body) => void): () => Meddling {
  return onReply(({ method: asked, params, message }) => {
    if (asked === method && message['result'] !== undefined) change(message['result'] as Body, params);
    return message;
  });
}

/** Turns an error, where there is one, into something else. */
export function onError(method: string, change: (error: Body, params: Body) => Body | undefined): () => Meddling {
  return onReply(({ method: asked, params, message }) => {
    if ((asked !== method && method !== '*') || message['error'] === undefined) return message;
    const { error, ...rest } = message;
    const changed = change(error as Body, params);
    return changed === undefined ? message : 'code' in changed ? { ...rest, error: changed } : { ...rest, result: changed };
  });
}

/** Changes what the server sends by itself. */
export function onCall(method: string, change: (message: Body) => Body | readonly Body[] | undefined): () => Meddling {
  return () => ({
    out(line) {
      const message = parse(line);
      return message?.['method'] === method ? text(change(message)) : line;
    },
  });
}

/** Sends something after each reply to a method. */
export function after(method: string, made: (reply: Reply) => Body | string): () => Meddling {
  return onReply((reply) => (reply.method === method ? [reply.message, made(reply)] : reply.message));
}

/** Changes what the server is asked; undefined withholds it. */
export function onRequest(method: string, change: (message: Body) => Body | undefined): () => Meddling {
  return () => ({
    in(line) {
      const message = parse(line);
      if (message?.['method'] !== method) return line;
      const changed = change(message);
      return changed === undefined ? undefined : JSON.stringify(changed);
    },
  });
}

/** Sends a request of its own once, and keeps the reply from the server behind it. */
export function asks(method: string, params: Body, then: readonly Body[] = []): () => Meddling {
  return () => {
    let isAsked = false;
    return {
      in: (line) => (line.includes('"id":"mine"') && !line.includes('"method"') ? undefined : line),
      out(line) {
        if (isAsked || !line.includes('"tools":[')) return line;
        isAsked = true;
        return [line, ...[{ jsonrpc: '2.0', id: 'mine', method, params }, ...then].map((one) => JSON.stringify(one))];
      },
    };
  };
}

/** Another hand for each connection; the first is the one that probes share. */
export function perConnection(made: (number: number) => Meddling): () => Meddling {
  let count = 0;
  return () => {
    count += 1;
    return made(count - 1);
  };
}

export function parse(line: string): Body | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : undefined;
  } catch {
    return undefined;
  }
}

function text(given: Body | readonly (Body | string)[] | string | undefined): string | readonly string[] | undefined {
  const one = (each: Body | string): string => (typeof each === 'string' ? each : JSON.stringify(each));
  if (given === undefined) return undefined;
  return Array.isArray(given) ? given.map(one) : one(given as Body | string);
}
