// The end of a call over HTTP: its answer becomes a body or the last event, with the status that belongs to it.
import { type ErrorObject, errorCodes } from '../jsonrpc/error.ts';
import type { RequestId } from '../jsonrpc/message.ts';
import type { Principal } from '../protocol/authorization.ts';
import { type Answer, encodeAnswer } from '../server/answer.ts';
import type { Endpoint } from './endpoint.ts';
import type { Exchange, Fields } from './exchange.ts';
import type { Reply } from './reply.ts';

export function conclude(
  endpoint: Endpoint,
  exchange: Exchange,
  reply: Reply,
  answer: Answer | readonly Answer[] | undefined,
  status: number,
  principal: Principal,
  path: string,
): void {
  const encode = (one: Answer): string => encodeAnswer(one, (error) => endpoint.core.report(error, 'encode'));
  if (answer === undefined) reply.end();
  else if ('length' in answer) {
    // Nothing but notifications: there is nothing to say.
    if (answer.length === 0) reply.finish(202, '');
    else reply.finish(200, `[${answer.map(encode).join(',')}]`);
  } else if (answer.error?.code === errorCodes.forbidden) forbid(endpoint, exchange, reply, answer, principal, path);
  else reply.finish(status, encode(answer));
}

/** The caller may come back with more: the challenge names all that it takes. */
function forbid(endpoint: Endpoint, exchange: Exchange, reply: Reply, answer: Answer, principal: Principal, path: string): void {
  const scopes = (answer.error?.data as { scopes?: readonly string[] } | undefined)?.scopes;
  const { auth } = endpoint.settings;
  if (auth === undefined || !Array.isArray(scopes)) return reply.finish(403, encodeAnswer(answer));
  const { status, challenge } = auth.stepUp(scopes, principal, endpoint.resource(exchange, path));
  reply.finish(status, encodeAnswer(answer), challenge === undefined ? [] : ['www-authenticate', challenge]);
}

/** Instead of what the call would have said: it was broken off, or what it did could not be kept. */
export function breakOff(reply: Reply, id: RequestId | undefined, status: number, error: ErrorObject, more?: Fields): void {
  reply.finish(status, encodeAnswer({ id, error }), more);
}
