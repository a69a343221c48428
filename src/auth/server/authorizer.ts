// The order in which a request is judged, whatever it is that knows good tokens from bad ones.
import type { Admission, Authorizer, RequestHead } from '../../protocol/authorization.ts';
import { refuseForNow, refuseInvalid, refuseMalformed, refuseMissing, refuseScope } from './challenge.ts';
import type { TokenVerdict } from './claims.ts';
import type { Terms } from './options.ts';
import { findToken } from './request-token.ts';
import { resourceMetadata } from './resource-metadata.ts';

/** Says whose token it is. Plain when it is known at once; never throws. */
export type Judge = (token: string, resource: string, head: RequestHead) => TokenVerdict | Promise<TokenVerdict>;

export function createAuthorizer(terms: Terms, judge: Judge, usesResource = false): Authorizer {
  const admission = (verdict: TokenVerdict, resource: string): Admission => {
    if ('unavailable' in verdict) return { refused: refuseForNow(verdict.unavailable) };
    if ('invalid' in verdict) return { refused: refuseInvalid(terms, resource, verdict.invalid) };
    const { scopes } = verdict.principal;
    if (!terms.required.every((scope) => scopes.includes(scope))) return { refused: refuseScope(terms, resource, []) };
    return { principal: verdict.principal };
  };
  return {
    usesResource,
    admit(head, resource) {
      const found = findToken(head);
      if (found === undefined) return { refused: refuseMissing(terms, resource) };
      if ('malformed' in found) return { refused: refuseMalformed(terms, resource, found.malformed) };
      if ('invalid' in found) return { refused: refuseInvalid(terms, resource, found.invalid) };
      const verdict = judge(found.token, resource, head);
      return verdict instanceof Promise ? verdict.then((late) => admission(late, resource)) : admission(verdict, resource);
    },
    // 2026-07-28 (and RFC 6750, section 3.1): what this request needs, not what was granted before.
    stepUp: (scopes, _principal, resource) => refuseScope(terms, resource, scopes),
    ...(terms.servers.length > 0 && { document: (path: string, resource: string) => resourceMetadata(terms, path, resource) }),
  };
}
