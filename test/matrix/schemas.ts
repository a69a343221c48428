// The official JSON Schemas as judge over every message the package emits in a test.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import type { Revision } from 'vivarium';

const addFormats = addFormatsModule.default;

/** The folder that holds the official schemas, when there is one. */
export const reference: string | undefined = process.env['VIVARIUM_REFERENCE'];

if (reference !== undefined && !existsSync(join(reference, 'spec'))) {
  throw new Error(`VIVARIUM_REFERENCE names ${reference}, which has no spec folder`);
}

/** Result types by method; a revision that lacks the method lacks the row's meaning too. */
const results: ReadonlyMap<string, string> = new Map([
  ['initialize', 'InitializeResult'],
  ['ping', 'EmptyResult'],
  ['server/discover', 'DiscoverResult'],
  ['tools/list', 'ListToolsResult'],
  ['tools/call', 'CallToolResult'],
  ['resources/list', 'ListResourcesResult'],
  ['resources/templates/list', 'ListResourceTemplatesResult'],
  ['resources/read', 'ReadResourceResult'],
  ['resources/subscribe', 'EmptyResult'],
  ['resources/unsubscribe', 'EmptyResult'],
  ['prompts/list', 'ListPromptsResult'],
  ['prompts/get', 'GetPromptResult'],
  ['completion/complete', 'CompleteResult'],
  ['logging/setLevel', 'EmptyResult'],
  ['subscriptions/listen', 'SubscriptionsListenResult'],
]);

type Check = { (value: unknown): boolean; errors?: unknown };

const judges = new Map<Revision, (definition: string) => Check | undefined>();

function judge(revision: Revision): (definition: string) => Check | undefined {
  let found = judges.get(revision);
  if (found === undefined) {
    const schema = JSON.parse(readFileSync(join(reference as string, 'spec', `${revision}.schema.json`), 'utf8'));
    const modern = '$defs' in schema;
    const ajv = modern ? new Ajv2020({ strict: false, allErrors: true }) : new Ajv({ strict: false, allErrors: true });
    addFormats(ajv as never);
    ajv.addSchema({ ...schema, $id: `urn:mcp:${revision}` });
    found = (definition) => ajv.getSchema(`urn:mcp:${revision}#/${modern ? '$defs' : 'definitions'}/${definition}`) as Check | undefined;
    judges.set(revision, found);
  }
  return found;
}

/**
 * Throws when a message of the server does not fit the official schema of its revision.
 * The one named exception: an error without a readable id says `id: null` up to 2025-06-18, as JSON-RPC demands.
 */
export function judgeMessage(message: unknown, revision: Revision, method: string | undefined): void {
  if (reference === undefined) return;
  const { id, result, error, method: own } = message as Record<string, unknown>;
  if (own !== undefined && id !== undefined) fits('JSONRPCRequest', message, revision, 'ServerRequest');
  else if (own !== undefined) fits('JSONRPCNotification', message, revision, 'ServerNotification');
  else if (error !== undefined) {
    const named = id === null ? { ...(message as object), id: 0 } : message;
    if (id === null && revision >= '2025-11-25') throw new Error(`id: null does not exist in ${revision}: ${JSON.stringify(message)}`);
    fits(revision >= '2025-11-25' ? 'JSONRPCErrorResponse' : 'JSONRPCError', named, revision);
  } else {
    fits(revision >= '2025-11-25' ? 'JSONRPCResultResponse' : 'JSONRPCResponse', message, revision);
    const type = method === undefined ? undefined : results.get(method);
    const asks = (result as { resultType?: unknown }).resultType === 'input_required';
    if (type !== undefined) fits(asks ? 'InputRequiredResult' : type, result, revision);
  }
}

function fits(definition: string, value: unknown, revision: Revision, also?: string): void {
  for (const name of [definition, also]) {
    if (name === undefined) continue;
    const check = judge(revision)(name);
    if (check === undefined) throw new Error(`The schema of ${revision} has no ${name}`);
    if (!check(value))
      throw new Error(`${JSON.stringify(value).slice(0, 600)} is no ${name} of ${revision}: ${JSON.stringify(check.errors)}`);
  }
}
