// The sections of the catalogue, in the order of the specification.
import type { Requirement } from '../model/requirement.ts';
import { authorizationRequirements } from './authorization/authorization.ts';
import { authorizationDiscoveryRequirements } from './authorization/discovery.ts';
import { authorizationFlowRequirements } from './authorization/flow.ts';
import { authorizationRegistrationRequirements } from './authorization/registration.ts';
import { securityRequirements } from './authorization/security.ts';
import { errorsRequirements } from './base/errors.ts';
import { jsonSchemaRequirements } from './base/json-schema.ts';
import { jsonrpcRequirements } from './base/jsonrpc.ts';
import { metaRequirements } from './base/meta.ts';
import { schemaRequirements } from './base/schema.ts';
import { elicitationRequirements } from './client-features/elicitation.ts';
import { elicitationSafetyRequirements } from './client-features/elicitation-safety.ts';
import { elicitationUrlRequirements } from './client-features/elicitation-url.ts';
import { inputRequirements } from './client-features/input.ts';
import { rootsRequirements } from './client-features/roots.ts';
import { samplingRequirements } from './client-features/sampling.ts';
import { cancellationRequirements } from './lifecycle/cancellation.ts';
import { lifecycleRequirements } from './lifecycle/lifecycle.ts';
import { pingRequirements } from './lifecycle/ping.ts';
import { progressRequirements } from './lifecycle/progress.ts';
import { versioningRequirements } from './lifecycle/versioning.ts';
import { cachingRequirements } from './server-features/caching.ts';
import { completionRequirements } from './server-features/completion.ts';
import { loggingRequirements } from './server-features/logging.ts';
import { paginationRequirements } from './server-features/pagination.ts';
import { promptsRequirements } from './server-features/prompts.ts';
import { resourcesRequirements } from './server-features/resources.ts';
import { subscriptionsRequirements } from './server-features/subscriptions.ts';
import { toolCallsRequirements } from './server-features/tool-calls.ts';
import { toolsRequirements } from './server-features/tools.ts';
import { tasksRequirements } from './tasks/tasks.ts';
import { tasksHandlingRequirements } from './tasks/tasks-handling.ts';
import { tasksIsolationRequirements } from './tasks/tasks-isolation.ts';
import { httpHeadersRequirements } from './transports/http-headers.ts';
import { httpMessagesRequirements } from './transports/http-messages.ts';
import { httpSessionsRequirements } from './transports/http-sessions.ts';
import { httpStreamsRequirements } from './transports/http-streams.ts';
import { stdioRequirements } from './transports/stdio.ts';
import { transportsRequirements } from './transports/transports.ts';

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
