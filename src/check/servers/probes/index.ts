// Every active probe, in the order in which they are asked.
import type { Probe } from '../probe.ts';
import { authorizationProbes } from './authorization.ts';
import { baseProbes } from './base.ts';
import { httpProbes } from './http.ts';
import { headerProbes } from './http-headers.ts';
import { streamProbes } from './http-streams.ts';
import { lifecycleProbes } from './lifecycle.ts';
import { lostClientProbes } from './lost-client.ts';
import { promptProbes } from './prompts.ts';
import { questionProbes } from './questions.ts';
import { resourceProbes } from './resources.ts';
import { robustnessProbes } from './robustness.ts';
import { schemaProbes } from './schemas.ts';
import { sseProbes } from './sse.ts';
import { statelessProbes } from './stateless.ts';
import { subscriptionProbes } from './subscriptions.ts';
import { taskProbes } from './tasks.ts';
import { serverTaskProbes } from './tasks-for-server.ts';
import { askingTaskProbes } from './tasks-that-ask.ts';
import { toolProbes } from './tools.ts';
import { utilityProbes } from './utilities.ts';

export const probes: readonly Probe[] = [
  ...lifecycleProbes,
  ...statelessProbes,
  ...baseProbes,
  ...utilityProbes,
  ...toolProbes,
  ...resourceProbes,
  ...promptProbes,
  ...questionProbes,
  ...subscriptionProbes,
  ...taskProbes,
  ...askingTaskProbes,
  ...serverTaskProbes,
  ...schemaProbes,
  ...httpProbes,
  ...headerProbes,
  ...streamProbes,
  ...lostClientProbes,
  ...authorizationProbes,
  ...sseProbes,
  ...robustnessProbes,
];
