// What a server offers, read from its own lists, and what of it may be used without harm.

import type { CallTerms, Surface, ToolCall } from '../model/surface.ts';
import { asList, asRecord, isRecord, type Json } from '../model/value.ts';
import { type Unverified, uncallable } from '../model/verdict.ts';
import { sampleOf } from '../schemas/sample.ts';
import type { Peer } from './peer/peer.ts';

const maxPages = 50;

export async function readSurface(peer: Peer): Promise<Surface> {
  const { capabilities } = peer.greeting;
  const list = (capability: string, method: string, key: string) =>
    capabilities[capability] === undefined ? Promise.resolve([]) : listAll(peer, method, key);
  return {
    tools: await list('tools', 'tools/list', 'tools'),
    resources: await list('resources', 'resources/list', 'resources'),
    templates: await list('resources', 'resources/templates/list', 'resourceTemplates'),
    prompts: await list('prompts', 'prompts/list', 'prompts'),
  };
}

/** Page by page, as long as cursors are new. */
async function listAll(peer: Peer, method: string, key: string): Promise<readonly Json[]> {
  const items: Json[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const { result } = await peer.request(method, cursor === undefined ? {} : { cursor });
    if (result === undefined) break;
    for (const item of asList(result[key])) if (isRecord(item)) items.push(item);
    const next = result['nextCursor'];
    if (typeof next !== 'string' || seen.has(next)) break;
    seen.add(next);
    cursor = next;
  }
  return items;
}

/** The tools that may be called: by the server's own word harmless, or allowed by the user. */
export function callable({ tools }: Surface, terms: CallTerms): readonly ToolCall[] {
  return tools.flatMap((tool) => {
    const { name } = tool;
    if (typeof name !== 'string') return [];
    const given = terms.arguments.get(name);
    if (given !== undefined) return [{ name, arguments: given, tool }];
    if (asRecord(tool['annotations'])['readOnlyHint'] !== true && !terms.allowSideEffects) return [];
    return [{ name, arguments: asRecord(sampleOf(tool['inputSchema'])), tool }];
  });
}

/** Why no tool was called. */
export function whyUncallable({ tools }: Surface): string | Unverified {
  if (tools.length === 0) return 'the server lists no tool';
  const names = tools.slice(0, 3).map(({ name }) => String(name));
  const more = tools.length > 3 ? ` and ${tools.length - 3} more` : '';
  return uncallable(`${names.join(', ')}${more}: no readOnlyHint; give --args or --allow-side-effects`);
}
