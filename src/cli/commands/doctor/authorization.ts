// What a server that wants a token publishes about where tokens come from: the documents a client would look for.

import { reachOf } from '../../../auth/client/allowed-addresses.ts';
import { createAsk } from '../../../auth/client/authorization-server-request.ts';
import { findResource } from '../../../auth/client/resource-discovery.ts';
import { findServer } from '../../../auth/client/server-discovery.ts';
import { readDemand } from '../../../auth/client/www-authenticate.ts';
import { guardedFetch } from '../../../auth/node/index.ts';
import { cut } from '../../../jsonrpc/error.ts';
import { withTimeout } from '../../../text/timeouts.ts';
import type { Examination } from './step.ts';

const timeoutMs = 10_000;

export async function examineAuthorization(url: URL, examination: Examination, signal: AbortSignal): Promise<void> {
  const reach = reachOf(url);
  const ask = createAsk({ fetch: guardedFetch, reach, timeoutMs, signal });
  const header = await challengeOf(url, signal);
  if (header === undefined)
    examination.warn('challenge', '401 without WWW-Authenticate', 'the server should say there where its metadata is (RFC 9728)');
  else examination.ok('challenge', cut(header));
  try {
    const { resource, servers } = await findResource(url, readDemand(header), ask, reach);
    if (resource === undefined)
      examination.warn('well-known', 'No metadata of the protected resource', 'clients then take the origin for the authorization server');
    else examination.ok('well-known', `${cut(resource)} trusts ${cut(servers.join(', '))}`);
    const server = await findServer(servers[0] as string, resource === undefined, ask, reach);
    if (server.guessed)
      examination.warn('well-known', 'No metadata of the authorization server', 'clients then guess /authorize, /token and /register');
    else examination.ok('well-known', `${cut(server.issuer)} grants tokens at ${cut(server.tokenEndpoint.href)}`);
    if (!server.guessed && server.challengeMethods?.includes('S256') !== true)
      examination.warn('well-known', 'PKCE with S256 is not announced', 'clients that follow the specification refuse to log in');
    if (server.registrationEndpoint === undefined && !server.takesMetadataUrls)
      examination.warn(
        'well-known',
        'Nobody is registered by itself',
        'a client id has to be got from whoever runs the authorization server',
      );
  } catch (error) {
    examination.warn('well-known', (error as Error).message, 'without it a client cannot log in; --token-env gives it a token by hand');
  }
}

/** Whether a client could get a token by itself: somebody is named who gives them. */
export async function canLogIn(url: URL, signal: AbortSignal): Promise<boolean> {
  const reach = reachOf(url);
  const ask = createAsk({ fetch: guardedFetch, reach, timeoutMs, signal });
  try {
    const { resource, servers } = await findResource(url, readDemand(await challengeOf(url, signal)), ask, reach);
    return !(await findServer(servers[0] as string, resource === undefined, ask, reach)).guessed;
  } catch {
    return false;
  }
}

async function challengeOf(url: URL, signal: AbortSignal): Promise<string | undefined> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  try {
    const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    const asked = async (limit: AbortSignal): Promise<string | undefined> => {
      const response = await guardedFetch(url.href, { method: 'POST', headers, body, signal: limit, reach: 'anything' });
      await response.body?.cancel();
      return response.headers.get('www-authenticate') ?? undefined;
    };
    return await withTimeout(timeoutMs, asked, signal);
  } catch {
    return undefined;
  }
}
