// Resources and prompts as tools, for clients that know only tools.
import { type ErrorObject, errorCodes, RpcError } from '../jsonrpc/error.ts';
import type { ContentBlock, GetPromptResult, ListResourcesResult, ReadResourceResult } from '../protocol/types.ts';
import { jsonSchema } from '../schema/schema.ts';
import type { Call } from './call.ts';
import type { Context } from './context.ts';
import type { Feature } from './core.ts';
import type { Prompt } from './prompt.ts';
import type { Resource } from './resource.ts';
import type { Registered, Server } from './server.ts';
import { ToolError } from './tool.ts';
import type { ToolDetails } from './tool-options.ts';

const readOnly = { annotations: { readOnlyHint: true } } as const;

type Taken = (tool: string) => boolean;

/** What a thing and its tool have in common: who may use it, and how it is described. */
export function shared(details: object): ToolDetails {
  const common = ['description', 'needs', 'singleUse', 'with', 'scopes', 'visible'];
  return Object.fromEntries(Object.entries(details).filter(([key]) => common.includes(key)));
}

/** Once per server: every address can be listed and read. */
export function exposeResources(server: Server, taken: Taken): void {
  if (!taken('resource_list'))
    server.tool(
      'resource_list',
      { ...readOnly, description: 'List the resources that can be read', input: jsonSchema<{ cursor?: string }>(cursorSchema) },
      async ({ cursor }, ctx) => {
        const { resources, nextCursor } = (await ask(ctx, 'listResources', cursor === undefined ? {} : { cursor })) as ListResourcesResult;
        return JSON.stringify({ resources, nextCursor });
      },
    );
  if (!taken('resource_read'))
    server.tool(
      'resource_read',
      { ...readOnly, description: 'Read a resource by its URI', input: jsonSchema<{ uri: string }>(uriSchema) },
      ({ uri }, ctx) => read(ctx, uri),
    );
}

/** A template becomes a tool whose arguments are its variables. */
export function exposeTemplate(server: Server, { name, details, template }: Resource, taken: Taken): Registered<ToolDetails> | undefined {
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
  return server.tool(
    free(`read_${slug(details.name ?? name)}`, taken),
    { ...readOnly, ...shared(details), description, input },
    (variables, ctx) => read(ctx, template.expand(variables)),
  );
}

export function exposePrompt(server: Server, { name, details, input }: Prompt, taken: Taken): Registered<ToolDetails> {
  const description = details.description ?? `The prompt ${name}`;
  const schema = jsonSchema<Record<string, unknown>>(input?.json ?? { type: 'object' });
  return server.tool(
    free(`prompt_${slug(name)}`, taken),
    { ...readOnly, ...shared(details), description, input: schema },
    async (args, ctx) => {
      const strings = Object.fromEntries(Object.entries(args).map(([key, value]) => [key, String(value)]));
      const { messages } = (await ask(ctx, 'getPrompt', { name, arguments: strings })) as GetPromptResult;
      return messages.flatMap(({ role, content }): (string | ContentBlock)[] => (role === 'user' ? [content] : ['assistant:', content]));
    },
  );
}

async function read(ctx: Context, uri: string): Promise<ContentBlock[]> {
  const { contents } = (await ask(ctx, 'readResource', { uri })) as ReadResourceResult;
  return contents.map((item) => (item.text === undefined ? { type: 'resource', resource: item } : { type: 'text', text: item.text }));
}

/** Loaded by now, because a call is under way; a static import would load them before the first answer. */
const features = {
  listResources: async (): Promise<Feature> => (await import('./resources.ts')).listResources,
  readResource: async (): Promise<Feature> => (await import('./resources.ts')).readResource,
  getPrompt: async (): Promise<Feature> => (await import('./prompts.ts')).getPrompt,
};

/** The same feature a request would reach, in the same call. */
async function ask(ctx: Context, name: keyof typeof features, params: object): Promise<object> {
  const feature = await features[name]();
  const reply = await feature(ctx as Call, params as Record<string, unknown>);
  // A scope that lacks is the caller's affair; everything else the model can do something about.
  if ('error' in reply) throw reply.error.code === errorCodes.forbidden ? RpcError.from(reply.error) : new ToolError(sentence(reply.error));
  return reply.result;
}

function sentence({ message, data }: ErrorObject): string {
  const { details, uri } = (data ?? {}) as { details?: string; uri?: string };
  return `${message}${(details ?? uri) ? `: ${details ?? uri}` : ''}`;
}

/** The first of its kind that no other tool has. */
function free(name: string, taken: Taken): string {
  for (let count = 2, tried = name; ; tried = `${name}_${count++}`) if (!taken(tried)) return tried;
}

const cursorSchema = { type: 'object', properties: { cursor: { type: 'string' } } };
const uriSchema = { type: 'object', properties: { uri: { type: 'string' } }, required: ['uri'] };

function slug(name: string): string {
  return name
    .replace(/[^A-Za-z0-9_.-]+/g, '_')
    .replace(/^_+|(?<!_)_+$/g, '')
    .slice(0, 100);
}
