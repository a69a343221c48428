// Which addresses a document from elsewhere may send this client to: never nearer to it than the MCP server itself is.
import { cut, VivariumError } from '../../jsonrpc/error.ts';
import { isLoopback } from '../../text/loopback.ts';
import { printable } from '../../text/printable.ts';

/** How near an address is. `special`: link-local, multicast and everything else that no authorization server has. */
type Zone = 'public' | 'private' | 'loopback' | 'special';

/** The nearest zone that may be asked; `anything` adds plain HTTP. */
export type Reach = 'public' | 'private' | 'loopback' | 'anything';

const within: Readonly<Record<Reach, readonly Zone[]>> = {
  public: ['public'],
  private: ['public', 'private'],
  loopback: ['public', 'private', 'loopback'],
  anything: ['public', 'private', 'loopback', 'special'],
};

/** What the user has named may be asked, and what lies in the same zone. A name counts as public: whoever owns it chooses what it resolves to. */
export function reachOf(url: URL): Reach {
  const zone = zoneOf(url.hostname);
  return zone === 'special' ? 'public' : zone;
}

export function isWithin(hostname: string, reach: Reach): boolean {
  return within[reach].includes(zoneOf(hostname));
}

/** Throws unless it is an address that may be asked. */
export function checkedUrl(text: unknown, what: string, reach: Reach): URL {
  // What the parser would mend would still stand in messages as it came.
  const url = typeof text === 'string' && /^[\x21-\x7e]+$/.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && isAskable(url, reach)) return url;
  const shown = typeof text === 'string' ? printable(cut(text)) : 'nothing';
  throw new VivariumError('ERR_AUTH_FAILED', `${what} is an address that is not asked: ${shown}`);
}

function isAskable(url: URL, reach: Reach): boolean {
  if (url.username !== '' || url.password !== '' || !isWithin(url.hostname, reach)) return false;
  if (url.protocol === 'https:') return true;
  return url.protocol === 'http:' && (reach === 'anything' || (reach === 'loopback' && zoneOf(url.hostname) === 'loopback'));
}

/** Of a host as the URL parser writes it, or of an address as a resolver does. */
export function zoneOf(hostname: string): Zone {
  const host = canonical(hostname);
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return zoneOf4(host.split('.').map(Number));
  if (host.startsWith('[')) return zoneOf6(groupsOf(host.slice(1, -1)));
  // Names below it are nobody's to own (RFC 6761): some resolvers lead them here.
  return isLoopback(host) || host.endsWith('.localhost') ? 'loopback' : 'public';
}

/** The parser knows every spelling of a number: 0x7f.1, 2130706433, ::ffff:127.0.0.1. */
function canonical(hostname: string): string {
  const [bare = ''] = hostname.split('%', 1);
  const text = bare.includes(':') && !bare.startsWith('[') ? `[${bare}]` : bare;
  return URL.canParse(`http://${text}`) ? new URL(`http://${text}`).hostname.replace(/\.$/, '') : text;
}

function zoneOf4([a = 0, b = 0, c = 0]: readonly number[]): Zone {
  if (a === 127) return 'loopback';
  if (a === 10 || (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168) || (a === 100 && b >= 64 && b < 128)) return 'private';
  if (a === 0 || a >= 224 || (a === 169 && b === 254) || (a === 198 && (b === 18 || b === 19))) return 'special';
  if (a === 192 && b === 0 && (c === 0 || c === 2)) return 'special';
  if ((a === 192 && b === 88 && c === 99) || (a === 198 && b === 51 && c === 100) || (a === 203 && b === 0 && c === 113)) return 'special';
  return 'public';
}

function zoneOf6(groups: readonly number[]): Zone {
  const [a = 0, b = 0, c = 0, , , , g = 0, h = 0] = groups;
  const zeros = groups.findIndex((group) => group !== 0);
  if (zeros === 7 && h === 1) return 'loopback';
  if (zeros === -1) return 'special';
  // An IPv4 address inside: mapped, compatible, translated (RFC 6052), 6to4.
  if ((zeros === 5 && groups[5] === 0xffff) || zeros >= 6) return embedded(g, h);
  if (a === 0x64 && b === 0xff9b) return c === 0 ? embedded(g, h) : 'special';
  if (a === 0x2002) return embedded(b, c);
  if ((a & 0xfe00) === 0xfc00 || (a & 0xffc0) === 0xfec0) return 'private';
  if ((a & 0xe000) !== 0x2000 || (a === 0x2001 && (b < 0x200 || b === 0xdb8)) || (a === 0x3fff && b < 0x1000)) return 'special';
  return 'public';
}

function embedded(high: number, low: number): Zone {
  return zoneOf4([high >> 8, high & 255, low >> 8, low & 255]);
}

function groupsOf(text: string): number[] {
  const [left = '', right] = text.split('::');
  const numbers = (part: string): number[] => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  if (right === undefined) return numbers(left);
  const [start, end] = [numbers(left), numbers(right)];
  return [...start, ...Array.from({ length: 8 - start.length - end.length }, () => 0), ...end];
}
