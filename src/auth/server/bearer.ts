// Fixed tokens, for a server with few callers and no authorization server.
import type { Authorizer, Principal } from '../../protocol/authorization.ts';
import { createAuthorizer } from './authorizer.ts';
import { asPrincipal, invalid } from './claims.ts';
import { type AuthOptions, asTerms, checkScope, mistake } from './options.ts';
import { isToken, maxTokenLength } from './request-token.ts';

/** A list, whose tokens belong to `token-1`, `token-2` and so on; or tokens with their principals. */
export type BearerTokens =
  | readonly string[]
  | ReadonlyMap<string, Partial<Principal>>
  | { readonly [token: string]: Partial<Principal> | undefined };

const minTokenLength = 16;

/** A principal without scopes of its own has all of `scopes` and `required`. */
export function bearer(tokens: BearerTokens, options: AuthOptions = {}): Authorizer {
  const terms = asTerms(options);
  const known = entriesOf(tokens).map(([token, given], index) => {
    checkToken(token, index);
    const principal = asPrincipal({ id: `token-${index + 1}`, scopes: terms.offered, ...given });
    if (principal === undefined)
      throw mistake(`The principal of token ${index + 1} needs an id and a list of scopes: write { id, scopes }`);
    for (const scope of principal.scopes) checkScope(scope);
    return { token, principal };
  });
  if (known.length === 0) throw mistake('bearer() was given no token, so nobody could enter: give it one, or leave out `auth`');
  if (new Set(known.map(({ token }) => token)).size < known.length) throw mistake('bearer() was given a token twice: write each once');
  return createAuthorizer(terms, (token) => {
    let found: Principal | undefined;
    // All of them, and each to its end: how long it takes says nothing about what is right.
    for (const one of known) if (isEqual(one.token, token)) found = one.principal;
    return found === undefined ? invalid.token : { principal: found };
  });
}

function entriesOf(tokens: BearerTokens): (readonly [string, Partial<Principal> | undefined])[] {
  if (isList(tokens)) return tokens.map((token) => [token, undefined] as const);
  return tokens instanceof Map ? [...tokens] : Object.entries(tokens);
}

function isList(tokens: BearerTokens): tokens is readonly string[] {
  return Array.isArray(tokens);
}

/** Its message counts the tokens instead of naming one: it may end in a log. */
function checkToken(token: unknown, index: number): void {
  if (typeof token === 'string' && token.length >= minTokenLength && token.length <= maxTokenLength && isToken(token)) return;
  const what = typeof token !== 'string' ? 'is no text' : token.length < minTokenLength ? 'can be guessed' : 'cannot be sent';
  throw mistake(
    `Token ${index + 1} ${what}: write ${minTokenLength} to ${maxTokenLength} characters of A-Z a-z 0-9 - . _ ~ + /, such as crypto.randomUUID() gives`,
  );
}

function isEqual(known: string, given: string): boolean {
  let difference = known.length ^ given.length;
  for (let at = 0; at < known.length; at++) difference |= known.charCodeAt(at) ^ given.charCodeAt(at % given.length);
  return difference === 0;
}
