// Rounds of 2026-07-28: the server answers with questions, and the request is made again with answers.
import { cut, RpcError, VivariumError } from '../jsonrpc/error.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { Revision } from '../protocol/revision.ts';
import type { InputRequiredResult } from '../protocol/types.ts';
import { withBoth } from '../text/timeouts.ts';
import { answer } from './incoming.ts';
import type { ClientExtension, ClientOptions, ExtensionCall } from './options.ts';

/** Until somebody gives up: whoever made the call, or whoever closes the client. */
export async function nextRound(
  params: object,
  result: InputRequiredResult,
  options: ClientOptions,
  revision: Revision,
  own: AbortSignal | undefined,
  ending: AbortSignal,
): Promise<object> {
  const ask = (signal: AbortSignal): Promise<object> => answered(params, result, options, revision, signal);
  try {
    return await (own === undefined ? ask(ending) : withBoth(own, ending, ask));
  } catch (error) {
    if (ending.aborted) throw new VivariumError('ERR_CLOSED', 'The client is closed');
    if (own?.aborted) throw new VivariumError('ERR_CANCELLED', 'The request was cancelled', { cause: own.reason });
    throw error;
  }
}

/** The state goes back exactly as it came, and only with the call it came from. */
async function answered(
  params: object,
  { inputRequests, requestState }: InputRequiredResult,
  { handlers = {}, features }: ClientOptions,
  revision: Revision,
  signal: AbortSignal,
): Promise<object> {
  if (inputRequests === undefined && requestState === undefined) {
    throw new VivariumError('ERR_PROTOCOL', 'The server asks for input without saying what');
  }
  const asked = Object.entries(inputRequests ?? {});
  const odd = asked.find(([, one]: [string, unknown]) => typeof (one as { method?: unknown } | null)?.method !== 'string');
  if (odd !== undefined || typeof (inputRequests ?? {}) !== 'object') {
    throw new VivariumError('ERR_PROTOCOL', `The server asks for input that cannot be read${odd === undefined ? '' : ` ("${odd[0]}")`}`);
  }
  const answers = await unless(
    signal,
    Promise.all(
      asked.map(
        async ([key, { method, params: about }]) =>
          [key, await answer(handlers, features, revision, method, about as Params | undefined, { signal }).catch(failed(method))] as const,
      ),
    ),
  );
  return {
    ...params,
    ...(inputRequests !== undefined && { inputResponses: Object.fromEntries(answers) }),
    ...(requestState !== undefined && { requestState }),
  };
}

/** Whoever ponders is not waited for once nobody wants the answer. */
function unless<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** There is no way to tell the server, so the call fails; a refusal of ours is told as it is. */
function failed(method: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof RpcError) {
      throw new VivariumError('ERR_PROTOCOL', `The server asks for ${method}, which this client did not declare: ${error.message}`, {
        cause: error,
      });
    }
    const message = error instanceof Error ? error.message : String(error);
    throw new VivariumError('ERR_CANCELLED', `The handler for ${method} failed: ${message}`, { cause: error });
  };
}

/** Who knows what to do with a result that is neither final nor a question. */
export function resultHandler(
  extensions: readonly ClientExtension[] = [],
  method: string,
  type: string,
): (result: object, call: ExtensionCall) => Promise<object> {
  const results = extensions.map((one) => one.results ?? {}).find((known) => Object.hasOwn(known, type));
  const handler = results?.[type];
  if (handler === undefined) throw new VivariumError('ERR_PROTOCOL', `${method} gave a result of the unknown type "${cut(type)}"`);
  return handler;
}
