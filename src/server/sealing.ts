// What a modern call remembers between its rounds, sealed: the client carries it and can neither read nor change it.
import { type ErrorObject, errorCodes, faults, RpcError, VivariumError } from '../jsonrpc/error.ts';
import type { Params } from '../jsonrpc/message.ts';
import { toBase64 } from '../protocol/constructors.ts';
import type { Reply } from './answer.ts';
import { digest, Flow, suspended } from './asking.ts';
import type { Call } from './call.ts';
import { resourcesFor } from './resources.ts';
import { ToolError } from './tool.ts';

/** Short names: this travels with every retry. */
interface State {
  readonly expires: number;
  readonly who: string | null;
  /** Digest of method, name and arguments: the state is good for this call only. */
  readonly call: string;
  readonly flow: string;
  readonly round: number;
  readonly answers: readonly (readonly [key: string, answer: unknown, digest: string])[];
  /** Questions that were open when this was sealed, with their digests. */
  readonly open: readonly (readonly [key: string, digest: string])[];
  /** Without a value where it is undefined, which JSON cannot say. */
  readonly memo: readonly (readonly [key: string, value?: unknown])[];
}

/** In the token when the state itself went to the store. */
interface Pointer {
  readonly stored: string;
  /** Of what was stored: a store that others can write to cannot put something else there. */
  readonly digest: string;
}

/**
 * Ends a run that asked: with its reply when every question was answered, with the open questions otherwise. A handler that
 * caught the suspension and returned all the same changes nothing; its author is told.
 */
export async function conclude(
  call: Call,
  params: Params,
  reply: Reply | undefined,
  fail: (error: unknown) => Reply | Promise<Reply>,
): Promise<Reply> {
  const { flow, core } = call;
  await flow.settled();
  if (flow.fault !== undefined) return fail(flow.fault);
  if (flow.open.size === 0) return reply ?? fail(RpcError.internal());
  if (reply !== undefined && reply !== suspended) {
    const text = `A handler went on although "${[...flow.open.keys()].join('", "')}" was not answered yet: let the suspension pass`;
    core.report(new VivariumError('ERR_CONFIG', text), call.method);
  }
  try {
    return await seal(call, params);
  } catch (error) {
    return fail(error);
  }
}

/** Ends a round: the questions that are open, and the state that brings their answers back to this call. */
async function seal(call: Call, params: Params): Promise<Reply> {
  const { core, flow } = call;
  const { ttlMs, maxRounds } = core.asking;
  const [first = ''] = flow.open.keys();
  if (flow.round + 1 > maxRounds) {
    throw new ToolError(
      `"${first}" was asked ${maxRounds} times without an answer that counts: its question must be the same in every round`,
    );
  }
  const digests = async (key: string): Promise<string> => digest(flow.texts.get(key) ?? '');
  const state: State = {
    expires: Date.now() + ttlMs,
    who: whoOf(call),
    call: await callDigest(call.method, params),
    flow: flow.id,
    round: flow.round + 1,
    answers: [...flow.answers].map(([key, answer]) => [key, answer, flow.digests.get(key) ?? '']),
    open: await Promise.all([...flow.open.keys()].map(async (key) => [key, await digests(key)] as const)),
    memo: [...flow.memo].map(([key, value]) => (value === undefined ? [key] : [key, value])),
  };
  return {
    result: core.stamp({
      resultType: 'input_required',
      inputRequests: Object.fromEntries(flow.open),
      requestState: await close(call, state),
    }),
  };
}

/** A later round: gives the call back what it knew, or says why not. */
export async function unseal(call: Call, params: Params): Promise<Reply | undefined> {
  const { requestState, inputResponses } = params;
  if (requestState === undefined) return undefined;
  if (inputResponses !== undefined && (typeof inputResponses !== 'object' || inputResponses === null || Array.isArray(inputResponses)))
    return { error: faults.invalidParams('inputResponses must be an object') };
  const state = typeof requestState === 'string' ? await open(call, requestState) : 'not a string';
  const fault = typeof state === 'string' ? state : await foreign(call, params, state);
  if (fault !== undefined || typeof state === 'string') {
    call.core.report(new VivariumError('ERR_CLOSED', `requestState refused: ${fault}`), call.method);
    return { error: refusal('Invalid or expired requestState') };
  }
  if (
    singleUse(call, params) &&
    !(await (await call.core.kept()).claim(`round ${state.flow} ${state.round}`, call.core.asking.ttlMs, call.principal?.id))
  ) {
    return { error: refusal('requestState was already used') };
  }
  const answers = new Map(state.answers.map(([key, answer]) => [key, answer]));
  const digests = new Map(state.answers.map(([key, , text]) => [key, text]));
  const given = (inputResponses ?? {}) as Params;
  for (const [key, text] of state.open) {
    if (!Object.hasOwn(given, key)) continue;
    answers.set(key, given[key]);
    digests.set(key, text);
  }
  call.resume(
    new Flow({ id: state.flow, round: state.round, answers, digests, memo: new Map(state.memo.map(([key, value]) => [key, value])) }),
  );
  return undefined;
}

function singleUse(call: Call, params: Params): boolean {
  const { core, method } = call;
  if (method === 'tools/call') return core.tools.get(params['name'] as string)?.details.singleUse === true;
  if (method === 'prompts/get') return core.prompts.get(params['name'] as string)?.details.singleUse === true;
  // Any that may serve it: a read goes on to the next when one finds nothing.
  return resourcesFor(call, params).some((resource) => resource.details.singleUse === true);
}

async function foreign(call: Call, params: Params, state: State): Promise<string | undefined> {
  if (!(state.expires > Date.now())) return 'expired';
  if (state.who !== whoOf(call)) return 'of another principal';
  return state.call === (await callDigest(call.method, params)) ? undefined : 'of another call';
}

/** With the issuer where it is known: two of them may give the same name to different people. */
function whoOf({ principal }: Call): string | null {
  return principal === undefined ? null : JSON.stringify([principal.claims?.['iss'] ?? null, principal.id]);
}

function refusal(message: string): ErrorObject {
  return { code: errorCodes.invalidParams, message, data: { reason: 'invalid_request_state' } };
}

async function callDigest(method: string, params: Params): Promise<string> {
  const { name, uri, arguments: args } = params;
  // By method: a member the method does not have must not stand in for the one it has.
  return digest(canonical(method === 'resources/read' ? [method, uri] : [method, name, args ?? {}]));
}

/** Independent of the order of members: a client may write its arguments anew. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical((value as Params)[key])}`).join(',')}}`;
}

async function close(call: Call, state: State): Promise<string> {
  const { inlineBytes, maxBytes, ttlMs } = call.core.asking;
  const text = new TextEncoder().encode(JSON.stringify(state));
  if (text.length > maxBytes) {
    const largest = [...state.memo, ...state.answers].reduce((a, b) => (size(a) >= size(b) ? a : b), ['', '']);
    throw new VivariumError(
      'ERR_TOO_LARGE',
      `What this call keeps between rounds exceeds ${maxBytes} bytes, most of it under "${largest[0]}": keep less, or a reference`,
    );
  }
  if (text.length <= inlineBytes) return encrypt(call, text);
  const stored = crypto.randomUUID();
  const sealed = await encrypt(call, text);
  await (await call.core.kept()).put(`state ${stored}`, sealed, ttlMs, call.principal?.id);
  return encrypt(call, new TextEncoder().encode(JSON.stringify({ stored, digest: await digest(sealed) } satisfies Pointer)));
}

function size(entry: readonly unknown[]): number {
  return (JSON.stringify(entry[1]) ?? '').length;
}

async function open(call: Call, token: string): Promise<State | string> {
  const text = await decrypt(call, token);
  if (text === undefined) return 'it does not open';
  const found = JSON.parse(text) as State | Pointer;
  if (!('stored' in found)) return found;
  const sealed = await (await call.core.kept()).get(`state ${found.stored}`);
  if (sealed !== undefined && (await digest(sealed)) !== found.digest) return 'not what was stored';
  // The client sent a few bytes only; what they stand for is kept until the call has ended.
  if (sealed !== undefined) call.hold(2 * sealed.length);
  const state = sealed === undefined ? undefined : await decrypt(call, sealed);
  return state === undefined ? 'no longer stored' : (JSON.parse(state) as State);
}

const version = 'v2';

/** Another server may share the key, or the store that holds it: what this one sealed is for this one. */
function labelOf({ core }: Call): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(['vivarium requestState', version, core.info.name]));
}

/** `v2.<key>.<nonce and ciphertext>`, AES-256-GCM. */
async function encrypt(call: Call, text: Uint8Array<ArrayBuffer>): Promise<string> {
  const [key] = await call.core.askingKeys();
  if (key === undefined) throw RpcError.internal();
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const body = await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData: labelOf(call) }, await imported(key), text);
  return `${version}.${await keyId(key)}.${toBase64Url(iv)}${toBase64Url(new Uint8Array(body))}`;
}

async function decrypt(call: Call, token: string): Promise<string | undefined> {
  const [head, id, body, ...rest] = token.split('.');
  if (head !== version || id === undefined || body === undefined || rest.length > 0) return undefined;
  for (const key of await call.core.askingKeys()) {
    if ((await keyId(key)) !== id) continue;
    try {
      const bytes = fromBase64(body);
      // Bits that say nothing may not be changed either: one state, one token.
      if (toBase64Url(bytes) !== body) return undefined;
      const plain = await crypto.subtle.decrypt(
        { name: 'AES-GCM', iv: bytes.subarray(0, 12), additionalData: labelOf(call) },
        await imported(key),
        bytes.subarray(12),
      );
      return new TextDecoder().decode(plain);
    } catch {
      return undefined;
    }
  }
  return undefined;
}

function imported(key: Uint8Array): ReturnType<typeof crypto.subtle.importKey> {
  return crypto.subtle.importKey('raw', key as Uint8Array<ArrayBuffer>, 'AES-GCM', false, ['encrypt', 'decrypt']);
}

async function keyId(key: Uint8Array): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', key as Uint8Array<ArrayBuffer>));
  return toBase64Url(hash.subarray(0, 6));
}

function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
