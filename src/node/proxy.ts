// Which proxy the user's environment names for an address: HTTP_PROXY, HTTPS_PROXY and NO_PROXY, read as curl reads them.
import { BlockList, isIP } from 'node:net';
import { isLoopback } from '../text/loopback.ts';

export interface HttpProxy {
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  /** For people: without the user and the password. */
  readonly name: string;
  /** What the header `Proxy-Authorization` says. */
  readonly authorization: string | undefined;
}

/** The variable does not name a proxy that can be used. What it says may hold a password, so it is not repeated. */
export class ProxyMistake extends TypeError {}

type Environment = Readonly<Record<string, string | undefined>>;

/** None for loopback, unlike curl: a proxy could only reach its own, and would be told the token of a local server. */
export function proxyFor(url: URL, environment: Environment = process.env): HttpProxy | undefined {
  const variable = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const value = settingOf(variable, environment);
  if (value === '' || isHere(url.hostname) || isExempt(url, settingOf('NO_PROXY', environment))) return undefined;
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const proxy = URL.canParse(text) ? new URL(text) : undefined;
  if (proxy === undefined) throw new ProxyMistake(`${variable} is no URL of a proxy: write http://proxy.example:3128`);
  if (!/^https?:$/.test(proxy.protocol)) {
    throw new ProxyMistake(`${variable} names a proxy of the kind ${proxy.protocol}//, which cannot be used: write http:// or https://`);
  }
  const { username, password } = proxy;
  return {
    secure: proxy.protocol === 'https:',
    host: bare(proxy.hostname),
    port: portOf(proxy),
    name: proxy.origin,
    authorization: username === '' ? undefined : `Basic ${Buffer.from(`${plain(username)}:${plain(password)}`).toString('base64')}`,
  };
}

/** Also by names and addresses that are no loopback, and lead there all the same. */
function isHere(hostname: string): boolean {
  return isLoopback(hostname) || /\.localhost\.?$/i.test(hostname) || hostname === '0.0.0.0' || hostname === '[::]';
}

export function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

/** An address in brackets is an address without them to everybody but a URL. */
export function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** Small letters come first, as elsewhere. */
function settingOf(variable: string, environment: Environment): string {
  const small = environment[variable.toLowerCase()];
  if (small !== undefined) return small.trim();
  // Under CGI it is the header `Proxy` of whoever asks.
  if (variable === 'HTTP_PROXY' && environment['REQUEST_METHOD'] !== undefined) return '';
  return environment[variable]?.trim() ?? '';
}

/** `*`, hosts with all that is below them, addresses, and networks such as 10.0.0.0/8; each with a port if need be. */
function isExempt(url: URL, list: string): boolean {
  const host = bare(url.hostname).toLowerCase().replace(/\.$/, '');
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '' || entry === '*') return entry === '*';
    const [, named = '', port] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(entry) ?? [undefined, entry];
    if (port !== undefined && Number(port) !== portOf(url)) return false;
    const name = bare(named)
      .toLowerCase()
      .replace(/^\*?\./, '')
      .replace(/\.$/, '');
    if (isIP(host) !== 0) return name === host || isWithin(host, name);
    return name !== '' && (host === name || host.endsWith(`.${name}`));
  });
}

function isWithin(address: string, network: string): boolean {
  const [start = '', bits = ''] = network.split('/');
  const kind = isIP(start);
  if (kind === 0 || kind !== isIP(address)) return false;
  const length = bits === '' ? (kind === 4 ? 32 : 128) : Number(bits);
  if (!Number.isInteger(length) || length < 0 || length > (kind === 4 ? 32 : 128)) return false;
  const family = kind === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(start, length, family);
  return list.check(address, family);
}

function plain(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
