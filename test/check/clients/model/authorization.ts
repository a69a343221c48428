// How the honest client comes by a token: from the challenge over the metadata to the code and its redemption.
import { createHash, randomBytes } from 'node:crypto';
import { type Body, type Habits, type HttpAsk, list, members } from './hands.ts';
import type { Browser } from './http.ts';

export class Authorization {
  token: string | undefined;
  readonly #browser: Browser;
  readonly #habits: Habits;
  readonly #revision: string;
  readonly #server: URL;
  /** By issuer. */
  readonly #clients = new Map<string, string>();
  #lastClient: string | undefined;
  #scopes: readonly string[] = [];
  #stepUps = 0;
  #tries = 0;

  constructor(browser: Browser, habits: Habits, revision: string, server: URL) {
    this.#browser = browser;
    this.#habits = habits;
    this.#revision = revision;
    this.#server = server;
  }

  /** Whether it is worth another try. */
  async obtain(status: number, challenge: string): Promise<boolean> {
    const habits = this.#habits;
    this.#tries += 1;
    if (this.#tries > 20) return false;
    if (status === 403) {
      if (!habits.stepsUp || this.#stepUps >= habits.stepUpLimit) return false;
      this.#stepUps += 1;
    }
    const told = (name: string): string | undefined =>
      habits.readsChallenge ? new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1] : undefined;
    if (this.#revision === '2025-03-26') return this.#older();
    const guess: Body = { resource: this.#server.href, authorization_servers: [this.#server.origin] };
    const resource = habits.usesResourceMetadata ? await this.#resource(told('resource_metadata')) : guess;
    if (resource === undefined) return false;
    const [issuer] = list(resource['authorization_servers']).map(String);
    if (issuer === undefined) return false;
    const metadata = await this.#metadata(issuer);
    if (metadata === undefined) return false;
    if (habits.checksIssuer && metadata['issuer'] !== issuer) return false;
    if (habits.checksPkce && !list(metadata['code_challenge_methods_supported']).includes('S256')) return false;
    const challenged = habits.scopeFrom === 'challenge' ? told('scope') : undefined;
    const wanted = challenged?.split(' ') ?? (habits.scopeFrom === 'nothing' ? ['all'] : list(resource['scopes_supported']).map(String));
    const scopes = [...new Set([...(habits.keepsScopes ? this.#scopes : []), ...wanted])];
    this.#scopes = scopes;
    return this.#flow(issuer, metadata, String(resource['resource']), scopes);
  }

  async #resource(address: string | undefined): Promise<Body | undefined> {
    const base = '/.well-known/oauth-protected-resource';
    const places = address === undefined ? [`${base}${this.#server.pathname}`, ...(this.#habits.triesRoot ? [base] : [])] : [address];
    const found = await this.#first(places);
    if (found === undefined) return undefined;
    const named = String(found['resource']);
    const isOurs = (this.#habits.rereadsUpperCase ? new URL(named).href : named) === this.#server.href;
    return isOurs ? found : undefined;
  }

  #metadata(issuer: string): Promise<Body | undefined> {
    const { pathname } = new URL(issuer);
    const path = pathname === '/' ? '' : pathname;
    const [oauth, oidc] = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];
    const places = path === '' ? [oauth, oidc] : [`${oauth}${path}`, `${oidc}${path}`, `${path}${oidc}`];
    const { metadataOrder } = this.#habits;
    if (metadataOrder === 'first only') return this.#first(places.slice(0, 1));
    if (metadataOrder === 'oauth only') return this.#first(places.filter((one) => one.includes('oauth')));
    return this.#first(metadataOrder === 'reversed' ? places.reverse() : places);
  }

  async #first(places: readonly string[], headers: Record<string, string> = {}): Promise<Body | undefined> {
    for (const place of places) {
      const answer = await this.#browser.fetch({
        method: 'GET',
        url: new URL(place, this.#server),
        headers: { accept: 'application/json', ...headers },
      });
      const text = await answer.text();
      if (answer.status === 200) return members(JSON.parse(text));
    }
    return undefined;
  }

  /** 2025-03-26: at the root of the server, or at the default paths. */
  async #older(): Promise<boolean> {
    const { metadataFirst, defaultPaths, asksMetadata } = this.#habits;
    const headers = { 'mcp-protocol-version': '2025-03-26' };
    const found = metadataFirst && asksMetadata ? await this.#first(['/.well-known/oauth-authorization-server'], headers) : undefined;
    if (found === undefined && !defaultPaths) return false;
    const { origin } = this.#server;
    const made = {
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
    };
    const isDone = await this.#flow(origin, found ?? made, this.#server.href, []);
    if (!metadataFirst && asksMetadata) await this.#first(['/.well-known/oauth-authorization-server'], headers);
    return isDone;
  }

  async #client(issuer: string, metadata: Body): Promise<string | undefined> {
    const habits = this.#habits;
    if (habits.document !== '' && (habits.documentAlways || metadata['client_id_metadata_document_supported'] === true)) {
      if (habits.registersBeside) await this.#register(metadata);
      return habits.document;
    }
    if (habits.reusesClient && this.#lastClient !== undefined) return this.#lastClient;
    const known = this.#clients.get(issuer);
    if (known !== undefined) return known;
    if (!habits.registersAnew && this.#lastClient !== undefined) return `made-up-${this.#clients.size}`;
    const made = (await this.#register(metadata)) ?? (habits.goesOnUnregistered ? 'unregistered' : undefined);
    if (made === undefined) return undefined;
    this.#clients.set(issuer, made);
    this.#lastClient = made;
    return made;
  }

  async #register(metadata: Body): Promise<string | undefined> {
    const body = JSON.stringify({
      client_name: 'model',
      redirect_uris: ['http://localhost:3000/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    });
    const ask: HttpAsk = {
      method: 'POST',
      url: new URL(String(metadata['registration_endpoint'])),
      headers: { 'content-type': 'application/json' },
      body,
    };
    const answer = await this.#browser.fetch(ask);
    const text = await answer.text();
    return answer.status < 300 ? String(members(JSON.parse(text))['client_id']) : undefined;
  }

  async #flow(issuer: string, metadata: Body, resource: string, scopes: readonly string[]): Promise<boolean> {
    const habits = this.#habits;
    const client = await this.#client(issuer, metadata);
    if (client === undefined) return false;
    const verifier = randomBytes(32).toString('base64url');
    const state = randomBytes(8).toString('hex');
    const redirect = 'http://localhost:3000/callback';
    const page = new URL(String(metadata['authorization_endpoint']));
    const query = {
      response_type: 'code',
      client_id: client,
      redirect_uri: redirect,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state,
      resource,
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    };
    for (const [name, value] of Object.entries(query)) page.searchParams.set(name, value);
    const shown = await this.#browser.fetch({ method: 'GET', url: page, headers: {} });
    await shown.text();
    const location = shown.header('location');
    if (location === undefined) return false;
    const back = new URL(location).searchParams;
    if (habits.checksState && back.get('state') !== state) return false;
    const iss = back.get('iss');
    const trimmed = (one: string | null) => one?.replace(/\/$/, '');
    if (this.#revision >= '2026-07-28' && habits.checksIss === 'exact' && iss !== null && iss !== issuer) return false;
    if (habits.checksIss === 'normalized' && trimmed(iss) !== trimmed(issuer)) return false;
    const form = {
      grant_type: 'authorization_code',
      code: back.get('code') ?? '',
      redirect_uri: redirect,
      client_id: client,
      code_verifier: verifier,
      resource,
    };
    const redeemed = await this.#browser.fetch({
      method: 'POST',
      url: new URL(String(metadata['token_endpoint'])),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    });
    const given = members(JSON.parse(await redeemed.text()));
    if (habits.needsRefresh && given['refresh_token'] === undefined) return false;
    this.token = String(given['access_token']);
    return true;
  }
}
