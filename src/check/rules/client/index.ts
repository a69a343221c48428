// Every passive rule for clients: those of their own, and those that hold for whoever speaks.
import type { Rule } from '../../model/rule.ts';
import { cancellation } from '../server/cancellation.ts';
import { envelope } from '../server/envelope.ts';
import { framing } from '../server/framing.ts';
import { meta } from '../server/meta.ts';
import { progress } from '../server/progress.ts';
import { replies } from '../server/replies.ts';
import { tasks } from '../server/tasks.ts';
import { http } from './http.ts';
import { lifecycle } from './lifecycle.ts';
import { requests } from './requests.ts';
import { shapes } from './shapes.ts';
import { stdio } from './stdio.ts';
import { taskCalls } from './tasks.ts';

/** A client asks for tasks of what the server declared. */
const ownTasks: Rule = {
  judges: tasks.judges,
  apply: (seen, judge) => tasks.apply({ ...seen, declared: seen.greeting?.capabilities ?? {} }, judge),
};

/** What is asked of servers alone is never chosen for a client, so a rule may judge it without harm. */
export const clientRules: readonly Rule[] = [
  framing,
  envelope,
  replies,
  meta,
  progress,
  cancellation,
  ownTasks,
  lifecycle,
  requests,
  shapes,
  http,
  stdio,
  taskCalls,
];
