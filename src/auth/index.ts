// vivarium/auth: who may call a server over HTTP, and how a client gets what it needs to call one. Tokens are issued elsewhere.
export type {
  AccessToken,
  Admission,
  Authorizer,
  AuthProvider,
  Principal,
  Refused,
  RequestHead,
  TokenRequest,
} from '../protocol/authorization.ts';
export type { AuthFetch, AuthRequestInit } from './ask.ts';
export type { Redirect } from './authorization-code.ts';
export { type BearerTokens, bearer } from './bearer.ts';
export type { ClientAuthOptions } from './client-options.ts';
export { type IntrospectionOptions, introspection } from './introspection.ts';
export { type JwtAlgorithm, type JwtKeys, type JwtOptions, jwt } from './jwt.ts';
export {
  type ClientCredentialsOptions,
  clientCredentials,
  type EnterpriseOptions,
  enterpriseManaged,
  type WorkloadIdentityOptions,
  workloadIdentity,
} from './machine.ts';
export { type OAuthOptions, oauth } from './oauth.ts';
export type { AuthOptions } from './options.ts';
export type { Reach } from './reach.ts';
export { staticToken } from './static-token.ts';
export { memoryTokens, type TokenStore } from './tokens.ts';
export { type Verifier, verifier } from './verifier.ts';
