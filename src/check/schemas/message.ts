// Whether one message has the shape that its revision gives it.

import type { Revision } from '../../protocol/revision.ts';
import { isModern, traitsOf } from '../model/revision.ts';
import { link } from './asking.ts';
import { clientCapabilities } from './capabilities.ts';
import { progressToken, requestId } from './content.ts';
import { type Sender, vocabulary } from './methods.ts';
import { code, either, type Issue, integer, isObject, issuesOf, list, nothing, object, type Shape, step, string, word } from './shape.ts';
import { taskAugmented } from './tasks.ts';

export interface MessageToCheck {
  readonly revision: Revision;
  /** Who sent it. */
  readonly from: Sender;
  /** As parsed from JSON. */
  readonly message: unknown;
  /** For a response: the method of the request that it answers, where that is known. */
  readonly answers?: string | undefined;
}

const version = word('2.0');

/** Empty when all is well. A method that the revision does not define is judged by its envelope only: see `isDefined`. */
export function checkMessage({ revision, from, message, answers }: MessageToCheck): readonly Issue[] {
  if (Array.isArray(message)) return checkBatch({ revision, from, message, answers });
  if (!isObject(message)) return issuesOf(object(), message);
  const has = (name: string): boolean => Object.hasOwn(message, name);
  if (has('method')) return checkCall(revision, from, message);
  if (has('result') && has('error')) return [{ path: '/error', kind: 'value', message: 'must not stand beside result' }];
  if (has('error')) return issuesOf(errorShape(revision, message['error']), message);
  if (has('result')) return issuesOf(object({ jsonrpc: version, id: requestId, result: resultShape(revision, from, answers) }), message);
  return [{ path: '/method', kind: 'missing', message: 'is required, or result, or error' }];
}

/** Whether the revision knows this method from this sender. */
export function isDefined(revision: Revision, from: Sender, method: string): boolean {
  return vocabulary(revision)[from].has(method);
}

function checkBatch({ revision, from, message, answers }: MessageToCheck & { readonly message: readonly unknown[] }): readonly Issue[] {
  if (!traitsOf(revision).batches) return [{ path: '', kind: 'type', message: 'must be an object, is an array' }];
  if (message.length === 0) return [{ path: '', kind: 'value', message: 'must not be an empty array' }];
  return message.flatMap((one, index) => {
    if (Array.isArray(one)) return [{ path: step(index), kind: 'type' as const, message: 'must be an object, is an array' }];
    return checkMessage({ revision, from, message: one, answers }).map((issue) => ({ ...issue, path: step(index) + issue.path }));
  });
}

type Message = Readonly<Record<string, unknown>>;

function checkCall(revision: Revision, from: Sender, message: Message): readonly Issue[] {
  const name = message['method'];
  const method = typeof name === 'string' ? vocabulary(revision)[from].get(name) : undefined;
  const hasId = Object.hasOwn(message, 'id');
  if (method !== undefined && method.result === undefined && hasId)
    return [{ path: '/id', kind: 'value', message: `must not be there: ${name} is a notification` }];
  const params = method === undefined || method.bare ? { 'params?': method?.params ?? object() } : { params: method.params };
  const isRequest = hasId || method?.result !== undefined;
  return issuesOf(object({ jsonrpc: version, ...(isRequest && { id: requestId }), method: string, ...params }), message);
}

function resultShape(revision: Revision, from: Sender, answers: string | undefined): Shape {
  const words = vocabulary(revision);
  const asked = answers === undefined ? undefined : words[from === 'client' ? 'server' : 'client'].get(answers);
  return asked?.result ?? words.result;
}

/**
 * JSON-RPC gives an error whose request had no readable id the id null; the later schemas leave it out, the earlier ones know
 * neither. Null is accepted of all, absence where the schema has it.
 */
function errorShape(revision: Revision, error: unknown): Shape {
  const id = either(requestId, nothing);
  const given = isObject(error) ? error['code'] : undefined;
  const data = typeof given === 'number' ? errorData(revision).get(given) : undefined;
  const body = object({ code: data === undefined ? integer : code(given as number), message: string, ...(data !== undefined && { data }) });
  return object({ jsonrpc: version, [traitsOf(revision).optionalErrorId ? 'id?' : 'id']: id, error: body });
}

/** Errors that must say more than their code. */
function errorData(revision: Revision): ReadonlyMap<number, Shape> {
  if (traitsOf(revision).urlRequiredError) {
    const own = { '_meta?': object({ 'progressToken?': progressToken }), ...taskAugmented(revision) };
    return new Map([[-32042, object({ elicitations: list(link(revision, own)) })]]);
  }
  if (!isModern(revision)) return new Map();
  return new Map([
    [-32021, object({ requiredCapabilities: clientCapabilities(revision) })],
    [-32022, object({ supported: list(string), requested: string })],
  ]);
}
