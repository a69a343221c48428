// Who the client is at an authorization server, and how it shows that at the token endpoint.
import type { PrivateKey } from 'oauth4webapi';
import { asHttpUrl } from '../server/fetch-json.ts';
import { mistake } from '../server/options.ts';
import { refused } from './authorization-server-request.ts';
import type { AuthServer } from './server-discovery.ts';
import type { Party, Round } from './token-round.ts';
import { keys } from './token-store.ts';

/** A public client: it says who it is and can prove nothing. */
export function publicParty(clientId: string): Party {
  return { clientId, authenticate: (_server, _client, body) => void body.set('client_id', clientId) };
}

export function secretParty(clientId: string, secret: string, method: string): Party {
  if (method === 'none') return publicParty(clientId);
  if (method === 'client_secret_post') {
    return {
      clientId,
      authenticate(_server, _client, body) {
        body.set('client_id', clientId);
        body.set('client_secret', secret);
      },
    };
  }
  // RFC 6749, section 2.3.1: both parts are form-encoded first.
  const encoded = [clientId, secret].map((part) => new URLSearchParams({ '': part }).toString().slice(1));
  const authorization = `Basic ${btoa(encoded.join(':'))}`;
  return { clientId, authenticate: (_server, _client, _body, headers) => headers.set('authorization', authorization) };
}

export async function keyParty(clientId: string, key: PrivateKey): Promise<Party> {
  const { PrivateKeyJwt } = await import('oauth4webapi');
  return { clientId, authenticate: PrivateKeyJwt(key) };
}

/** How to show a secret. RFC 8414: a server that says nothing takes `client_secret_basic`. */
export function secretMethod({ authMethods, issuer }: AuthServer): string {
  const method = ['client_secret_basic', 'client_secret_post'].find((one) => authMethods?.includes(one) ?? true);
  if (method === undefined)
    throw refused(`${issuer} takes no client secret: it wants ${authMethods?.join(', ') || 'nothing that is known'}`);
  return method;
}

/** An MCP server chooses which authorization server it names: a secret needs one that its owner has named. */
export function checkIssuer(issuer: unknown, allowInsecure = false): void {
  if (issuer === undefined) {
    throw mistake(
      'Credentials need the `issuer` that gave them out: without it any MCP server could name an authorization server of its own, and would be sent them',
    );
  }
  if (!allowInsecure) asHttpUrl(issuer, '`issuer`');
}

/** A client id without a secret is for one issuer: the one named, else the first that is met. */
export async function isHome({ server, store }: Round, clientId: string, issuer: string | undefined): Promise<boolean> {
  if (issuer !== undefined) return issuer === server.issuer;
  const key = keys.home(clientId);
  const home = await store.get(key);
  if (home !== undefined) return home === server.issuer;
  return (await store.set(key, server.issuer, undefined)) || (await store.get(key)) === server.issuer;
}

export function notHome({ server }: Round): Error {
  return refused(
    `The client credentials belong to another authorization server than ${server.issuer}, which the server names now: set \`issuer\` if that is right`,
  );
}
