// What a server asks of its client: the same handlers answer requests of the older era and rounds of the newer one.
import { type ErrorObject, errorCodes, faults, RpcError } from '../jsonrpc/error.ts';
import type { Params, RequestId } from '../jsonrpc/message.ts';
import type { Revision } from '../protocol/revision.ts';
import { traitsOf } from '../protocol/revision.ts';
import type { ClientCapabilities, CreateMessageResult, ElicitRequestParams, ElicitResult, Root } from '../protocol/types.ts';
import type { ClientOptions, HandlerContext, Handlers } from './options.ts';

/** A handler that is there is a capability; the revision decides how it is written down. */
export function capabilitiesOf({ handlers, features = [], extensions = [] }: ClientOptions): ClientCapabilities {
  const url = features.includes('elicitation.url');
  return {
    ...(handlers?.elicit !== undefined && { elicitation: url ? { form: {}, url: {} } : { form: {} } }),
    ...(handlers?.sample !== undefined && { sampling: features.includes('sampling.tools') ? { tools: {} } : {} }),
    ...(handlers?.roots !== undefined && { roots: features.includes('roots.listChanged') ? { listChanged: true } : {} }),
    ...(extensions.length > 0 && { extensions: Object.fromEntries(extensions.map(({ id, settings }) => [id, (settings ?? {}) as never])) }),
  };
}

/** Throws RpcError for what may not be asked; whatever else a handler throws is its own. */
export async function answer(
  handlers: Handlers,
  features: ClientOptions['features'],
  revision: Revision,
  method: string,
  params: Params | undefined,
  context: HandlerContext,
): Promise<object> {
  const { elicit, sample, roots } = handlers;
  switch (method) {
    case 'elicitation/create': {
      if (elicit === undefined || !traitsOf(revision).forms) break;
      const ask = (params ?? {}) as unknown as ElicitRequestParams;
      if (ask.mode === 'url' && !(features ?? []).includes('elicitation.url'))
        throw new RpcError(errorCodes.invalidParams, 'This client opens no URLs');
      if (ask.mode !== 'url' && (typeof ask.requestedSchema !== 'object' || ask.requestedSchema === null)) {
        throw RpcError.invalidParams('requestedSchema must be an object');
      }
      return withDefaults(ask, checkElicited(await elicit(ask, context)));
    }
    case 'sampling/createMessage': {
      if (sample === undefined) break;
      if (!Array.isArray(params?.['messages'])) throw RpcError.invalidParams('messages must be an array');
      const wantsTools = params?.['tools'] !== undefined || params?.['toolChoice'] !== undefined;
      if (wantsTools && !(features ?? []).includes('sampling.tools'))
        throw new RpcError(errorCodes.invalidParams, 'This client samples without tools');
      return checkSampled(await sample(params as never, context));
    }
    case 'roots/list':
      if (roots === undefined) break;
      return { roots: checkRoots(await roots(context)) };
  }
  throw RpcError.from(faults.methodNotFound(method));
}

/** What programs without types give back: said in words of the handler's author. */
function checkElicited(answered: ElicitResult): ElicitResult {
  if (isObject(answered) && actions.includes(answered.action)) return answered;
  throw new Error(`The elicit handler returned ${naming(answered)}: return { action: 'accept' | 'decline' | 'cancel' }`);
}

const actions: readonly string[] = ['accept', 'decline', 'cancel'];

function checkSampled(answered: CreateMessageResult): CreateMessageResult {
  if (isObject(answered) && isObject(answered.content)) return answered;
  throw new Error(`The sample handler returned ${naming(answered)}: return { role, content, model }`);
}

function checkRoots(answered: readonly Root[]): Root[] {
  if (Array.isArray(answered)) return [...(answered as readonly Root[])];
  throw new Error(`The roots handler returned ${naming(answered)}: return a list such as [{ uri: 'file:///home/me/project' }]`);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function naming(value: unknown): string {
  return value === undefined ? 'nothing' : 'something else';
}

/** What the user left alone holds as the form showed it. */
function withDefaults(ask: ElicitRequestParams, answered: ElicitResult): ElicitResult {
  if (answered.action !== 'accept' || ask.mode === 'url') return answered;
  const content: Record<string, unknown> = { ...answered.content };
  for (const [name, field] of Object.entries(ask.requestedSchema.properties ?? {})) {
    const value = (field as { default?: unknown }).default;
    if (value !== undefined && !Object.hasOwn(content, name)) content[name] = value;
  }
  return { ...answered, content } as ElicitResult;
}

/** As a server is told of it: nothing of ours beyond the message. */
function toError(error: unknown): ErrorObject {
  if (error instanceof RpcError) return error.toObject();
  return { ...faults.internal(), message: error instanceof Error ? error.message : 'The client failed to answer' };
}

/** Each may be a window in front of a person. */
const maxOpen = 64;

/** Questions of the server that are being answered. */
export class Answering {
  readonly #options: ClientOptions;
  readonly #open: Map<RequestId, AbortController> = new Map();

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  answer(
    id: RequestId,
    method: string,
    params: Params | undefined,
    revision: Revision,
    send: (outcome: { readonly result: object } | { readonly error: object }) => void,
  ): void {
    if (method === 'ping') return send({ result: {} });
    if (this.#open.size >= maxOpen) return send({ error: { ...faults.internal(), message: 'The client is answering too many questions' } });
    const controller = new AbortController();
    this.#open.set(id, controller);
    const { handlers = {}, features } = this.#options;
    const end = (outcome: { readonly result: object } | { readonly error: object }): void => {
      if (this.#open.get(id) === controller) this.#open.delete(id);
      if (!controller.signal.aborted) send(outcome);
    };
    answer(handlers, features, revision, method, params, { signal: controller.signal }).then(
      (result) => end({ result }),
      (error: unknown) => end({ error: toError(error) }),
    );
  }

  cancel(id: RequestId): void {
    this.#open.get(id)?.abort();
  }

  /** Nobody waits for these answers any more. */
  close(): void {
    for (const controller of this.#open.values()) controller.abort();
    this.#open.clear();
  }
}
