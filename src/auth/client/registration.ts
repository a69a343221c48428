// Makes the client known to an authorization server that has never heard of it (RFC 7591), once for each issuer.

import { isLoopback } from '../../text/loopback.ts';
import type { JsonObject } from '../server/fetch-json.ts';
import { jsonOf, quote, refused } from './authorization-server-request.ts';
import { publicParty, secretParty } from './client-authentication.ts';
import type { AuthServer } from './server-discovery.ts';
import type { Party, Round } from './token-round.ts';
import { decode, keys } from './token-store.ts';

interface Registration {
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly method: string;
  readonly secretExpiresAt?: number;
}

/** A public client is what an application on a person's machine is; a secret is taken only where the server insists. */
const preferred = ['none', 'client_secret_basic', 'client_secret_post'];
/** So that a secret is not tried in its last moment. */
const marginMs = 60_000;

export async function registered(round: Round, redirectUri: string, clientName: string): Promise<Party> {
  const { server, store, signal } = round;
  const key = keys.registration(server.issuer, redirectUri);
  const known = decodeRegistration(await store.get(key));
  if (known !== undefined) return asParty(known);
  const work = async (): Promise<Party> => {
    const text = await store.get(key);
    const other = decodeRegistration(text);
    if (other !== undefined) return asParty(other);
    const fresh = await register(round, redirectUri, clientName);
    await store.set(key, JSON.stringify(fresh), text);
    return asParty(fresh);
  };
  return store.lock(key, work, signal);
}

/** True when there was something to forget. */
export async function forget({ server, store }: Round, redirectUri: string, clientId: string): Promise<boolean> {
  const key = keys.registration(server.issuer, redirectUri);
  const text = await store.get(key);
  const known = decodeRegistration(text);
  if (known === undefined) return false;
  // Another process may have registered anew already.
  if (known.clientId === clientId) await store.set(key, undefined, text);
  return true;
}

async function register({ server, ask }: Round, redirectUri: string, clientName: string): Promise<Registration> {
  const { registrationEndpoint } = server;
  if (registrationEndpoint === undefined) {
    throw refused(`${server.issuer} does not register clients: register one there by hand, and give its \`clientId\``);
  }
  const asked = methodFor(server);
  const metadata = {
    client_name: clientName,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: asked,
    application_type: isNative(new URL(redirectUri)) ? 'native' : 'web',
  };
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const response = await ask(registrationEndpoint, { method: 'POST', headers, body: JSON.stringify(metadata) });
  const answer = await jsonOf(response);
  if (response.status !== 201 && response.status !== 200) {
    const { error = `status ${response.status}`, error_description: description } = answer ?? {};
    throw refused(
      `${server.issuer} does not register this client: ${quote(error)}${description === undefined ? '' : ` (${quote(description)})`}`,
    );
  }
  const registration = asRegistration(answer ?? {}, asked, server);
  if (registration === undefined) throw refused(`${server.issuer} registered this client in a way that cannot be understood`);
  return registration;
}

function methodFor({ authMethods, guessed, issuer }: AuthServer): string {
  // RFC 8414: metadata without a list means `client_secret_basic`.
  const offered = authMethods ?? (guessed ? preferred : ['client_secret_basic']);
  const method = preferred.find((one) => offered.includes(one));
  if (method === undefined) throw refused(`${issuer} takes clients only by ${offered.join(', ') || 'nothing that is known'}`);
  return method;
}

function asRegistration(answer: JsonObject, asked: string, { guessed }: AuthServer): Registration | undefined {
  const { client_id: id, client_secret: secret, client_secret_expires_at: expires, token_endpoint_auth_method: told } = answer;
  if (typeof id !== 'string' || id === '' || (secret !== undefined && typeof secret !== 'string')) return undefined;
  // A server that says nothing of its ways and gives a secret wants to see it.
  const silent = guessed && typeof secret === 'string' ? 'client_secret_post' : asked;
  const method = typeof told === 'string' ? told : silent;
  if (!preferred.includes(method) || (method !== 'none' && typeof secret !== 'string')) return undefined;
  return {
    clientId: id,
    method,
    ...(typeof secret === 'string' && { clientSecret: secret }),
    ...(typeof expires === 'number' && expires > 0 && { secretExpiresAt: expires * 1_000 }),
  };
}

function decodeRegistration(text: string | undefined): Registration | undefined {
  const value = decode(text);
  if (typeof value?.['clientId'] !== 'string' || typeof value['method'] !== 'string') return undefined;
  const registration = value as unknown as Registration;
  const { secretExpiresAt = Number.POSITIVE_INFINITY, method } = registration;
  return method !== 'none' && secretExpiresAt - marginMs < Date.now() ? undefined : registration;
}

function asParty({ clientId, clientSecret, method }: Registration): Party {
  return clientSecret === undefined ? publicParty(clientId) : secretParty(clientId, clientSecret, method);
}

/** 2026-07-28: it must be said, because redirects to this machine are refused to others. */
function isNative(redirect: URL): boolean {
  return isLoopback(redirect.hostname) || (redirect.protocol !== 'https:' && redirect.protocol !== 'http:');
}
