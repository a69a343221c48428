// Asking the client in the middle of a call: a request where connections last, a replay where they do not.
import { RpcError, VivariumError } from '../jsonrpc/error.ts';
import { methods } from '../protocol/methods.ts';
import type { CreateMessageRequestParams, CreateMessageResult, Root } from '../protocol/types.ts';
import type { Schema } from '../schema/schema.ts';
import type { Reply } from './answer.ts';
import type { Call } from './call.ts';
import type { ClientFeature, Elicited } from './context.ts';
import { flatFault, toFlatSchema } from './flat-schema.ts';
import { ToolError } from './tool.ts';

/** As it goes into a request of ours, or into `inputRequests`. */
export interface Question {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  readonly params?: object;
}

/** What a run that was suspended gives back, for `conclude` to replace. */
export const suspended: Reply = { result: {} };

/** Ends a round of a modern call. Authors should let it pass; whoever catches it changes nothing. */
export class Suspension extends Error {
  constructor(key: string) {
    super(`The answer to "${key}" is not there yet: this call goes on when the client has sent it`);
    this.name = 'Suspension';
  }
}

/** The client answered a question of ours with an error: the model is told, where an RpcError of the author's would be the protocol's. */
export class PeerRefusal extends RpcError {
  readonly feature: ClientFeature;

  constructor(error: RpcError, feature: ClientFeature) {
    super(error.code, error.message, { data: error.data, cause: error });
    this.feature = feature;
  }
}

/** The client cannot be asked for this. */
export class LacksFeature extends VivariumError {
  readonly feature: ClientFeature;

  constructor(feature: ClientFeature) {
    super('ERR_UNSUPPORTED_BY_PEER', `The client does not support ${feature}: ask ctx.can('${feature}') first, or list it in needs`);
    this.feature = feature;
  }
}

/** What one call has asked, been told and done once, over all its rounds. */
export class Flow {
  readonly id: string;
  readonly round: number;
  readonly answers: Map<string, unknown>;
  /** Of the questions behind `answers`: an answer counts only for the question it was given to. */
  readonly digests: ReadonlyMap<string, string>;
  readonly memo: Map<string, unknown>;
  /** Questions without an answer in this round, and the text that identifies each. */
  readonly open: Map<string, Question> = new Map();
  readonly texts: Map<string, string> = new Map();
  /** A misuse of keys; it wins over a suspension. */
  fault: VivariumError | undefined;
  readonly #used: Map<string, { readonly what: string; readonly promise: Promise<unknown> }> = new Map();
  readonly #working: Set<Promise<unknown>> = new Set();
  /** The round has ended: what was not started by now waits for the next. */
  #ended = false;

  constructor(known: Partial<Pick<Flow, 'id' | 'round' | 'answers' | 'digests' | 'memo'>> = {}) {
    this.id = known.id ?? crypto.randomUUID();
    this.round = known.round ?? 0;
    this.answers = known.answers ?? new Map();
    this.digests = known.digests ?? new Map();
    this.memo = known.memo ?? new Map();
  }

  /** One key, one question: asked twice it is one question with one answer. */
  use(key: string, what: string, start: () => Promise<unknown>): Promise<unknown> {
    const used = this.#used.get(key);
    if (used?.what === what) return used.promise;
    if (used !== undefined) {
      this.fault = new VivariumError(
        'ERR_DUPLICATE',
        `The key "${key}" is used for two different things in one call: give each its own key`,
      );
      return quiet(Promise.reject(this.fault));
    }
    if (this.#ended) return quiet(Promise.reject(new Suspension(key)));
    const promise = start();
    this.#used.set(key, { what, promise });
    this.#working.add(promise);
    const done = (): void => void this.#working.delete(promise);
    promise.then(done, done);
    return promise;
  }

  /** A step that was started is never forgotten: the round ends when it has. */
  async settled(): Promise<void> {
    while (this.#working.size > 0) await Promise.allSettled(this.#working);
    this.#ended = this.open.size > 0;
  }
}

/** A question nobody awaits any more, since another suspended the call before it, must not end the process. */
function quiet<T>(asked: Promise<T>): Promise<T> {
  asked.catch(() => undefined);
  return asked;
}

export function elicit(call: Call, key: string, message: string, schema: Schema): Promise<Elicited<unknown>> {
  return quiet(byForm(call, key, message, schema));
}

async function byForm(call: Call, key: string, message: string, schema: Schema): Promise<Elicited<unknown>> {
  const flat = toFlatSchema(schema.json, call.traits);
  if (typeof flat === 'string') throw new VivariumError('ERR_SCHEMA', `Elicitation "${key}": ${flat}`);
  const params = { ...(call.traits.richElicitation && { mode: 'form' }), message, requestedSchema: flat };
  const answer = await ask(call, key, { method: 'elicitation/create', params }, 'elicitation');
  const { action, content } = elicited(answer, key);
  if (action !== 'accept') return { action };
  const fault = flatFault(flat, content);
  if (fault !== undefined) throw new ToolError(`The answer to "${key}" does not fit: ${fault}`);
  await schema.prepare();
  const verdict = await schema.check(content);
  if (verdict.problem !== undefined) throw new ToolError(`The answer to "${key}" does not fit: ${verdict.problem}`);
  return { action, content: verdict.value };
}

type Reaction = { readonly action: Elicited<never>['action'] };

export function elicitUrl(call: Call, key: string, message: string, url: string): Promise<Reaction> {
  return quiet(byUrl(call, key, message, url));
}

async function byUrl(call: Call, key: string, message: string, url: string): Promise<Reaction> {
  const legacy = call.era === 'legacy';
  if (legacy && !call.traits.richElicitation) throw new LacksFeature('elicitation.url');
  const elicitationId = legacy ? crypto.randomUUID() : undefined;
  const params = { mode: 'url', message, url, ...(elicitationId !== undefined && { elicitationId }) };
  const identity = JSON.stringify([message, url]);
  const answer = await ask(call, key, { method: 'elicitation/create', params }, 'elicitation.url', identity, () => {
    if (elicitationId !== undefined)
      call.atEnd({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId } });
  });
  return { action: elicited(answer, key).action };
}

export function sample(call: Call, key: string, params: CreateMessageRequestParams): Promise<CreateMessageResult> {
  return quiet(sampled(call, key, params));
}

async function sampled(call: Call, key: string, params: CreateMessageRequestParams): Promise<CreateMessageResult> {
  const feature = params.tools === undefined && params.toolChoice === undefined ? 'sampling' : 'sampling.tools';
  const answer = await ask(call, key, { method: 'sampling/createMessage', params }, feature);
  const { role, content, model } = asObject(answer, key);
  if ((role !== 'user' && role !== 'assistant') || typeof content !== 'object' || content === null || typeof model !== 'string') {
    throw RpcError.invalidParams(`The answer to "${key}" is no sampling result`);
  }
  return answer as CreateMessageResult;
}

export function roots(call: Call): Promise<readonly Root[]> {
  return quiet(listed(call));
}

async function listed(call: Call): Promise<readonly Root[]> {
  const answer = await ask(call, 'roots', { method: 'roots/list' }, 'roots');
  const list = asObject(answer, 'roots')['roots'];
  if (!Array.isArray(list) || !list.every((root) => typeof root?.uri === 'string')) {
    throw RpcError.invalidParams('The answer to "roots" is no list of roots');
  }
  return list;
}

/** The value is checked in every era, so that what cannot be replayed fails in the author's first test. */
export function once<T>(call: Call, key: string, step: () => T | Promise<T>): Promise<T> {
  const { flow } = call;
  return flow.use(key, 'once', async () => {
    if (flow.memo.has(key)) return structuredClone(flow.memo.get(key));
    const value = await step();
    const fault = jsonFault(value, '');
    if (fault !== undefined)
      throw new VivariumError('ERR_NOT_JSON', `once("${key}") gave ${fault}: return JSON, such as a string for a date`);
    // A copy: what the handler does to the value later is not what the step gave.
    flow.memo.set(key, structuredClone(value));
    return value;
  }) as Promise<T>;
}

/** `identity` is what makes two questions the same; by default all of it. `accepted` is called once, however often it is asked. */
function ask(
  call: Call,
  key: string,
  question: Question,
  feature: ClientFeature,
  identity: string = JSON.stringify(question.params),
  accepted?: () => void,
): Promise<unknown> {
  const text = `${question.method} ${identity}`;
  return call.flow.use(key, text, async () => {
    if (!call.can(feature) || !exists(call, question)) throw new LacksFeature(feature);
    const answer = await (call.era === 'legacy' ? askNow(call, question, feature) : replay(call.flow, key, question, text));
    if ((answer as { action?: unknown } | undefined)?.action === 'accept') accepted?.();
    return answer;
  });
}

/** A client may declare what its revision does not have. */
function exists({ era, revision }: Call, { method }: Question): boolean {
  return era === 'modern' || methods.get(method)?.revisions.has(revision) === true;
}

/** While the client thinks, progress keeps its timer from running out. */
async function askNow(call: Call, question: Question, feature: ClientFeature): Promise<unknown> {
  const beat = call.heartbeat();
  try {
    return await call.ask(question.method, question.params);
  } catch (error) {
    throw error instanceof RpcError ? new PeerRefusal(error, feature) : error;
  } finally {
    beat[Symbol.dispose]();
  }
}

async function replay(flow: Flow, key: string, question: Question, text: string): Promise<unknown> {
  if (flow.answers.has(key)) {
    if (flow.digests.get(key) === (await digest(text))) return structuredClone(flow.answers.get(key));
    // Consent to one question never counts for another.
    flow.answers.delete(key);
  }
  flow.open.set(key, question);
  flow.texts.set(key, text);
  throw new Suspension(key);
}

export async function digest(text: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function elicited(answer: unknown, key: string): { readonly action: 'accept' | 'decline' | 'cancel'; readonly content: unknown } {
  const { action, content } = asObject(answer, key);
  if (action === 'accept' || action === 'decline' || action === 'cancel') return { action, content };
  throw RpcError.invalidParams(`The answer to "${key}" is no elicitation result`);
}

function asObject(answer: unknown, key: string): Readonly<Record<string, unknown>> {
  if (typeof answer === 'object' && answer !== null && !Array.isArray(answer)) return answer as Record<string, unknown>;
  throw RpcError.invalidParams(`The answer to "${key}" must be an object`);
}

/** Where a value stops being JSON; undefined itself may be kept. */
function jsonFault(value: unknown, path: string): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `${value} at ${path || 'the root'}`;
  if (value === undefined && path === '') return undefined;
  if (typeof value !== 'object') return `a ${typeof value} at ${path || 'the root'}`;
  if (path.length > 1_000) return `something nested too deeply at ${path.slice(0, 60)}…`;
  const prototype = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== null && prototype !== Object.prototype) {
    return `a ${prototype.constructor?.name ?? 'special object'} at ${path || 'the root'}`;
  }
  for (const [key, item] of Object.entries(value)) {
    const fault = jsonFault(item, `${path}/${key}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
