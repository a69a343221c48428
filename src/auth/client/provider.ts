// Gives each MCP endpoint its own tokens, and each request that needs one its proof.
import type { AuthProvider } from '../../protocol/authorization.ts';
import { asHttpUrl } from '../server/fetch-json.ts';
import { mistake } from '../server/options.ts';
import { Nonces } from './dpop.ts';
import { Session } from './endpoint-tokens.ts';
import type { Grant } from './grant.ts';
import { asClientTerms, type ClientAuthOptions } from './options.ts';
import type { Method } from './token-round.ts';

export function createProvider(method: Method, options: ClientAuthOptions): AuthProvider {
  const terms = asClientTerms(options);
  // Tokens bound to a key are of no use to whoever proves nothing, and the other way round.
  const own: Method = terms.dpop ? { ...method, identity: `${method.identity} dpop` } : method;
  const nonces = new Nonces();
  const sessions = new Map<string, Session>();
  const sessionOf = (resource: string): Session => {
    const known = sessions.get(resource);
    if (known !== undefined) return known;
    const endpoint =
      options.allowInsecure === true && URL.canParse(resource) ? new URL(resource) : asHttpUrl(resource, 'An MCP server that needs tokens');
    const session = new Session(endpoint, own, terms, nonces);
    sessions.set(resource, session);
    return session;
  };
  const told = (grant: Grant | undefined) => grant && { value: grant.access, scheme: grant.scheme };
  return {
    token(request) {
      const found = sessionOf(request.resource).token(request);
      return found instanceof Promise ? found.then(told) : told(found);
    },
    ...(terms.dpop && {
      async proof({ method: verb, url, token }) {
        const keys = [...sessions.values()].filter(({ key }) => key !== undefined);
        const key = (keys.find((session) => session.holds(token)) ?? sessions.get(url) ?? keys[0])?.key;
        if (key === undefined) throw mistake('There is no DPoP token yet: ask for a proof after the token');
        return key.prove(verb, url, nonces.of(url), token);
      },
      nonce: (value, url) => nonces.set(value, url),
    }),
  } as AuthProvider;
}
