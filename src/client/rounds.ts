// Rounds of 2026-07-28: the server answers with questions, and the request is made again with answers.
import { VivariumError } from '../jsonrpc/error.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { Revision } from '../protocol/revision.ts';
import type { InputRequiredResult } from '../protocol/types.ts';
import { answer } from './incoming.ts';
import type { ClientOptions } from './options.ts';

/** The state goes back exactly as it came, and only with the call it came from. */
export async function nextRound(
  params: object,
  { inputRequests, requestState }: InputRequiredResult,
  { handlers = {}, features }: ClientOptions,
  revision: Revision,
  signal: AbortSignal = new AbortController().signal,
): Promise<object> {
  if (inputRequests === undefined && requestState === undefined) {
    throw new VivariumError('ERR_PROTOCOL', 'The server asks for input without saying what');
  }
  const asked = Object.entries(inputRequests ?? {});
  const odd = asked.find(([, one]: [string, unknown]) => typeof (one as { method?: unknown } | null)?.method !== 'string');
  if (odd !== undefined || typeof (inputRequests ?? {}) !== 'object') {
    throw new VivariumError('ERR_PROTOCOL', `The server asks for input that cannot be read${odd === undefined ? '' : ` ("${odd[0]}")`}`);
  }
  const answers = await Promise.all(
    asked.map(
      async ([key, { method, params: about }]) =>
        [key, await answer(handlers, features, revision, method, about as Params | undefined, { signal })] as const,
    ),
  );
  return {
    ...params,
    ...(inputRequests !== undefined && { inputResponses: Object.fromEntries(answers) }),
    ...(requestState !== undefined && { requestState }),
  };
}
