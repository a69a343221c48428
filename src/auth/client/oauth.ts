// Tokens that a person grants in a browser: the authorization code flow of OAuth 2.1.
import { VivariumError } from '../../jsonrpc/error.ts';
import type { AuthProvider } from '../../protocol/authorization.ts';
import { mistake } from '../server/options.ts';
import { authorize, type Redirect } from './authorization-code.ts';
import { checkIssuer, isHome, notHome, publicParty, secretMethod, secretParty } from './client-authentication.ts';
import { type ClientAuthOptions, checkText } from './options.ts';
import { createProvider } from './provider.ts';
import { forget, registered } from './registration.ts';
import type { Party, Round } from './token-round.ts';

export interface OAuthOptions extends ClientAuthOptions {
  /** Takes the person to the authorization server and back. Without one nobody can log in, and tokens kept for a registered client are used. */
  readonly redirect?: Redirect;
  /** Registered by hand. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Whose `clientId` it is. Needed with a `clientSecret`. Default: the first issuer that is met; another never gets to see it. */
  readonly issuer?: string;
  /** The address of a document about this client, used as its id where the authorization server reads such documents. */
  readonly clientMetadataUrl?: string;
  /** Shown to the person. Default: Vivarium. */
  readonly clientName?: string;
}

export function oauth(options: OAuthOptions): AuthProvider {
  const { redirect, clientId, clientSecret, issuer, clientMetadataUrl, clientName = 'Vivarium' } = options;
  if (redirect !== undefined && !URL.canParse(redirect.uri))
    throw mistake('`redirect.uri` is no address: write where the browser is sent back to');
  if (clientId !== undefined) checkText(clientId, '`clientId`');
  if (clientSecret !== undefined && clientId === undefined) throw mistake('`clientSecret` needs its `clientId`');
  if (clientSecret !== undefined) checkIssuer(issuer, options.allowInsecure);
  if (clientMetadataUrl !== undefined) checkMetadataUrl(clientMetadataUrl);
  const uri = redirect?.uri ?? '';

  /** 2025-11-25: registered by hand, else by a document, else on the spot. */
  const party = async (round: Round): Promise<Party> => {
    const { server } = round;
    const home = clientId !== undefined && (await isHome(round, clientId, issuer));
    if (home && clientSecret === undefined) return publicParty(clientId);
    if (home && clientSecret !== undefined) return secretParty(clientId, clientSecret, secretMethod(server));
    if (clientMetadataUrl !== undefined && server.takesMetadataUrls) return publicParty(clientMetadataUrl);
    if (clientId !== undefined && server.registrationEndpoint === undefined) throw notHome(round);
    return registered(round, uri, clientName);
  };
  return createProvider(
    {
      identity: JSON.stringify(['code', clientId ?? clientMetadataUrl ?? uri]),
      interactive: true,
      choose: (servers) => servers.find((one) => one === issuer) ?? (servers[0] as string),
      party(round) {
        if (redirect === undefined && clientId === undefined && clientMetadataUrl === undefined) throw loginNeeded(round);
        return party(round);
      },
      forget: (round, { clientId: id }) => forget(round, uri, id),
      async obtain(round, who, scopes) {
        if (redirect === undefined) throw loginNeeded(round);
        return authorize(round, who, scopes, redirect);
      },
    },
    options,
  );
}

function loginNeeded({ server, endpoint }: Round): VivariumError {
  return new VivariumError(
    'ERR_AUTH_REQUIRED',
    `${new URL(endpoint).origin} wants someone to log in at ${server.issuer}: give oauth() a \`redirect\``,
  );
}

/** The authorization server fetches it, so it must be one that only its owner can write. */
function checkMetadataUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' && url.pathname !== '/' && url.hash === '' && url.username === '') return;
  throw mistake('`clientMetadataUrl` must be https and have a path: write https://host/path/to/document.json');
}
