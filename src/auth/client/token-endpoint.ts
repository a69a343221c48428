// One request to a token endpoint, and an answer that is either good or an error with a name.
import type { AuthorizationServer, Client, TokenEndpointResponse } from 'oauth4webapi';
import type { JsonObject } from '../server/fetch-json.ts';
import { jsonOf, quote, refused } from './authorization-server-request.ts';
import type { Party, Round, TokenAnswer } from './token-round.ts';
import { splitScopes } from './www-authenticate.ts';

/** Said by the authorization server itself, so it may be acted upon. */
export class GrantRefused extends Error {
  readonly error: string;

  constructor(error: string, message: string) {
    super(message);
    this.name = 'GrantRefused';
    this.error = error;
  }
}

export async function requestToken(
  round: Round,
  party: Party,
  grantType: string,
  parameters: Record<string, string>,
): Promise<TokenAnswer> {
  const { resource, key } = round;
  const form = { ...parameters, ...(resource !== undefined && { resource }) };
  const answer = await post(round, party, grantType, form);
  const { access_token: access, token_type: type, refresh_token: refresh, scope, expires_in: seconds } = answer;
  // A header of ours is going to hold it.
  if (!/^[\x21-\x7e]+$/.test(access)) throw refused(`${round.server.issuer} gave an access token that cannot be sent`);
  if ((type === 'dpop') !== (key !== undefined)) {
    throw refused(
      `${round.server.issuer} gave a token of the type ${quote(type)}, where ${key === undefined ? 'Bearer' : 'DPoP'} was asked for`,
    );
  }
  if (refresh === '') throw refused(`${round.server.issuer} gave an empty refresh token`);
  return {
    access,
    scheme: key === undefined ? 'Bearer' : 'DPoP',
    refresh,
    granted: scope === undefined ? undefined : splitScopes(scope),
    seconds: seconds === undefined || !Number.isFinite(seconds) ? undefined : seconds,
  };
}

async function post(round: Round, party: Party, grantType: string, form: Record<string, string>): Promise<TokenEndpointResponse> {
  const oauth = await import('oauth4webapi');
  const { server, key, nonces, signal } = round;
  const address = server.tokenEndpoint.href;
  const known: AuthorizationServer = { issuer: server.issuer, token_endpoint: address };
  const client: Client = { client_id: party.clientId };
  const attempt = async (): Promise<TokenEndpointResponse> => {
    const response = await oauth.genericTokenEndpointRequest(known, client, party.authenticate, grantType, form, {
      signal,
      // Addresses have been checked, and are once more by `ask`.
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: async (url, init) => {
        const proof = key === undefined ? undefined : { dpop: await key.prove('POST', url, nonces.of(url)) };
        const answer = await round.ask(new URL(url), {
          method: 'POST',
          body: init.body as URLSearchParams,
          headers: { ...init.headers, ...proof },
        });
        const nonce = answer.headers.get('dpop-nonce');
        if (nonce !== null) nonces.set(nonce, url);
        return trimmed(answer);
      },
    });
    return oauth.processGenericTokenEndpointResponse(known, client, response);
  };
  try {
    const before = nonces.of(address);
    try {
      return await attempt();
    } catch (error) {
      if (key === undefined || !oauth.isDPoPNonceError(error) || nonces.of(address) === before) throw error;
      return await attempt();
    }
  } catch (error) {
    if (error instanceof oauth.ResponseBodyError) throw grantRefused(server.issuer, error.error, error.error_description);
    if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError) {
      throw refused(`${server.issuer} gave no token that can be used: ${quote(error.message)}`, error);
    }
    throw error;
  }
}

function grantRefused(issuer: string, error: string, description: string | undefined): GrantRefused {
  return new GrantRefused(error, `${issuer} refuses: ${quote(error)}${description === undefined ? '' : ` (${quote(description)})`}`);
}

/** Without what is of no use here and could only be wrong: who the user is, and a challenge that would hide the error in the body. */
async function trimmed(response: Response): Promise<Response> {
  const headers = new Headers(response.headers);
  headers.delete('www-authenticate');
  const { status } = response;
  const value = status === 200 ? await jsonOf(response.clone()) : undefined;
  if (value?.['id_token'] === undefined) return new Response(response.body, { status, headers });
  const { id_token: _, ...rest } = value as JsonObject;
  return new Response(JSON.stringify(rest), { status, headers });
}
