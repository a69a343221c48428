// What a mutant of the honest client is, and the ways to lay hands on its messages.
import type { RequirementId } from '../../../../src/check/model/requirement-id.ts';
import type { Body, Hands, HttpAsk } from '../model/hands.ts';
import { members } from '../model/hands.ts';

export type Revision = '2024-11-05' | '2025-03-26' | '2025-06-18' | '2025-11-25' | '2026-07-28';

export interface Mutant {
  /** The requirement that must be found broken. */
  readonly id: RequirementId;
  /** In words what it does. */
  readonly does: string;
  readonly revision: Revision;
  /** On stdio, unless it is said. */
  readonly transport?: 'http' | 'sse';
  /** What cannot be told apart from it on the wire: found broken as well. */
  readonly twins?: readonly RequirementId[];
  /** What cannot but be broken with it. */
  readonly also?: readonly RequirementId[];
  /** It shows only beside what the client does in other revisions; these scenarios are enough. */
  readonly everywhere?: readonly string[];
  hands(): Hands;
}

type Out = NonNullable<Hands['out']>;

/** Changes a message of the client in place. */
export function on(method: string, change: (message: Body, params: Body) => void): () => Hands {
  return sending((message) => {
    if (message['method'] !== method) return [message];
    const copy = structuredClone(message);
    copy['params'] ??= {};
    change(copy, members(copy['params']));
    return [copy];
  });
}

/** Sends something more after the request for the prompts, once. */
export function extra(made: (message: Body) => Body | readonly Body[] | string | Buffer): () => Hands {
  return () => {
    let isSent = false;
    return {
      out(message) {
        if (message['method'] !== 'prompts/list' || isSent) return [message];
        isSent = true;
        return [message, made(structuredClone(message))];
      },
    };
  };
}

export function sending(out: Out): () => Hands {
  return () => ({ out });
}

/** Changes the results that fit, in place. */
export function onResult(fits: (result: Body) => boolean, change: (result: Body, message: Body) => void): () => Hands {
  return sending((message) => {
    if (message['result'] === undefined || !fits(members(message['result']))) return [message];
    const copy = structuredClone(message);
    change(members(copy['result']), copy);
    return [copy];
  });
}

export function onError(change: (error: Body) => void): () => Hands {
  return sending((message) => {
    if (message['error'] === undefined) return [message];
    const copy = structuredClone(message);
    change(members(copy['error']));
    return [copy];
  });
}

/** Another answer to what the server asks. */
export function answering(method: string, change: (answer: Body, params: Body) => Body): () => Hands {
  return () => ({ answer: (asked, params, answer) => (asked === method ? change(structuredClone(answer), params) : answer) });
}

export function asking(change: (ask: HttpAsk) => void): () => Hands {
  return () => ({ ask: change });
}

/** Requests for a method over HTTP. */
export function onAsk(method: string, change: (ask: HttpAsk) => void): () => Hands {
  return asking((ask) => {
    if (ask.body?.includes(`"method":"${method}"`) === true) change(ask);
  });
}

export function habits(changed: NonNullable<Hands['habits']>, more: Hands = {}): () => Hands {
  return () => ({ ...more, habits: changed });
}
