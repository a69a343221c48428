// vivarium/auth/node: what a client needs from the machine it runs on to be authorized: a browser, a file, and connections it can trust.
import type { AuthProvider } from '../../protocol/authorization.ts';
import { type OAuthOptions, oauth as plain } from '../client/oauth.ts';
import { guardedFetch } from './fetch.ts';
import { loopbackRedirect } from './redirect.ts';
import { fileTokens } from './token-file.ts';

export { guardedFetch } from './fetch.ts';
export { type LoopbackOptions, loopbackRedirect } from './redirect.ts';
export { fileTokens } from './token-file.ts';

/** `oauth` of `vivarium/auth`, with the browser, a file of tokens and guarded connections, each unless told otherwise. */
export function oauth(options: OAuthOptions = {}): AuthProvider {
  return plain({ redirect: loopbackRedirect(), tokens: fileTokens(), fetch: guardedFetch, ...options });
}
