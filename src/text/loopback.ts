// Whether a host is this machine. Only whole names and addresses count: `localhost.evil.example` is somebody else's.

/** The names under which a server on this machine is usually reached. */
export const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Of a Host header, of `URL.hostname`, or of an address as a resolver writes it: with or without a port, with or without brackets. */
export function isLoopback(host: string): boolean {
  // Nothing that would make the parser see a user, a path or a query.
  if (!/^[\w.:[\]-]+$/.test(host)) return false;
  const text = host.split(':').length > 2 && !host.startsWith('[') ? `[${host}]` : host;
  if (!URL.canParse(`http://${text}`)) return false;
  // The parser writes every spelling of an address in one way: 0x7f.1, 2130706433 and 127.1 are all 127.0.0.1.
  const { hostname } = new URL(`http://${text}`);
  return /^(?:localhost\.?|127(?:\.\d+){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/.test(hostname);
}

export function isLoopbackUrl(url: string | undefined): boolean {
  return url !== undefined && URL.canParse(url) && isLoopback(new URL(url).hostname);
}
