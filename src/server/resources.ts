// resources/list, templates/list, read, subscribe: things with an address, read as text or bytes.
import { faults, RpcError } from '../jsonrpc/error.ts';
import type { Params } from '../jsonrpc/message.ts';
import { toBase64 } from '../protocol/constructors.ts';
import type { RevisionTraits } from '../protocol/revision.ts';
import type { Resource as ListedResource, ReadResourceResult } from '../protocol/types.ts';
import { denied, lackingScopes, metaOf } from './access.ts';
import type { Reply } from './answer.ts';
import { isRest, readRest } from './budget.ts';
import type { Call } from './call.ts';
import type { Principal } from './context.ts';
import type { Core } from './core.ts';
import type { Contents, Resource } from './resource.ts';
import { matchTemplate } from './uri-template/match.ts';

export function listTemplates(call: Call, params: Params | undefined): Reply {
  const { core, traits, principal } = call;
  const declared = core.declaredBy(call);
  return core.templates.page(
    traits,
    params?.['cursor'] as string | undefined,
    principal,
    (templates, nextCursor, shared) =>
      core.listed({ resourceTemplates: templates.map((one) => describeResource(one, traits, declared)) }, nextCursor, traits, shared),
    declared.join(' '),
  );
}

/** What templates list comes after what was registered; such a list is made anew for every request. */
export function listResources(call: Call, params: Params | undefined): Reply | Promise<Reply> {
  const { core, traits, principal } = call;
  const cursor = params?.['cursor'] as string | undefined;
  const declared = core.declaredBy(call);
  const render = (resources: readonly object[], nextCursor: string | undefined, shared: boolean): object =>
    core.listed({ resources }, nextCursor, traits, shared);
  // What a list makes is data: whoever may not read it does not see it.
  const sources = core.templates
    .values()
    .filter((one) => one.list !== undefined && one.visibleTo?.(principal) !== false && lackingScopes(call, one.details) === undefined);
  if (sources.length === 0) {
    return core.resources.page(
      traits,
      cursor,
      principal,
      (resources, ...rest) =>
        render(
          resources.map((one) => describeResource(one, traits, declared)),
          ...rest,
        ),
      declared.join(' '),
    );
  }
  const registered = core.resources.values().filter((one) => one.visibleTo?.(principal) !== false);
  return Promise.all(sources.map((source) => source.list?.(call) ?? [])).then((found) => {
    const all = [...registered.map((one) => describeResource(one, traits, declared)), ...found.flat().map((item) => plain(item, traits))];
    return core.resources.pageOf(all as { uri: string }[], cursor, principal, (items, nextCursor) => render(items, nextCursor, false));
  });
}

function describeResource(resource: Resource, traits: RevisionTraits, declared: readonly string[]): object {
  const { name = resource.name, title, description, mimeType, icons, annotations, size } = resource.details;
  const meta = metaOf(resource.details, declared);
  return {
    ...(resource.template === undefined ? { uri: resource.name } : { uriTemplate: resource.name }),
    name,
    ...(title !== undefined && traits.titles && { title }),
    ...(description !== undefined && { description }),
    ...(icons !== undefined && traits.icons && { icons }),
    ...(mimeType !== undefined && { mimeType }),
    ...(annotations !== undefined && { annotations }),
    ...(size !== undefined && resource.template === undefined && { size }),
    ...(meta !== undefined && { _meta: meta }),
  };
}

function plain(item: ListedResource, traits: RevisionTraits): object {
  const { title, icons, ...rest } = item;
  return { ...rest, ...(title !== undefined && traits.titles && { title }), ...(icons !== undefined && traits.icons && { icons }) };
}

/** An exact address first, then templates in the order of registration. */
export async function readResource(call: Call, params: Params | undefined): Promise<Reply> {
  const uri = params?.['uri'] as string;
  call.uri = uri;
  if (isRest(uri)) return (await readRest(call, uri)) ?? { error: faults.resourceNotFound(uri) };
  for (const [resource, variables] of candidates(call, uri)) {
    const refused = denied(call, resource.details);
    if (refused !== undefined) return { error: refused };
    const contents = toContents(await resource.read(variables as never, call), uri, resource);
    if (contents !== undefined)
      return { result: call.era === 'modern' ? call.finished({ ...call.core.caching(false), ...contents }) : older(contents) };
  }
  return { error: faults.resourceNotFound(uri) };
}

/** The resource a request is about, for what must be known before it is read. */
export function findResource(call: Call, params: Params | undefined): Resource | undefined {
  for (const [resource] of candidates(call, params?.['uri'] as string)) return resource;
  return undefined;
}

/** Every resource that may serve a request. */
export function resourcesFor(call: Call, params: Params | undefined): Resource[] {
  return [...candidates(call, params?.['uri'] as string)].map(([resource]) => resource);
}

/** There is something at this address, but not for this caller. */
export function hiddenFrom(core: Core, principal: Principal | undefined, uri: string): boolean {
  const there = [
    core.resources.get(uri),
    ...core.templates.values().filter((one) => one.template !== undefined && matchTemplate(one.template, uri) !== undefined),
  ];
  const known = there.filter((one) => one !== undefined);
  const open = known.filter((one) => one.visibleTo?.(principal) !== false && lackingScopes({ principal }, one.details) === undefined);
  return known.length > 0 && open.length === 0;
}

function* candidates({ core, principal }: Call, uri: string): Generator<[Resource, object]> {
  const exact = core.resources.get(uri);
  if (exact !== undefined && exact.visibleTo?.(principal) !== false) yield [exact, {}];
  for (const template of core.templates.values()) {
    if (template.visibleTo?.(principal) === false) continue;
    const variables = template.template === undefined ? undefined : matchTemplate(template.template, uri);
    if (variables !== undefined) yield [template, variables];
  }
}

const text = 'text/plain';
const bytes = 'application/octet-stream';
const maxSubscribed = 1_000;
const maxUriLength = 8_192;

/** How long it may be kept is said since 2026-07-28. */
function older({ contents, ttlMs, cacheScope, resultType, ...rest }: ReadResourceResult): object {
  return { contents, ...rest };
}

function toContents(returned: unknown, uri: string, { name, details }: Resource): ReadResourceResult | undefined {
  if (returned === undefined || returned === null) return undefined;
  const { mimeType } = details;
  if (typeof returned === 'string') return { contents: [{ uri, mimeType: mimeType ?? text, text: returned }] };
  if (returned instanceof Uint8Array) {
    return { contents: [{ uri, mimeType: mimeType ?? bytes, blob: toBase64(returned) }] };
  }
  const whole =
    typeof returned === 'object' && 'contents' in returned
      ? (returned as ReadResourceResult)
      : { contents: [returned].flat() as Contents[] };
  const contents = whole.contents.map(
    (item) => ({ mimeType: mimeType ?? (typeof item.blob === 'string' ? bytes : text), ...item, uri: item.uri ?? uri }) as Contents,
  );
  if (contents.length === 0) return undefined;
  for (const item of contents) {
    if (typeof item.uri !== 'string' || (typeof item.text === 'string') === (typeof item.blob === 'string')) {
      throw RpcError.internal(new TypeError(`Resource "${name}" returned contents that have not exactly one of text and blob`));
    }
  }
  return { ...whole, contents };
}

export function subscribe(call: Call, params: Params | undefined): Reply {
  const { session } = call;
  const uri = params?.['uri'] as string;
  if (session.deaf || !call.core.announces) return { error: faults.methodNotFound('resources/subscribe') };
  // Before it is compared with every template.
  if (uri.length > maxUriLength) return { error: faults.invalidParams(`A URI to subscribe to has at most ${maxUriLength} characters`) };
  if (hiddenFrom(call.core, call.principal, uri)) {
    const [visible] = candidates(call, uri);
    return { error: (visible === undefined ? undefined : lackingScopes(call, visible[0].details)) ?? faults.resourceNotFound(uri) };
  }
  if (session.subscribed.size >= maxSubscribed && !session.subscribed.has(uri)) {
    return { error: faults.invalidParams(`A client subscribes to at most ${maxSubscribed} URIs`) };
  }
  session.subscribed.add(uri);
  session.onState?.();
  return { result: {} };
}

export function unsubscribe({ session, core }: Call, params: Params | undefined): Reply {
  if (session.deaf || !core.announces) return { error: faults.methodNotFound('resources/unsubscribe') };
  session.subscribed.delete(params?.['uri'] as string);
  session.onState?.();
  return { result: {} };
}
