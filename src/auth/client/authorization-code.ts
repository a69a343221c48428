// Takes a person to the authorization server and exchanges the code they come back with: once, and only if it came from there.
import { VivariumError } from '../../jsonrpc/error.ts';
import { cancelled, quote, refused } from './authorization-server-request.ts';
import type { AuthServer } from './server-discovery.ts';
import { requestToken } from './token-endpoint.ts';
import type { Party, Round, TokenAnswer } from './token-round.ts';

/** Where the authorization server sends the person, and how they get there. */
export interface Redirect {
  /** As it is registered with the authorization server. */
  readonly uri: string;
  /** Shows the page, and gives what came back: the address, or its parameters. */
  open(url: URL, options: { readonly signal: AbortSignal; readonly state: string }): Promise<URL | URLSearchParams>;
}

export async function authorize(round: Round, party: Party, scopes: readonly string[], redirect: Redirect): Promise<TokenAnswer> {
  const { server, signal, resource } = round;
  checkServer(server);
  const { calculatePKCECodeChallenge, generateRandomCodeVerifier, generateRandomState } = await import('oauth4webapi');
  const verifier = generateRandomCodeVerifier();
  const state = generateRandomState();
  // Only where the server lists it, and never alone: it would take the place of the scopes given by default.
  const offline = scopes.length > 0 && server.scopes.includes('offline_access');
  const url = new URL(server.authorizationEndpoint);
  const parameters = {
    response_type: 'code',
    client_id: party.clientId,
    redirect_uri: redirect.uri,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    ...(resource !== undefined && { resource }),
    ...(scopes.length > 0 && { scope: [...scopes, ...(offline ? ['offline_access'] : [])].join(' ') }),
    // OpenID Connect Core, section 11: without consent there is no offline access.
    ...(offline && { prompt: 'consent' }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const code = codeFrom(await open(redirect, url, state, signal), server, redirect, state);
  return requestToken(round, party, 'authorization_code', { code, redirect_uri: redirect.uri, code_verifier: verifier });
}

function checkServer(server: AuthServer): asserts server is AuthServer & { readonly authorizationEndpoint: URL } {
  if (server.authorizationEndpoint === undefined) throw refused(`${server.issuer} has no authorization endpoint`);
  // 2025-11-25: a server that does not say so may not check it, and then a stolen code is as good as a token.
  if (!server.guessed && !server.challengeMethods?.includes('S256'))
    throw refused(`${server.issuer} does not say that it supports PKCE with S256`);
}

async function open(redirect: Redirect, url: URL, state: string, signal: AbortSignal): Promise<URL | URLSearchParams> {
  try {
    return await redirect.open(url, { signal, state });
  } catch (error) {
    if (signal.aborted) throw cancelled(signal);
    if (error instanceof VivariumError) throw error;
    throw new VivariumError(
      'ERR_AUTH_REQUIRED',
      `Nobody came back from ${url.origin}: ${quote(error instanceof Error ? error.message : error)}`,
      {
        cause: error,
      },
    );
  }
}

function codeFrom(came: URL | URLSearchParams, { issuer, sendsIssuer }: AuthServer, redirect: Redirect, state: string): string {
  if (came instanceof URL) {
    const expected = new URL(redirect.uri);
    if (came.protocol !== expected.protocol || came.host !== expected.host || came.pathname !== expected.pathname) {
      throw refused('The answer came to another address than the one that was registered');
    }
  }
  const parameters = came instanceof URL ? came.searchParams : came;
  const one = (name: string): string | undefined => {
    const values = parameters.getAll(name);
    if (values.length > 1) throw refused(`The answer holds more than one \`${name}\``);
    return values[0];
  };
  // In this order: nothing else counts, not even an error, before it is known whose it is (RFC 9207, section 2.4).
  if (one('state') !== state) throw refused('The answer does not belong to this authorization: its `state` is another');
  const iss = one('iss');
  if (iss === undefined ? sendsIssuer : iss !== issuer) {
    throw refused(`The answer is not from ${issuer}: its \`iss\` is ${iss === undefined ? 'missing' : 'another'}`);
  }
  const error = one('error');
  if (error !== undefined) {
    const description = one('error_description');
    throw refused(`${issuer} refuses: ${quote(error)}${description === undefined ? '' : ` (${quote(description)})`}`);
  }
  const code = one('code');
  if (code === undefined || code === '') throw refused(`${issuer} sent neither a code nor an error`);
  return code;
}
