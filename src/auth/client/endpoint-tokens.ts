// The tokens for one MCP endpoint: held, refreshed, replaced, and each of that done once however many ask.
import { VivariumError } from '../../jsonrpc/error.ts';
import type { TokenRequest } from '../../protocol/authorization.ts';
import { type AuthorizationTarget, Locator } from './authorization-server-locator.ts';
import { type Ask, createAsk, refused } from './authorization-server-request.ts';
import { createKey, type DpopKey, importKey, isOffered, type Nonces } from './dpop.ts';
import { decodeGrant, encodeGrant, type Grant, isAnswer, isFresh, suits, toGrant } from './grant.ts';
import type { ClientTerms } from './options.ts';
import { SingleFlight } from './single-flight.ts';
import { GrantRefused, requestToken } from './token-endpoint.ts';
import type { Method, Party, Round } from './token-round.ts';
import { type Demand, readDemand } from './www-authenticate.ts';

const windowMs = 60_000;

/** What is wanted, and what is there. */
interface Need {
  readonly request: TokenRequest;
  readonly demand: Demand;
  readonly target: AuthorizationTarget;
  readonly key: string;
  /** As the store has it: only who knows it may replace it. */
  text: string | undefined;
  stored: Grant | undefined;
}

export class Session {
  readonly #endpoint: URL;
  readonly #method: Method;
  readonly #terms: ClientTerms;
  readonly #nonces: Nonces;
  readonly #locator: Locator;
  /** Apart, because it may take long until a person has agreed to more, and it may fail. */
  readonly #flights = { renewal: new SingleFlight<Grant>(), stepUp: new SingleFlight<Grant>() };
  #held: Grant | undefined;
  #key: DpopKey | undefined;
  /** When tokens were asked for anew. */
  #attempts: number[] = [];

  constructor(endpoint: URL, method: Method, terms: ClientTerms, nonces: Nonces) {
    this.#endpoint = endpoint;
    this.#method = method;
    this.#terms = terms;
    this.#nonces = nonces;
    this.#locator = new Locator(endpoint, method, terms);
  }

  /** What the tokens of this endpoint are bound to. */
  get key(): DpopKey | undefined {
    return this.#key;
  }

  holds(access: string): boolean {
    return this.#held?.access === access;
  }

  token(request: TokenRequest): Grant | Promise<Grant | undefined> {
    return request.status === undefined && this.#held !== undefined && isFresh(this.#held) ? this.#held : this.#find(request);
  }

  async #find(request: TokenRequest): Promise<Grant | undefined> {
    const demand = readDemand(request.challenge);
    if (request.status === undefined) {
      const key = await this.#locator.lastKey();
      const stored = key === undefined ? undefined : decodeGrant(await this.#terms.tokens.get(key));
      if (stored !== undefined && isFresh(stored)) return this.#hold(stored);
      // Nobody is bothered before a server has refused.
      if (stored === undefined || (this.#method.interactive && stored.refresh === undefined)) return undefined;
    }
    if (request.status === 403 && demand.error !== 'insufficient_scope') {
      throw forbidden(`${this.#endpoint.origin} refuses this request, and names no scope that would help`);
    }
    for (;;) {
      if (this.#held !== undefined && isAnswer(this.#held, request, demand)) return this.#held;
      const flight = request.status === 403 ? this.#flights.stepUp : this.#flights.renewal;
      const { value, joined } = await flight.join((signal) => this.#obtain(request, demand, signal), request.signal);
      // What another has asked for may not be what this one needs. That it is fresh is not asked: some never are.
      if (!joined || suits(value, request, demand)) return value;
    }
  }

  async #obtain(request: TokenRequest, demand: Demand, signal: AbortSignal): Promise<Grant> {
    const { fetch, timeoutMs, tokens } = this.#terms;
    const ask = createAsk({ fetch, reach: this.#terms.reachFrom(this.#endpoint), timeoutMs, signal });
    // A server that has refused may have another authorization server by now.
    const last = request.status === undefined ? await this.#locator.last(ask) : undefined;
    const target = last ?? (await this.#locator.discover(demand, ask));
    const key = this.#locator.keyOf(target);
    const work = async (): Promise<Grant> => {
      signal.throwIfAborted();
      const text = await tokens.get(key);
      const need: Need = { request, demand, target, key, text, stored: decodeGrant(text) };
      // Another process may have been faster.
      if (need.stored !== undefined && isAnswer(need.stored, request, demand)) return this.#hold(need.stored);
      try {
        return await this.#hold(await this.#save(need, await this.#renew(need, ask, signal)));
      } catch (error) {
        throw error instanceof GrantRefused ? refused(error.message, error) : error;
      }
    };
    return tokens.lock(key, work, signal);
  }

  /** By refreshing where that is enough, else by asking anew. */
  async #renew(need: Need, ask: Ask, signal: AbortSignal): Promise<Grant> {
    const round = await this.#round(need, ask, signal);
    const party = await this.#method.party(round);
    const { request, stored } = need;
    const isStepUp = request.status === 403;
    let known = true;
    if (!isStepUp && this.#method.interactive && stored?.refresh !== undefined && stored.clientId === party.clientId) {
      try {
        const answer = await requestToken(round, party, 'refresh_token', { refresh_token: stored.refresh });
        return toGrant(answer, stored, round.key?.jwk);
      } catch (error) {
        if (!(error instanceof GrantRefused)) throw error;
        // Only these say that the refresh token or the client is gone; everything else may pass.
        known = error.error !== 'invalid_client' && error.error !== 'unauthorized_client';
        if (known && error.error !== 'invalid_grant') throw error;
        this.#terms.report(error);
        const newer = await this.#drop(need);
        if (newer !== undefined) return newer;
      }
    }
    if (isStepUp) this.#checkStepUp(need);
    try {
      if (known) return await this.#ask(need, round, party);
    } catch (error) {
      if (!(error instanceof GrantRefused) || error.error !== 'invalid_client') throw error;
    }
    if ((await this.#method.forget?.(round, party)) !== true) throw refused(`${round.server.issuer} does not know this client`);
    return this.#ask(need, round, await this.#method.party(round));
  }

  async #ask({ request, demand, target, stored }: Need, round: Round, party: Party): Promise<Grant> {
    if (this.#method.interactive || request.status === 403) this.#count(request.status);
    const { scopes } = this.#terms;
    const wanted = demand.scopes === undefined ? (scopes ?? target.scopes ?? []) : [...demand.scopes, ...(scopes ?? [])];
    // 2026-07-28: the union with what was asked for before; and whether a client may refresh is not the resource's business.
    const asked = [...new Set([...(stored?.asked ?? []), ...wanted])].filter((scope) => scope !== 'offline_access');
    const answer = await this.#method.obtain(round, party, asked);
    return toGrant(answer, { asked, granted: asked, clientId: party.clientId }, round.key?.jwk);
  }

  #checkStepUp({ stored, demand: { scopes = [] } }: Need): void {
    if (stored === undefined || scopes.some((scope) => !stored.granted.includes(scope))) return;
    throw forbidden(`${this.#endpoint.origin} refuses this request, though the token holds every scope that it names`);
  }

  /** The first login, and as many more as the author allows. */
  #count(status: number | undefined): void {
    const now = Date.now();
    this.#attempts = this.#attempts.filter((at) => at > now - windowMs);
    if (this.#attempts.length >= this.#terms.maxStepUps + (this.#method.interactive ? 1 : 0)) {
      const text = `${this.#endpoint.origin} goes on refusing: ${this.#attempts.length} authorizations within a minute were not enough`;
      throw status === 403 ? forbidden(text) : refused(text);
    }
    this.#attempts.push(now);
  }

  async #round({ target, stored }: Need, ask: Ask, signal: AbortSignal): Promise<Round> {
    const { tokens, dpop } = this.#terms;
    const { server, resource } = target;
    if (dpop && !isOffered(server.dpopAlgorithms)) throw refused(`${server.issuer} does not offer DPoP with ES256`);
    // The refresh token of a public client is bound to the key as well.
    const key = !dpop ? undefined : stored?.key !== undefined ? await importKey(stored.key) : (this.#key ?? (await createKey()));
    const reach = this.#terms.reachFrom(this.#endpoint);
    return { server, resource, endpoint: this.#endpoint.href, ask, reach, store: tokens, signal, key, nonces: this.#nonces };
  }

  /** Never over something newer: then that is what counts. */
  async #save({ key, text, request, demand }: Need, grant: Grant): Promise<Grant> {
    const { tokens } = this.#terms;
    for (let expected = text; !(await tokens.set(key, encodeGrant(grant), expected)); ) {
      expected = await tokens.get(key);
      const other = decodeGrant(expected);
      if (other !== undefined && other.obtainedAt >= grant.obtainedAt && isAnswer(other, request, demand)) return other;
    }
    return grant;
  }

  /** A refresh token that is dead is not tried again. What it gives is newer than that: someone else's. */
  async #drop(need: Need): Promise<Grant | undefined> {
    const { tokens } = this.#terms;
    const { refresh: _, ...rest } = need.stored as Grant;
    const text = encodeGrant(rest);
    if (await tokens.set(need.key, text, need.text)) {
      need.text = text;
      return undefined;
    }
    need.text = await tokens.get(need.key);
    need.stored = decodeGrant(need.text);
    return need.stored !== undefined && isAnswer(need.stored, need.request, need.demand) ? need.stored : undefined;
  }

  async #hold(grant: Grant): Promise<Grant> {
    if (grant.key !== undefined && this.#key?.jwk.x !== grant.key.x) this.#key = await importKey(grant.key);
    this.#held = grant;
    return grant;
  }
}

function forbidden(text: string): VivariumError {
  return new VivariumError('ERR_FORBIDDEN', text);
}
