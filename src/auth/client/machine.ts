// Tokens that a program gets by itself: with its own credentials, with those of its platform, or through the identity provider of an enterprise.
import type { CryptoKey, JWK } from 'jose';
import type { AuthProvider } from '../../protocol/authorization.ts';
import { asHttpUrl } from '../server/fetch-json.ts';
import { mistake } from '../server/options.ts';
import { createAsk, jsonOf, quote, refused } from './authorization-server-request.ts';
import { checkIssuer, keyParty, notHome, publicParty, secretMethod, secretParty } from './client-authentication.ts';
import { asClientTerms, type ClientAuthOptions, checkText } from './options.ts';
import { createProvider } from './provider.ts';
import { findServer } from './server-discovery.ts';
import { requestToken } from './token-endpoint.ts';
import type { Method, Party, Round } from './token-round.ts';

interface MachineOptions extends ClientAuthOptions {
  readonly clientId: string;
  /** The authorization server that gave out the credentials: no other gets to see them, whatever an MCP server names. */
  readonly issuer: string;
}

export interface ClientCredentialsOptions extends MachineOptions {
  readonly clientSecret?: string;
  /** In place of a secret: PEM (PKCS #8), a JWK, or a key that signs. */
  readonly privateKey?: string | JWK | CryptoKey;
  /** Of the private key. Default: as the JWK says, else ES256. */
  readonly algorithm?: string;
  readonly keyId?: string;
}

const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

export function clientCredentials(options: ClientCredentialsOptions): AuthProvider {
  const { clientId, clientSecret, privateKey } = options;
  if ((clientSecret === undefined) === (privateKey === undefined)) {
    throw mistake('clientCredentials() needs one proof of who asks: give it a `clientSecret` or a `privateKey`');
  }
  if (clientSecret !== undefined) checkText(clientSecret, '`clientSecret`');
  let imported: Promise<CryptoKey> | undefined;
  return machine('credentials', options, {
    async party({ server }) {
      if (clientSecret !== undefined) return secretParty(clientId, clientSecret, secretMethod(server));
      imported ??= importPrivate(options);
      const { keyId } = options;
      return keyParty(clientId, { key: await imported, ...(keyId !== undefined && { kid: keyId }) });
    },
    obtain: (round, party, scopes) => requestToken(round, party, 'client_credentials', scopeOf(scopes)),
  });
}

export interface WorkloadIdentityOptions extends MachineOptions {
  /** Gives the token of the platform, anew for each access token; its audience must be the authorization server. */
  readonly assertion: (server: { readonly issuer: string; readonly resource: string }) => string | Promise<string>;
}

/** RFC 7523. A refused assertion is not sent again: the next request asks for a new one. */
export function workloadIdentity(options: WorkloadIdentityOptions): AuthProvider {
  const { clientId, assertion } = options;
  if (typeof assertion !== 'function') throw mistake('workloadIdentity() needs a function: write assertion: () => jwt');
  return machine('workload', options, {
    party: async () => publicParty(clientId),
    async obtain(round, party, scopes) {
      const { server, resource = round.endpoint } = round;
      return requestToken(round, party, jwtBearer, { assertion: await assertion({ issuer: server.issuer, resource }), ...scopeOf(scopes) });
    },
  });
}

export interface EnterpriseOptions extends MachineOptions {
  readonly clientSecret?: string;
  readonly idp: {
    readonly clientId: string;
    readonly clientSecret?: string;
    /** Of the person who works with this client. */
    readonly idToken: string | (() => string | Promise<string>);
    readonly tokenEndpoint?: string;
    /** Where the token endpoint is found, if it is not given. */
    readonly issuer?: string;
  };
}

/** The identity provider says for whom this client may act (an ID-JAG, by RFC 8693); the authorization server takes its word. */
export function enterpriseManaged(options: EnterpriseOptions): AuthProvider {
  const { clientId, clientSecret, idp } = options;
  if (idp === undefined || (idp.tokenEndpoint === undefined && idp.issuer === undefined)) {
    throw mistake('enterpriseManaged() needs an identity provider: give `idp` a `tokenEndpoint` or an `issuer`');
  }
  for (const address of [idp.tokenEndpoint, idp.issuer]) if (address !== undefined) asHttpUrl(address, 'Each address of `idp`');
  checkText(idp.clientId, '`idp.clientId`');
  return machine('enterprise', options, {
    party: async ({ server }) =>
      clientSecret === undefined ? publicParty(clientId) : secretParty(clientId, clientSecret, secretMethod(server)),
    async obtain(round, party, scopes) {
      const assertion = await exchange(round, options, scopes);
      return requestToken(round, party, jwtBearer, { assertion, ...scopeOf(scopes) });
    },
  });
}

async function exchange(
  { server, resource, endpoint, signal }: Round,
  options: EnterpriseOptions,
  scopes: readonly string[],
): Promise<string> {
  const { idp } = options;
  const { fetch, timeoutMs, reachFrom } = asClientTerms(options);
  // The author has named it, so its own place decides what may be asked.
  const home = new URL(idp.tokenEndpoint ?? (idp.issuer as string));
  const reach = reachFrom(home);
  const ask = createAsk({ fetch, reach, timeoutMs, signal });
  const url = idp.tokenEndpoint === undefined ? (await findServer(idp.issuer as string, false, ask, reach)).tokenEndpoint : home;
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
    subject_token: typeof idp.idToken === 'function' ? await idp.idToken() : idp.idToken,
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    audience: server.issuer,
    resource: resource ?? endpoint,
    client_id: idp.clientId,
    ...(idp.clientSecret !== undefined && { client_secret: idp.clientSecret }),
    ...scopeOf(scopes),
  });
  const response = await ask(url, { method: 'POST', body, headers: { accept: 'application/json' } });
  const answer = (await jsonOf(response)) ?? {};
  const { access_token: assertion, issued_token_type: type, error = `status ${response.status}`, error_description: description } = answer;
  const isGood = response.status === 200 && typeof assertion === 'string' && type === 'urn:ietf:params:oauth:token-type:id-jag';
  if (isGood) return assertion;
  throw refused(`${url.origin} vouches for nobody: ${quote(error)}${description === undefined ? '' : ` (${quote(description)})`}`);
}

type Own = Pick<Method, 'party' | 'obtain'>;

function machine(kind: string, options: MachineOptions, own: Own): AuthProvider {
  const { clientId, issuer } = options;
  checkText(clientId, '`clientId`');
  checkIssuer(issuer, options.allowInsecure);
  return createProvider(
    {
      ...own,
      identity: JSON.stringify([kind, clientId]),
      interactive: false,
      choose: (servers) => servers.find((one) => one === issuer) ?? (servers[0] as string),
      async party(round): Promise<Party> {
        if (round.server.issuer !== issuer) throw notHome(round);
        return own.party(round);
      },
    },
    options,
  );
}

function scopeOf(scopes: readonly string[]): { readonly scope?: string } {
  return scopes.length === 0 ? {} : { scope: scopes.join(' ') };
}

async function importPrivate({ privateKey, algorithm }: ClientCredentialsOptions): Promise<CryptoKey> {
  const { importJWK, importPKCS8 } = await import('jose');
  try {
    if (typeof privateKey === 'string') return await importPKCS8(privateKey, algorithm ?? 'ES256');
    if (privateKey !== undefined && 'kty' in privateKey)
      return (await importJWK(privateKey, algorithm ?? privateKey.alg ?? 'ES256')) as CryptoKey;
    return privateKey as CryptoKey;
  } catch (cause) {
    throw mistakeWith('`privateKey` cannot be read: write PEM (PKCS #8), a JWK or a CryptoKey, and its `algorithm`', cause);
  }
}

function mistakeWith(text: string, cause: unknown): Error {
  return Object.assign(mistake(text), { cause });
}
