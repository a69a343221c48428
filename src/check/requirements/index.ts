// The sections of the catalogue, in the order of the specification.
import type { Requirement } from '../requirement.ts';
import { authorizationRequirements } from './authorization.ts';
import { authorizationDiscoveryRequirements } from './authorization-discovery.ts';
import { authorizationFlowRequirements } from './authorization-flow.ts';
import { authorizationRegistrationRequirements } from './authorization-registration.ts';
import { cachingRequirements } from './caching.ts';
import { errorsRequirements } from './errors.ts';
import { httpHeadersRequirements } from './http-headers.ts';
import { httpMessagesRequirements } from './http-messages.ts';
import { httpSessionsRequirements } from './http-sessions.ts';
import { httpStreamsRequirements } from './http-streams.ts';
import { jsonSchemaRequirements } from './json-schema.ts';
import { jsonrpcRequirements } from './jsonrpc.ts';
import { lifecycleRequirements } from './lifecycle.ts';
import { metaRequirements } from './meta.ts';
import { securityRequirements } from './security.ts';
import { stdioRequirements } from './stdio.ts';
import { transportsRequirements } from './transports.ts';
import { versioningRequirements } from './versioning.ts';

export const sections: readonly (readonly Requirement[])[] = [
  jsonrpcRequirements,
  errorsRequirements,
  lifecycleRequirements,
  versioningRequirements,
  metaRequirements,
  jsonSchemaRequirements,
  stdioRequirements,
  transportsRequirements,
  httpMessagesRequirements,
  httpStreamsRequirements,
  httpSessionsRequirements,
  httpHeadersRequirements,
  authorizationRequirements,
  authorizationDiscoveryRequirements,
  authorizationRegistrationRequirements,
  authorizationFlowRequirements,
  securityRequirements,
  cachingRequirements,
];
