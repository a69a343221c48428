// Finds the authorization server of one MCP endpoint, and remembers it.
import type { Ask } from './authorization-server-request.ts';
import type { ClientTerms } from './options.ts';
import { findResource } from './resource-discovery.ts';
import { type AuthServer, findServer } from './server-discovery.ts';
import type { Method } from './token-round.ts';
import { decode, keys } from './token-store.ts';
import type { Demand } from './www-authenticate.ts';

export interface AuthorizationTarget {
  readonly server: AuthServer;
  /** As published; undefined when the server publishes nothing. */
  readonly resource: string | undefined;
  /** Offered by the resource; undefined when that is not known. */
  readonly scopes: readonly string[] | undefined;
}

/** Where tokens for an endpoint were last granted. */
interface Place {
  readonly issuer: string;
  readonly resource?: string;
}

const keptMs = 600_000;

export class Locator {
  readonly #endpoint: URL;
  readonly #method: Method;
  readonly #terms: ClientTerms;
  #server: { readonly server: AuthServer; readonly legacy: boolean; readonly until: number } | undefined;

  constructor(endpoint: URL, method: Method, terms: ClientTerms) {
    this.#endpoint = endpoint;
    this.#method = method;
    this.#terms = terms;
  }

  /** The key of the tokens granted last, without asking anyone. */
  async lastKey(): Promise<string | undefined> {
    const place = await this.#place();
    return place === undefined ? undefined : this.#keyOf(place);
  }

  keyOf({ server, resource }: AuthorizationTarget): string {
    return this.#keyOf({ issuer: server.issuer, ...(resource !== undefined && { resource }) });
  }

  /** As it was last time. */
  async last(ask: Ask): Promise<AuthorizationTarget | undefined> {
    const place = await this.#place();
    if (place === undefined) return undefined;
    const server = await this.#serverOf(place.issuer, place.resource === undefined, ask);
    return { server, resource: place.resource, scopes: undefined };
  }

  /** As the MCP server says now. */
  async discover(demand: Demand, ask: Ask): Promise<AuthorizationTarget> {
    const { resource, servers, scopes } = await findResource(this.#endpoint, demand, ask, this.#terms.reachFrom(this.#endpoint));
    const server = await this.#serverOf(this.#method.choose(servers), resource === undefined, ask);
    await this.#remember({ issuer: server.issuer, ...(resource !== undefined && { resource }) });
    return { server, resource, scopes };
  }

  async #serverOf(issuer: string, legacy: boolean, ask: Ask): Promise<AuthServer> {
    const kept = this.#server;
    if (kept?.server.issuer === issuer && kept.legacy === legacy && kept.until > Date.now()) return kept.server;
    const name = legacy ? issuer.replace(/\/$/, '') : issuer;
    const server = await findServer(name, legacy, ask, this.#terms.reachFrom(this.#endpoint));
    this.#server = { server, legacy, until: Date.now() + keptMs };
    return server;
  }

  async #place(): Promise<Place | undefined> {
    const value = decode(await this.#terms.tokens.get(this.#placeKey()));
    if (typeof value?.['issuer'] !== 'string') return undefined;
    return { issuer: value['issuer'], ...(typeof value['resource'] === 'string' && { resource: value['resource'] }) };
  }

  async #remember(place: Place): Promise<void> {
    const { tokens } = this.#terms;
    const text = JSON.stringify(place);
    const before = await tokens.get(this.#placeKey());
    if (before !== text) await tokens.set(this.#placeKey(), text, before);
  }

  #placeKey(): string {
    return keys.place(this.#endpoint.href, this.#method.identity);
  }

  #keyOf({ issuer, resource = this.#endpoint.href }: Place): string {
    return keys.grant(issuer, resource, this.#method.identity);
  }
}
