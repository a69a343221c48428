// Lists come in pages: all of them, checked, and no more than a server may reasonably have.
import { VivariumError } from '../jsonrpc/error.ts';
import type { ListPromptsResult, ListResourcesResult, ListResourceTemplatesResult, ListToolsResult, Tool } from '../protocol/types.ts';
import { offers } from './negotiate.ts';
import type { Introduction, RequestOptions } from './options.ts';

export interface ListResults {
  readonly 'tools/list': ListToolsResult;
  readonly 'resources/list': ListResourcesResult;
  readonly 'resources/templates/list': ListResourceTemplatesResult;
  readonly 'prompts/list': ListPromptsResult;
}

export type ListMethod = keyof ListResults;

export const items: Readonly<Record<ListMethod, string>> = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
};

/** All pages together: each alone is bounded by the size of a message, which is as much. */
const maxLength = 64 * 1024 * 1024;
/** Of one list, on all its pages. */
const maxItems = 100_000;

interface Asker {
  readonly introduction: Introduction;
  readonly limits: { readonly pages: number };
  readonly tools: { complete: boolean };
  ask(method: string, params: object, options: RequestOptions, replay: 'safe'): Promise<object>;
  learn(tools: readonly Tool[], first: boolean): readonly Tool[];
}

export async function* pagesOf<M extends ListMethod>(
  asker: Asker,
  method: M,
  options: RequestOptions,
): AsyncGenerator<ListResults[M], void, undefined> {
  // Nothing of the kind is there to be listed.
  if (!offers(method, asker.introduction)) return;
  const seen = new Set<string>();
  let length = 0;
  let cursor: string | undefined;
  let count = 0;
  for (let page = 0; page < asker.limits.pages && length < maxLength; page++) {
    const result = await asker.ask(method, cursor === undefined ? {} : { cursor }, options, 'safe');
    const list = (result as Record<string, unknown>)[items[method]];
    if (!Array.isArray(list)) throw new VivariumError('ERR_PROTOCOL', `The server answered ${method} without ${items[method]}`);
    if (!list.every((one) => isItem(one, method)))
      throw new VivariumError('ERR_PROTOCOL', `The server answered ${method} with things that are none`);
    count += list.length;
    if (count > maxItems)
      throw new VivariumError('ERR_TOO_LARGE', `${method} has more than ${maxItems} entries; read them with client.request`);
    yield (method === 'tools/list' ? { ...result, tools: asker.learn(list, page === 0) } : result) as unknown as ListResults[M];
    const { nextCursor } = result as { nextCursor?: unknown };
    if (typeof nextCursor !== 'string') {
      if (method === 'tools/list') asker.tools.complete = true;
      return;
    }
    if (seen.has(nextCursor)) throw new VivariumError('ERR_PROTOCOL', `The pages of ${method} go round in circles`);
    length += JSON.stringify(result).length;
    seen.add(nextCursor);
    cursor = nextCursor;
  }
  throw new VivariumError('ERR_TOO_LARGE', `${method} has more than ${asker.limits.pages} pages (limits.pages) or 64 MB`);
}

function isItem(one: unknown, method: ListMethod): boolean {
  if (typeof one !== 'object' || one === null) return false;
  return method !== 'tools/list' || typeof (one as { name?: unknown }).name === 'string';
}
