// The door of `vivarium record <url>`: who may come in, and which paths of the server are behind it.
import { randomBytes, timingSafeEqual } from 'node:crypto';

/** HTTP+SSE names one for each of its streams. */
const maxAnnounced = 1_000;
const wellKnown = /^\/\.well-known\/(?:oauth-protected-resource|oauth-authorization-server|openid-configuration)(?=\/|$)/;

/** What a path at the door stands for. */
export interface Passage {
  /** Of the server, with its query. */
  readonly path: string;
  /** Whether what the user gave for the server goes along. */
  readonly lends: boolean;
}

export class Door {
  /** Nobody else on this machine can guess it. */
  readonly secret: string = randomBytes(24).toString('base64url');
  readonly #target: URL;
  readonly #lendsToken: boolean;
  readonly #announced: Set<string> = new Set();

  /** `lendsToken`: requests get an Authorization header that the client does not know. */
  constructor(target: URL, lendsToken: boolean) {
    this.#target = target;
    this.#lendsToken = lendsToken;
  }

  /** Of the server's own endpoint, for the client. Its query stays here: it may hold a key. */
  get path(): string {
    return `/${this.secret}${this.#target.pathname}`;
  }

  /** Undefined where nothing is. */
  passage(method: string, url: string): Passage | undefined {
    // In origin form only: an absolute one would name another server.
    if (!url.startsWith('/') || url.startsWith('//')) return undefined;
    const at = url.indexOf('?');
    const [path, query] = at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
    const own = this.#within(path);
    if (own === this.#target.pathname) return { path: own + joined(this.#target.search, query), lends: true };
    const place = own + joined('', query);
    if (own !== undefined && this.#announced.has(place)) return { path: place, lends: true };
    // With a token nobody needs to find out how to get one.
    return method === 'GET' && !this.#lendsToken && query === '' ? this.#metadata(path) : undefined;
  }

  /** The same place at the door; undefined for one on another server, which then gets nothing from here. */
  announce(place: string): string | undefined {
    const url = URL.canParse(place, this.#target.href) ? new URL(place, this.#target) : undefined;
    if (url === undefined || url.origin !== this.#target.origin) return undefined;
    const path = url.pathname + url.search;
    const [oldest] = this.#announced;
    if (this.#announced.size >= maxAnnounced && oldest !== undefined) this.#announced.delete(oldest);
    this.#announced.add(path);
    return `/${this.secret}${path}`;
  }

  /** Many servers redirect to the same path with a slash at its end, or without. What else they name, a client goes to by itself. */
  redirected(location: string): string {
    const { pathname, origin } = this.#target;
    const url = URL.canParse(location, this.#target.href) ? new URL(location, this.#target) : undefined;
    const isOwn = url?.origin === origin && url.pathname.replace(/\/$/, '') === pathname.replace(/\/$/, '');
    return isOwn ? (this.announce(location) ?? location) : location;
  }

  /** RFC 9728 and RFC 8414 put the path of the endpoint behind that of the metadata. */
  #metadata(path: string): Passage | undefined {
    const start = wellKnown.exec(path)?.[0];
    if (start === undefined) return undefined;
    const own = path === start ? '/' : this.#within(path.slice(start.length));
    if (own !== '/' && own !== this.#target.pathname) return undefined;
    return { path: own === '/' ? start : start + own, lends: false };
  }

  /** Without the secret; undefined without the right one. */
  #within(path: string): string | undefined {
    const end = this.secret.length + 1;
    const [given, wanted] = [Buffer.from(path.slice(1, end)), Buffer.from(this.secret)];
    return given.length === wanted.length && (path[end] ?? '/') === '/' && timingSafeEqual(given, wanted)
      ? path.slice(end) || '/'
      : undefined;
  }
}

function joined(search: string, query: string): string {
  const all = [search.slice(1), query].filter((one) => one !== '').join('&');
  return all === '' ? '' : `?${all}`;
}
