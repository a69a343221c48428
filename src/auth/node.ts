// vivarium/auth/node: what a client needs from the machine it runs on to be authorized: a browser, a file, and connections it can trust.
import type { AuthProvider } from '../protocol/authorization.ts';
import { guardedFetch } from './node-fetch.ts';
import { loopbackRedirect } from './node-redirect.ts';
import { fileTokens } from './node-tokens.ts';
import { type OAuthOptions, oauth as plain } from './oauth.ts';

export { guardedFetch } from './node-fetch.ts';
export { type LoopbackOptions, loopbackRedirect } from './node-redirect.ts';
export { fileTokens } from './node-tokens.ts';

/** `oauth` of `vivarium/auth`, with the browser, a file of tokens and guarded connections, each unless told otherwise. */
export function oauth(options: OAuthOptions = {}): AuthProvider {
  return plain({ redirect: loopbackRedirect(), tokens: fileTokens(), fetch: guardedFetch, ...options });
}
