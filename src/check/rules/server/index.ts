// Every passive rule.
import type { Rule } from '../../model/rule.ts';
import { asking } from './asking.ts';
import { cancellation } from './cancellation.ts';
import { changes } from './changes.ts';
import { codes } from './codes.ts';
import { elicitation } from './elicitation.ts';
import { envelope } from './envelope.ts';
import { framing } from './framing.ts';
import { http } from './http.ts';
import { input } from './input.ts';
import { lifecycle } from './lifecycle.ts';
import { logging } from './logging.ts';
import { marks } from './marks.ts';
import { meta } from './meta.ts';
import { progress } from './progress.ts';
import { replies } from './replies.ts';
import { resources } from './resources.ts';
import { results } from './results.ts';
import { scopes } from './scopes.ts';
import { shapes } from './shapes.ts';
import { streams } from './streams.ts';
import { taskProgress } from './task-progress.ts';
import { tasks } from './tasks.ts';
import { tools } from './tools.ts';

export const rules: readonly Rule[] = [
  framing,
  envelope,
  replies,
  lifecycle,
  shapes,
  codes,
  results,
  meta,
  progress,
  cancellation,
  tools,
  marks,
  resources,
  changes,
  logging,
  asking,
  elicitation,
  input,
  tasks,
  taskProgress,
  http,
  streams,
  scopes,
];
