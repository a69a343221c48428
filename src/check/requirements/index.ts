// The sections of the catalogue, in the order of the specification.
import type { Requirement } from '../requirement.ts';
import { authorizationRequirements } from './authorization.ts';
import { authorizationDiscoveryRequirements } from './authorization-discovery.ts';
import { authorizationFlowRequirements } from './authorization-flow.ts';
import { authorizationRegistrationRequirements } from './authorization-registration.ts';
import { cachingRequirements } from './caching.ts';
import { cancellationRequirements } from './cancellation.ts';
import { completionRequirements } from './completion.ts';
import { elicitationRequirements } from './elicitation.ts';
import { elicitationSafetyRequirements } from './elicitation-safety.ts';
import { elicitationUrlRequirements } from './elicitation-url.ts';
import { errorsRequirements } from './errors.ts';
import { httpHeadersRequirements } from './http-headers.ts';
import { httpMessagesRequirements } from './http-messages.ts';
import { httpSessionsRequirements } from './http-sessions.ts';
import { httpStreamsRequirements } from './http-streams.ts';
import { inputRequirements } from './input.ts';
import { jsonSchemaRequirements } from './json-schema.ts';
import { jsonrpcRequirements } from './jsonrpc.ts';
import { lifecycleRequirements } from './lifecycle.ts';
import { loggingRequirements } from './logging.ts';
import { metaRequirements } from './meta.ts';
import { paginationRequirements } from './pagination.ts';
import { pingRequirements } from './ping.ts';
import { progressRequirements } from './progress.ts';
import { promptsRequirements } from './prompts.ts';
import { resourcesRequirements } from './resources.ts';
import { rootsRequirements } from './roots.ts';
import { samplingRequirements } from './sampling.ts';
import { schemaRequirements } from './schema.ts';
import { securityRequirements } from './security.ts';
import { stdioRequirements } from './stdio.ts';
import { subscriptionsRequirements } from './subscriptions.ts';
import { tasksRequirements } from './tasks.ts';
import { tasksHandlingRequirements } from './tasks-handling.ts';
import { tasksIsolationRequirements } from './tasks-isolation.ts';
import { toolCallsRequirements } from './tool-calls.ts';
import { toolsRequirements } from './tools.ts';
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
  toolsRequirements,
  toolCallsRequirements,
  resourcesRequirements,
  promptsRequirements,
  completionRequirements,
  loggingRequirements,
  paginationRequirements,
  rootsRequirements,
  samplingRequirements,
  elicitationRequirements,
  elicitationUrlRequirements,
  elicitationSafetyRequirements,
  cancellationRequirements,
  pingRequirements,
  progressRequirements,
  tasksRequirements,
  tasksHandlingRequirements,
  tasksIsolationRequirements,
  subscriptionsRequirements,
  inputRequirements,
  schemaRequirements,
];
