// Who may knock: names this server answers to, and web pages it lets in. Checked before anything else.
import { cut, VivariumError } from '../jsonrpc/error.ts';
import { headerNames } from '../protocol/headers.ts';
import { isLoopback } from '../text/loopback.ts';
import { printable } from '../text/printable.ts';
import type { Exchange, Fields } from './exchange.ts';
import type { HttpRules } from './http-options.ts';

const named = /^(\[[\da-f:.]+\]|[^:/?#@\\\s,*[\]]+)(?::\d{1,5})?$/i;

const nothing: Fields = [];
const exposed = [headerNames.session, headerNames.version, 'www-authenticate', 'retry-after'].join(', ');
/** What every revision's clients send; arguments in headers come on top. */
const requestable = /^(?:accept|authorization|content-type|last-event-id|mcp-[!#$%&'*+.^_`|~0-9a-z-]+|traceparent|tracestate|baggage)$/i;

export class Gate {
  readonly #hosts: ReadonlySet<string> | undefined;
  readonly #origins: ReadonlySet<string>;
  readonly #cors: ReadonlySet<string>;
  readonly #loopback: boolean;
  /** Both headers repeat from request to request: what was let in once need not be taken apart again. */
  readonly #known: Set<string> = new Set();

  constructor(rules: HttpRules) {
    const hosts = rules.allowedHosts;
    if (hosts === undefined) {
      throw new VivariumError(
        'ERR_CONFIG',
        "A handler does not know where it listens: give allowedHosts, such as ['api.example'] or ['localhost']",
      );
    }
    const odd = hosts.find((host) => host !== '*' && !named.test(host));
    if (odd !== undefined) {
      throw new VivariumError(
        'ERR_CONFIG',
        `${shown(JSON.stringify(odd))} is no host: write a name, such as api.example or localhost:3000, or * for any`,
      );
    }
    this.#hosts = hosts.includes('*') ? undefined : new Set(hosts.map((host) => host.toLowerCase()));
    this.#loopback = rules.allowedOrigins === undefined && hosts.every((host) => isLoopback(host));
    this.#cors = new Set((rules.cors ?? []).map(asOrigin));
    this.#origins = new Set([...(rules.allowedOrigins ?? []).map(asOrigin), ...this.#cors]);
  }

  /** Why this request is not let in; undefined when it is. */
  refuses(exchange: Exchange): string | undefined {
    const host = exchange.header('host') ?? '';
    const origin = exchange.header('origin');
    if (origin === undefined && this.#known.has(host)) return undefined;
    if (!this.#isOurs(host)) return `Host "${shown(host)}" is not allowed: name it in allowedHosts (--allow-host)`;
    if (origin !== undefined) {
      if (!this.#isWelcome(origin, host))
        return `Origin "${shown(origin)}" is not allowed: name it in allowedOrigins (--allow-origin) or cors (--cors)`;
    } else if (this.#known.size < 64) this.#known.add(host);
    return undefined;
  }

  #isOurs(host: string): boolean {
    const name = nameOf(host);
    if (name === undefined) return false;
    return this.#hosts === undefined || this.#hosts.has(name) || this.#hosts.has(host.toLowerCase());
  }

  #isWelcome(origin: string, host: string): boolean {
    if (this.#origins.has(origin.toLowerCase()) || this.#origins.has('*')) return true;
    const parts = /^https?:\/\/(\[[\da-f:.]+\]|[^:/?#@\\\s,[\]]+)(:\d{1,5})?$/i.exec(origin);
    if (parts === null) return false;
    // A page of this very server; with a name that is allowed, which keeps rebinding out.
    if (`${parts[1]}${parts[2] ?? ''}`.toLowerCase() === host.toLowerCase() && this.#hosts !== undefined) return true;
    return this.#loopback && isLoopback(parts[1] ?? '');
  }

  /** What a browser must be told for its page to read the answer. */
  cors(exchange: Exchange): Fields {
    if (this.#cors.size === 0) return nothing;
    const origin = exchange.header('origin');
    if (origin === undefined) return ['vary', 'origin'];
    const any = this.#cors.has('*');
    if (!any && !this.#cors.has(origin.toLowerCase())) return ['vary', 'origin'];
    return ['access-control-allow-origin', any ? '*' : origin, 'vary', 'origin', 'access-control-expose-headers', exposed];
  }

  /** The answer to a preflight; undefined when this is none, or not one to answer. */
  preflight(exchange: Exchange): Fields | undefined {
    const cors = this.cors(exchange);
    if (cors.length < 3 || exchange.header('access-control-request-method') === undefined) return undefined;
    const wanted = (exchange.header('access-control-request-headers') ?? '').split(',').map((name) => name.trim());
    const allowed = wanted.filter((name) => requestable.test(name)).slice(0, 64);
    return [
      ...cors,
      'access-control-allow-methods',
      'GET, POST, DELETE',
      ...(allowed.length > 0 ? ['access-control-allow-headers', allowed.join(', ')] : []),
      'access-control-max-age',
      '600',
    ];
  }
}

function nameOf(host: string): string | undefined {
  return named.exec(host)?.[1]?.toLowerCase();
}

function asOrigin(given: string): string {
  if (given === '*') return given;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url !== undefined && url.origin !== 'null' && !url.host.includes('*') && /^\/?$/.test(url.pathname) && url.search === '')
    return url.origin.toLowerCase();
  throw new VivariumError('ERR_CONFIG', `${given} is no web origin: write https://app.example`);
}

function shown(text: string): string {
  return printable(cut(text, 100));
}
