// vivarium/auth: who may call a server over HTTP. It protects a resource; tokens are issued elsewhere.
export type { Admission, Authorizer, Principal, Refused, RequestHead } from '../protocol/authorization.ts';
export { type BearerTokens, bearer } from './bearer.ts';
export { type IntrospectionOptions, introspection } from './introspection.ts';
export { type JwtAlgorithm, type JwtKeys, type JwtOptions, jwt } from './jwt.ts';
export type { AuthOptions } from './options.ts';
export { type Verifier, verifier } from './verifier.ts';
