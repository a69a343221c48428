// An MCP server and its authorization server as small as they can be, and a client that asks as a real one does.
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'vitest';
import type { Redirect } from 'vivarium/auth';
import { bodyOf, json, listen } from './fixture.ts';

export { call } from './client-call.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface Seen {
  readonly path: string;
  readonly form: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
}

export interface ServerOptions {
  /** Of the issuer. */
  readonly path?: string;
  /** Null: nowhere. */
  readonly metadataAt?: string | null;
  /** Replaces fields; undefined takes one away. */
  readonly metadata?: Fields | ((url: string) => Fields);
  readonly registration?: (body: Fields) => Fields;
  /** Parameters that replace those of a good callback; null takes one away. */
  readonly callback?: (issuer: string) => Readonly<Record<string, string | null>>;
  /** Answers in place of the token endpoint; true when it did. */
  readonly token?: (seen: Seen, response: ServerResponse) => boolean | Promise<boolean>;
  readonly seconds?: number;
}

export interface FakeServer {
  readonly url: string;
  readonly issuer: string;
  readonly asked: string[];
  readonly authorizations: Readonly<Record<string, string>>[];
  readonly tokens: Seen[];
  readonly registrations: Fields[];
  /** Access tokens that count, with their scopes. */
  readonly valid: Map<string, string>;
  /** The refresh tokens in use. */
  readonly refresh: Map<string, string>;
  reuses: number;
}

/** Rotates refresh tokens, and takes everything away from whoever uses one twice. */
export async function createFakeServer(options: ServerOptions = {}): Promise<FakeServer> {
  const { path = '', seconds = 3_600 } = options;
  const { metadataAt = `/.well-known/oauth-authorization-server${path}` } = options;
  let count = 0;
  const codes = new Map<string, { readonly challenge: string; readonly scope: string }>();
  const used = new Set<string>();
  const fake = {
    asked: [] as string[],
    authorizations: [] as Record<string, string>[],
    tokens: [] as Seen[],
    registrations: [] as Fields[],
    valid: new Map<string, string>(),
    refresh: new Map<string, string>(),
    reuses: 0,
    url: '',
    issuer: '',
  };
  const grant = (response: ServerResponse, scope: string): void => {
    const access = `access-${++count}-${path.slice(1)}`;
    const refresh = `refresh-${count}`;
    fake.valid.set(access, scope);
    fake.refresh.set(refresh, scope);
    json(response, {
      access_token: access,
      token_type: 'Bearer',
      expires_in: seconds,
      refresh_token: refresh,
      ...(scope !== '' && { scope }),
    });
  };
  const answerToken = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = Object.fromEntries(new URLSearchParams(await bodyOf(request)));
    const seen = { path: request.url ?? '', form, headers: request.headers };
    fake.tokens.push(seen);
    if ((await options.token?.(seen, response)) === true) return;
    const { grant_type: type, code = '', code_verifier: verifier = '', refresh_token: refresh = '', scope = '' } = form;
    if (type === 'authorization_code') {
      const known = codes.get(code);
      codes.delete(code);
      const isGood = known?.challenge === createHash('sha256').update(verifier).digest('base64url');
      return isGood ? grant(response, known.scope) : json(response, { error: 'invalid_grant' }, 400);
    }
    if (type !== 'refresh_token') return grant(response, scope);
    const granted = fake.refresh.get(refresh);
    if (used.has(refresh)) {
      fake.reuses++;
      fake.refresh.clear();
      fake.valid.clear();
    }
    if (granted === undefined || used.has(refresh)) return json(response, { error: 'invalid_grant', error_description: 'reused' }, 400);
    used.add(refresh);
    fake.refresh.delete(refresh);
    grant(response, granted);
  };
  const { url } = await listen(async (request, response) => {
    const here = new URL(request.url ?? '', fake.url);
    fake.asked.push(here.pathname);
    if (here.pathname === metadataAt) return json(response, metadataOf());
    if (here.pathname === `${path}/token`) return answerToken(request, response);
    if (here.pathname === `${path}/register`) {
      const body = JSON.parse(await bodyOf(request)) as Fields;
      fake.registrations.push(body);
      const answer = options.registration?.(body) ?? { token_endpoint_auth_method: body['token_endpoint_auth_method'] };
      return json(response, { client_id: `client-${fake.registrations.length}`, ...answer }, 201);
    }
    if (here.pathname === `${path}/authorize`) {
      const parameters = Object.fromEntries(here.searchParams);
      fake.authorizations.push(parameters);
      const code = `code-${fake.authorizations.length}`;
      codes.set(code, { challenge: parameters['code_challenge'] ?? '', scope: parameters['scope'] ?? '' });
      const back = new URL(parameters['redirect_uri'] ?? '');
      const sent = { code, state: parameters['state'] ?? null, iss: fake.issuer, ...options.callback?.(fake.issuer) };
      for (const [name, value] of Object.entries(sent)) if (value !== null) back.searchParams.set(name, value);
      return response.writeHead(302, { location: back.href }).end();
    }
    response.writeHead(404).end('<!doctype html>');
  });
  const metadataOf = (): Fields => {
    const base = `${url}${path}`;
    const replaced = typeof options.metadata === 'function' ? options.metadata(url) : options.metadata;
    return {
      issuer: fake.issuer,
      authorization_endpoint: `${base}/authorize`,
      token_endpoint: `${base}/token`,
      registration_endpoint: `${base}/register`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
      ...replaced,
    };
  };
  return Object.assign(fake, { url, issuer: `${url}${path}` });
}

export interface ResourceOptions {
  /** Of the MCP endpoint. Default: `/mcp`. */
  readonly path?: string;
  /** Where the metadata is. Default: at the path. Null: nowhere. */
  readonly metadataAt?: string | null;
  readonly metadata?: (url: string) => Fields;
  /** The whole challenge; null for none. Default: `resource_metadata`. */
  readonly challenge?: (url: string) => string | null;
  /** Scopes that are needed, by name of the operation. */
  readonly needs?: (operation: string) => string;
}

export interface FakeResource {
  readonly url: string;
  readonly endpoint: string;
  readonly asked: string[];
  readonly authorizations: (string | undefined)[];
  /** May be replaced by another in mid-run. */
  server: FakeServer;
}

export async function createFakeResource(server: FakeServer, options: ResourceOptions = {}): Promise<FakeResource> {
  const { path = '/mcp' } = options;
  const { metadataAt = `/.well-known/oauth-protected-resource${path}` } = options;
  const asked: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const { url } = await listen((request, response) => {
    asked.push(request.url ?? '');
    if (request.url === metadataAt) {
      return json(response, { resource: `${url}${path}`, authorization_servers: [fake.server.issuer], ...options.metadata?.(url) });
    }
    if (request.url !== path) return response.writeHead(404).end();
    const { authorization } = request.headers;
    authorizations.push(authorization);
    const token = authorization?.split(' ')[1] ?? '';
    const granted = fake.server.valid.get(token);
    const about = metadataAt === null ? 'Bearer' : `Bearer resource_metadata="${url}${metadataAt}"`;
    if (granted === undefined) {
      const challenge = options.challenge === undefined ? about : options.challenge(url);
      return response.writeHead(401, challenge === null ? {} : { 'www-authenticate': challenge }).end();
    }
    const needed = options.needs?.(String(request.headers['x-operation'] ?? '')) ?? '';
    if (needed !== '' && !needed.split(' ').every((scope) => granted.split(' ').includes(scope))) {
      return response.writeHead(403, { 'www-authenticate': `${about}, error="insufficient_scope", scope="${needed}"` }).end();
    }
    response.writeHead(200).end(token);
  });
  const fake: FakeResource = { url, endpoint: `${url}${path}`, asked, authorizations, server };
  return fake;
}

/** Agrees to everything at once, as the conformance client does. */
export function headless(uri = 'http://127.0.0.1:9/callback'): Redirect & { readonly opened: URL[] } {
  const opened: URL[] = [];
  return {
    uri,
    opened,
    async open(url) {
      opened.push(url);
      const response = await fetch(url, { redirect: 'manual' });
      return new URL(response.headers.get('location') ?? 'about:blank');
    },
  };
}

export function coded(code: string, message: string | RegExp = ''): unknown {
  return expect.objectContaining({ name: 'VivariumError', code, message: expect.stringMatching(message) });
}
