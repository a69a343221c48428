// Resources and prompts as tools, for clients that know only tools.
import type { ContentBlock, GetPromptResult, ReadResourceResult } from '../protocol/types.ts';
import { jsonSchema } from '../schema/schema.ts';
import type { Call } from './call.ts';
import type { Context } from './context.ts';
import type { Feature } from './core.ts';
import type { Prompt } from './prompt.ts';
import type { Resource } from './resource.ts';
import type { Registered, Server } from './server.ts';
import type { ToolDetails } from './tool-options.ts';

const readOnly = { annotations: { readOnlyHint: true } } as const;

/** Once per server: every address can be listed and read. */
export function exposeResources(server: Server): void {
  server.tool(
    'resource_list',
    { ...readOnly, description: 'List the resources that can be read', input: jsonSchema<{ cursor?: string }>(cursorSchema) },
    async ({ cursor }, ctx) => JSON.stringify(await ask(ctx, 'listResources', cursor === undefined ? {} : { cursor })),
  );
  server.tool(
    'resource_read',
    { ...readOnly, description: 'Read a resource by its URI', input: jsonSchema<{ uri: string }>(uriSchema) },
    ({ uri }, ctx) => read(ctx, uri),
  );
}

/** A template becomes a tool whose arguments are its variables. */
export function exposeTemplate(server: Server, { name, details, template }: Resource): Registered<ToolDetails> | undefined {
  if (template === undefined) return undefined;
  const properties = Object.fromEntries(
    template.variables.map(({ name: variable, explode }) => [
      variable,
      explode ? { type: 'array', items: { type: 'string' } } : { type: 'string' },
    ]),
  );
  const required = template.variables.filter((variable) => variable.required).map((variable) => variable.name);
  const description = details.description ?? `Read ${name}`;
  const input = jsonSchema<Record<string, string | string[]>>({ type: 'object', properties, required });
  return server.tool(`read_${slug(details.name ?? name)}`, { ...readOnly, description, input }, (variables, ctx) =>
    read(ctx, template.expand(variables)),
  );
}

export function exposePrompt(server: Server, { name, details, input }: Prompt): Registered<ToolDetails> {
  const description = details.description ?? `The prompt ${name}`;
  const schema = jsonSchema<Record<string, unknown>>(input?.json ?? { type: 'object' });
  return server.tool(`prompt_${slug(name)}`, { ...readOnly, description, input: schema }, async (args, ctx) => {
    const strings = Object.fromEntries(Object.entries(args).map(([key, value]) => [key, String(value)]));
    const { messages } = (await ask(ctx, 'getPrompt', { name, arguments: strings })) as GetPromptResult;
    return messages.flatMap(({ role, content }): (string | ContentBlock)[] => (role === 'user' ? [content] : ['assistant:', content]));
  });
}

async function read(ctx: Context, uri: string): Promise<ContentBlock[]> {
  const { contents } = (await ask(ctx, 'readResource', { uri })) as ReadResourceResult;
  return contents.map((item) => (item.text === undefined ? { type: 'resource', resource: item } : { type: 'text', text: item.text }));
}

/** The same feature a request would reach, in the same call. */
async function ask(ctx: Context, feature: 'listResources' | 'readResource' | 'getPrompt', params: object): Promise<object> {
  const { RpcError } = await import('../jsonrpc/error.ts');
  const all = { ...(await import('./resources.ts')), ...(await import('./prompts.ts')) };
  const reply = await (all[feature] as Feature)(ctx as Call, params as Record<string, unknown>);
  if ('error' in reply) throw new Error(RpcError.from(reply.error).message);
  return reply.result;
}

const cursorSchema = { type: 'object', properties: { cursor: { type: 'string' } } };
const uriSchema = { type: 'object', properties: { uri: { type: 'string' } }, required: ['uri'] };

function slug(name: string): string {
  return name
    .replace(/[^A-Za-z0-9_.-]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 100);
}
