// Tokens that only the author of the server can judge.
import type { Authorizer, Principal, RequestHead } from '../../protocol/authorization.ts';
import { createAuthorizer } from './authorizer.ts';
import { asPrincipal, invalid, isBound, type TokenVerdict } from './claims.ts';
import { type AuthOptions, asTerms, mistake, type Terms } from './options.ts';

/**
 * Whose token it is; undefined for nobody's. It is asked at every request, and what it throws is told to `onError` only. Claims with
 * `cnf` are refused: a verifier that has checked the proof leaves it out.
 */
export type Verifier = (token: string, head: RequestHead) => Principal | undefined | Promise<Principal | undefined>;

export function verifier(verify: Verifier, options: AuthOptions = {}): Authorizer {
  const terms = asTerms(options);
  if (typeof verify !== 'function') throw mistake('verifier() needs a function: write verifier((token) => principal or undefined)');
  return createAuthorizer(terms, (token, _resource, head) => {
    try {
      const answer = verify(token, head);
      if (!isThenable(answer)) return judged(answer, terms);
      return Promise.resolve(answer).then(
        (late) => judged(late, terms),
        (error: unknown) => failed(error, terms),
      );
    } catch (error) {
      return failed(error, terms);
    }
  });
}

function judged(answer: Principal | undefined, terms: Terms): TokenVerdict {
  if (answer === undefined || answer === null) return invalid.token;
  const principal = asPrincipal(answer);
  if (principal === undefined) return failed(mistake('A verifier gave no principal: return { id, scopes }, or undefined'), terms);
  return isBound(principal.claims ?? {}) ? invalid.bound : { principal };
}

function failed(error: unknown, terms: Terms): TokenVerdict {
  terms.report(error);
  return invalid.token;
}

function isThenable(value: unknown): value is PromiseLike<Principal | undefined> {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'then') === 'function';
}
