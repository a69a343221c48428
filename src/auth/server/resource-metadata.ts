// The metadata of the protected resource (RFC 9728): which authorization servers grant tokens for it, and where that is told.
import type { Terms } from './options.ts';

const wellKnown = '/.well-known/oauth-protected-resource';

/** Where clients look for the metadata of a resource; undefined when the resource is no address. */
export function metadataUrl(resource: string): string | undefined {
  if (!URL.canParse(resource)) return undefined;
  const url = new URL(resource);
  return `${url.origin}${wellKnown}${pathOf(url)}${url.search}`;
}

/** At the path of the resource, and at the root for clients that look only there. */
export function resourceMetadata(terms: Terms, path: string, resource: string): object | undefined {
  if (!URL.canParse(resource) || (path !== wellKnown && path !== `${wellKnown}${pathOf(new URL(resource))}`)) return undefined;
  return {
    resource,
    authorization_servers: terms.servers,
    ...(terms.offered.length > 0 && { scopes_supported: terms.offered }),
    bearer_methods_supported: ['header'],
    ...(terms.name !== undefined && { resource_name: terms.name }),
    ...(terms.documentation !== undefined && { resource_documentation: terms.documentation }),
  };
}

function pathOf({ pathname }: URL): string {
  return pathname === '/' ? '' : pathname;
}
