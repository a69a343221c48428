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
export type { Reach } from './client/allowed-addresses.ts';
export type { Redirect } from './client/authorization-code.ts';
export type { AuthFetch, AuthRequestInit } from './client/authorization-server-request.ts';
export {
  type ClientCredentialsOptions,
  clientCredentials,
  type EnterpriseOptions,
  enterpriseManaged,
  type WorkloadIdentityOptions,
  workloadIdentity,
} from './client/machine.ts';
export { type OAuthOptions, oauth } from './client/oauth.ts';
export type { ClientAuthOptions } from './client/options.ts';
export { staticToken } from './client/static-token.ts';
export { memoryTokens, type TokenStore } from './client/token-store.ts';
export { type BearerTokens, bearer } from './server/bearer.ts';
export { type IntrospectionOptions, introspection } from './server/introspection.ts';
export { type JwtAlgorithm, type JwtKeys, type JwtOptions, jwt } from './server/jwt.ts';
export type { AuthOptions } from './server/options.ts';
export { type Verifier, verifier } from './server/verifier.ts';
