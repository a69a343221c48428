// Every active probe, in the order in which they are asked.
import type { Probe } from '../probe.ts';
import { authorizationProbes } from './authorization.ts';
import { baseProbes } from './base.ts';
import { httpProbes } from './http.ts';
import { headerProbes } from './http-headers.ts';
import { streamProbes } from './http-streams.ts';
import { lifecycleProbes } from './lifecycle.ts';
import { schemaProbes } from './schemas.ts';
import { sseProbes } from './sse.ts';
import { statelessProbes } from './stateless.ts';
import { stdioProbes } from './stdio.ts';

export const probes: readonly Probe[] = [
  ...lifecycleProbes,
  ...statelessProbes,
  ...baseProbes,
  ...schemaProbes,
  ...httpProbes,
  ...headerProbes,
  ...streamProbes,
  ...authorizationProbes,
  ...sseProbes,
  ...stdioProbes,
];
