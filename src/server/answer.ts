// What dispatch hands back to a porch, and how a porch writes it down.
import { cut, type ErrorObject, errorCodes, faults, type RpcReason, unsupportedMethod } from '../jsonrpc/error.ts';
import type { RequestId } from '../jsonrpc/message.ts';
import type { RevisionTraits } from '../protocol/revision.ts';
import type { ErrorDetails } from './options.ts';

/** The outcome of one method: a result (with its text when that is already known) or an error. */
export type Reply = { readonly result: object; readonly json?: string } | { readonly error: ErrorObject; readonly reason?: RpcReason };

/** No tool or prompt has this name, or the caller may not see it: the answer is the same. */
export function unknownName(kind: 'tool' | 'prompt', name: unknown): Reply {
  const details = `Unknown ${kind}: ${cut(String(name))}`;
  return { error: { code: errorCodes.invalidParams, message: details, data: { details } }, reason: 'unknown-name' };
}

/** `id` is null or absent only on an error whose request could not be read. */
export interface Answer {
  readonly id: RequestId | null | undefined;
  readonly result?: object;
  readonly json?: string | undefined;
  readonly error?: ErrorObject;
}

/** Undefined: nothing is to be sent. A promise only when the handler needs time, so that everything else keeps its order. */
export type DispatchOutcome = Answer | undefined | Promise<Answer | undefined>;

export type BatchOutcome = Answer | readonly Answer[] | undefined | Promise<Answer | readonly Answer[] | undefined>;

export function toAnswer(id: RequestId, reply: Reply): Answer {
  return 'error' in reply ? { id, error: reply.error } : { id, result: reply.result, json: reply.json };
}

/** An error without a readable id: null or absent, as the revision last spoken on this connection has it. */
export function toErrorAnswer(id: RequestId | undefined, error: ErrorObject, traits: RevisionTraits | undefined): Answer {
  return { id: id ?? (traits === undefined || traits.nullIds ? null : undefined), error };
}

/** The message as an object, for porches that hand over objects. */
export function toMessage(answer: Answer): object {
  const { id, result, error } = answer;
  if (error === undefined) return { jsonrpc: '2.0', id, result };
  return id === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id, error };
}

/** The message as one line of JSON. A result that cannot be written (a BigInt, a cycle) becomes an internal error. */
export function encodeAnswer(answer: Answer, onError?: (error: unknown) => void): string {
  const { id, error } = answer;
  const head = id === undefined ? '{"jsonrpc":"2.0",' : `{"jsonrpc":"2.0","id":${typeof id === 'number' ? id : JSON.stringify(id)},`;
  try {
    if (error !== undefined) return `${head}"error":${JSON.stringify(error)}}`;
    const text = answer.json ?? JSON.stringify(answer.result);
    // JSON.stringify gives undefined for what JSON has no word for.
    if (text === undefined) throw new TypeError('A result must be an object');
    return `${head}"result":${text}}`;
  } catch (cause) {
    onError?.(cause);
    return `${head}"error":${JSON.stringify(faults.internal())}}`;
  }
}

/** The same error with its details where the server wants them; what a program needs, such as a uri, stays in data. */
export function reworded(error: ErrorObject, where: ErrorDetails): ErrorObject {
  const { code, message, data } = error;
  const details = typeof data === 'object' && data !== null && 'details' in data && Object.keys(data).length === 1 ? data.details : data;
  if (typeof details !== 'string') return { code, message, ...(data !== undefined && { data }) };
  if (where === 'text') return { code, message, data: details };
  const about = unsupportedMethod(error) ?? details;
  return { code, message: message === about ? message : `${message}: ${about}` };
}

/** Of whatever a porch is about to send. */
export function rewordedOutcome<T extends BatchOutcome>(outcome: T, where: ErrorDetails): T {
  if (outcome instanceof Promise) return outcome.then((settled) => rewordedOutcome(settled, where)) as T;
  if (outcome === undefined) return outcome;
  if (Array.isArray(outcome)) return outcome.map((one: Answer) => rewordedOutcome(one, where)) as unknown as T;
  const { error } = outcome as Answer;
  return error === undefined ? outcome : { ...outcome, error: reworded(error, where) };
}

/** Resource-not-found has one meaning and two codes. */
export function forEra(error: ErrorObject, traits: RevisionTraits): ErrorObject {
  return error.code === errorCodes.resourceNotFound && traits.era === 'modern' ? { ...error, code: errorCodes.invalidParams } : error;
}
