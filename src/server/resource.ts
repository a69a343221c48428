// A resource or a template as it was registered. What it takes to read one is loaded later: see resources.ts.
import type {
  Annotations,
  BlobResourceContents,
  Icon,
  Resource as ListedResource,
  ReadResourceResult,
  TextResourceContents,
} from '../protocol/types.ts';
import type { Access } from './access.ts';
import type { Call } from './call.ts';
import type { Completer, Completers } from './completion.ts';
import type { BaseContext, Principal, ResourceContext } from './context.ts';
import { type Listed, onlyTrue } from './listing.ts';
import type { UriTemplate } from './uri-template/uri-template.ts';
import type { Variables } from './uri-template/variables.ts';

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
  readonly list?: (ctx: BaseContext) => readonly ListedResource[] | Promise<readonly ListedResource[]>;
  /** Of a template: values for its variables. */
  readonly complete?: Completers<Extract<keyof Variables<U>, string>>;
}

/** Undefined: there is no such resource. */
export type ResourceReturn = string | Uint8Array | Contents | readonly Contents[] | ReadResourceResult | undefined;
export type Contents = TextResourceContents | BlobResourceContents;

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
    if (details.visible !== undefined) this.visibleTo = onlyTrue(details.visible);
  }

  with(details: ResourceDetails): Resource {
    const { list, complete } = this;
    const more = { ...(list !== undefined && { list }), ...(complete !== undefined && { complete }) };
    return new Resource(this.name, { ...this.details, ...details, ...more }, this.read, this.template);
  }
}
