// Addresses in a recording: it keeps only their paths. Here because `replay` needs them without the rest of check.

export const origin = 'http://recorded';

export type Endpoint = Pick<URL, 'pathname' | 'search'>;

/** Where HTTP+SSE says that messages go; as it stands where a server says what is no address. */
export function endpointOf(said: string): Endpoint {
  return URL.canParse(said, origin) ? new URL(said, origin) : { pathname: said, search: '' };
}

export function pathOf(path: string | undefined): string {
  return (path ?? '/').split(/[?#]/)[0] ?? '/';
}
