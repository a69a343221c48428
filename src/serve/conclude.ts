// The end of a call over HTTP: its answer becomes a body or the last event, with the status that belongs to it.
import { type ErrorObject, errorCodes } from '../jsonrpc/error.ts';
import type { RequestId } from '../jsonrpc/message.ts';
import { type Answer, encodeAnswer } from '../server/answer.ts';
import type { Fields } from './exchange.ts';
import type { HttpCall } from './http-call.ts';
import type { HttpReply } from './reply.ts';

export function conclude(call: HttpCall, reply: HttpReply, answer: Answer | readonly Answer[] | undefined, status: number): void {
  const encode = (one: Answer): string => encodeAnswer(one, (error) => call.endpoint.core.report(error, 'encode'));
  if (answer === undefined) reply.end();
  else if ('length' in answer) {
    // Nothing but notifications: there is nothing to say.
    if (answer.length === 0) reply.finish(202, '');
    else reply.finish(200, `[${answer.map(encode).join(',')}]`);
  } else if (answer.error?.code === errorCodes.forbidden) forbid(call, reply, answer);
  else reply.finish(status, encode(answer));
}

/** The caller may come back with more: the challenge names all that it takes. */
function forbid({ endpoint, exchange, principal, path }: HttpCall, reply: HttpReply, answer: Answer): void {
  const scopes = (answer.error?.data as { scopes?: readonly string[] } | undefined)?.scopes;
  const { auth } = endpoint.settings;
  if (auth === undefined || !Array.isArray(scopes)) return reply.finish(403, encodeAnswer(answer));
  const { status, challenge } = auth.stepUp(scopes, principal, endpoint.resource(exchange, path));
  reply.finish(status, encodeAnswer(answer), challenge === undefined ? [] : ['www-authenticate', challenge]);
}

/** Instead of what the call would have said: it was broken off, or what it did could not be kept. */
export function breakOff(reply: HttpReply, id: RequestId | undefined, status: number, error: ErrorObject, more?: Fields): void {
  reply.finish(status, encodeAnswer({ id, error }), more);
}
