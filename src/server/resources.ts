// Resources: things with an address, read as text or bytes; templates answer for whole families of addresses.
import { faults, RpcError } from '../jsonrpc/error.ts';
import type { Params } from '../jsonrpc/message.ts';
import { toBase64 } from '../protocol/constructors.ts';
import type { RevisionTraits } from '../protocol/revision.ts';
import type { Annotations, BlobResourceContents, Icon, ReadResourceResult, Resource as Listing, TextResourceContents } from '../protocol/types.ts';
import { type Access, denied } from './access.ts';
import type { Reply } from './answer.ts';
import type { Call } from './call.ts';
import type { Completer } from './completion.ts';
import type { BaseContext, Principal, ResourceContext } from './context.ts';
import type { Listed } from './listing.ts';
import type { UriTemplate } from './uri-template.ts';
import type { Variables } from './uri-variables.ts';

/** What of a resource can change while it is registered. */
export interface ResourceDetails extends Access {
  /** Default: the URI. */
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly icons?: readonly Icon[];
  readonly annotations?: Annotations;
  /** In bytes; not for templates. */
  readonly size?: number;
  /** `_meta` in the list. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

export interface ResourceOptions<U extends string = string> extends ResourceDetails {
  /** Of a template: what there is, for `resources/list`. */
  readonly list?: (ctx: BaseContext) => readonly Listing[] | Promise<readonly Listing[]>;
  /** Of a template: values for its variables. */
  readonly complete?: { readonly [Name in Extract<keyof Variables<U>, string>]?: Completer };
}

/** Undefined: there is no such resource. */
export type ResourceReturn = string | Uint8Array | Contents | readonly Contents[] | ReadResourceResult | undefined;
type Contents = TextResourceContents | BlobResourceContents;

export type ResourceHandler<U extends string> = (
  variables: U extends `${string}{${string}` ? Variables<U> : string extends U ? Variables<string> : Readonly<Record<string, never>>,
  ctx: ResourceContext,
) => ResourceReturn | Promise<ResourceReturn>;

export type Read = (variables: never, ctx: Call) => unknown;

export class Resource implements Listed {
  /** The URI, or the template. */
  readonly name: string;
  readonly details: ResourceDetails;
  readonly read: Read;
  readonly template: UriTemplate | undefined;
  readonly list: ResourceOptions['list'];
  readonly complete: Readonly<Record<string, Completer>> | undefined;
  readonly visibleTo?: (principal: Principal | undefined) => boolean;

  constructor(address: string, { list, complete, ...details }: ResourceOptions, read: Read, template: UriTemplate | undefined) {
    this.name = address;
    this.details = details;
    this.read = read;
    this.template = template;
    this.list = list;
    this.complete = complete as Readonly<Record<string, Completer>> | undefined;
    if (details.visible !== undefined) this.visibleTo = details.visible;
  }

  with(details: ResourceDetails): Resource {
    const { list, complete } = this;
    const more = { ...(list !== undefined && { list }), ...(complete !== undefined && { complete }) };
    return new Resource(this.name, { ...this.details, ...details, ...more }, this.read, this.template);
  }

  describe(traits: RevisionTraits): object {
    const { name = this.name, title, description, mimeType, icons, annotations, size, meta } = this.details;
    return {
      ...(this.template === undefined ? { uri: this.name } : { uriTemplate: this.name }),
      name,
      ...(title !== undefined && traits.titles && { title }),
      ...(description !== undefined && { description }),
      ...(icons !== undefined && traits.icons && { icons }),
      ...(mimeType !== undefined && { mimeType }),
      ...(annotations !== undefined && { annotations }),
      ...(size !== undefined && this.template === undefined && { size }),
      ...(meta !== undefined && { _meta: meta }),
    };
  }
}

export function listTemplates(call: Call, params: Params | undefined): Reply {
  return call.core.templates.page(call.traits, params?.['cursor'] as string | undefined, call.principal);
}

/** What templates list comes after what was registered; then the list is made anew for every request. */
export function listResources(call: Call, params: Params | undefined): Reply | Promise<Reply> {
  const { core, traits, principal } = call;
  const cursor = params?.['cursor'] as string | undefined;
  const sources = core.templates.values().filter((one) => one.list !== undefined && one.visibleTo?.(principal) !== false);
  if (sources.length === 0) return core.resources.page(traits, cursor, principal);
  return Promise.all(sources.map((source) => source.list?.(call) ?? [])).then((found) =>
    core.resources.page(traits, cursor, principal, found.flat().map((item) => plain(item, traits))),
  );
}

function plain(item: Listing, traits: RevisionTraits): object {
  const { title, icons, ...rest } = item;
  return { ...rest, ...(title !== undefined && traits.titles && { title }), ...(icons !== undefined && traits.icons && { icons }) };
}

/** An exact address first, then templates in the order of registration. */
export async function readResource(call: Call, params: Params | undefined): Promise<Reply> {
  const uri = params?.['uri'] as string;
  call.uri = uri;
  for (const [resource, variables] of candidates(call, uri)) {
    const refused = denied(call, resource.details);
    if (refused !== undefined) return { error: refused };
    const contents = toContents(await resource.read(variables as never, call), uri, resource);
    if (contents !== undefined) return { result: call.finished({ ...contents, ...(call.era === 'modern' && call.core.caching(false)) }) };
  }
  return { error: faults.resourceNotFound(uri) };
}

/** The resource a request is about, for what must be known before it is read. */
export function findResource(call: Call, params: Params | undefined): Resource | undefined {
  for (const [resource] of candidates(call, params?.['uri'] as string)) return resource;
  return undefined;
}

function* candidates({ core, principal }: Call, uri: string): Generator<[Resource, object]> {
  const exact = core.resources.get(uri);
  if (exact !== undefined && exact.visibleTo?.(principal) !== false) yield [exact, {}];
  for (const template of core.templates.values()) {
    if (template.visibleTo?.(principal) === false) continue;
    const variables = template.template?.match(uri);
    if (variables !== undefined) yield [template, variables];
  }
}

function toContents(returned: unknown, uri: string, { name, details }: Resource): ReadResourceResult | undefined {
  if (returned === undefined || returned === null) return undefined;
  const { mimeType } = details;
  if (typeof returned === 'string') return { contents: [{ uri, mimeType: mimeType ?? 'text/plain', text: returned }] };
  if (returned instanceof Uint8Array) {
    return { contents: [{ uri, mimeType: mimeType ?? 'application/octet-stream', blob: toBase64(returned) }] };
  }
  const whole = typeof returned === 'object' && 'contents' in returned ? (returned as ReadResourceResult) : { contents: [returned].flat() as Contents[] };
  const contents = whole.contents.map((item) => ({ uri, ...(mimeType !== undefined && { mimeType }), ...item }) as Contents);
  if (contents.length === 0) return undefined;
  for (const item of contents) {
    if (typeof item.uri !== 'string' || (typeof item.text === 'string') === (typeof item.blob === 'string')) {
      throw RpcError.internal(new TypeError(`Resource "${name}" returned contents that have not exactly one of text and blob`));
    }
  }
  return { ...whole, contents };
}

export function subscribe({ session }: Call, params: Params | undefined): Reply {
  session.subscribed.add(params?.['uri'] as string);
  return { result: {} };
}

export function unsubscribe({ session }: Call, params: Params | undefined): Reply {
  session.subscribed.delete(params?.['uri'] as string);
  return { result: {} };
}
