// Every scenario, in the order in which they are played: the first shows whether a client can be led to a revision at all.
import type { Scenario } from '../scenario.ts';
import { authorization } from './authorization.ts';
import { demands } from './demands.ts';
import { failures } from './failures.ts';
import { foreignAddresses } from './foreign-addresses.ts';
import { paramHeaders } from './headers.ts';
import { lists } from './lists.ts';
import { pages } from './pages.ts';
import { plain } from './plain.ts';
import { questions } from './questions.ts';
import { rounds } from './rounds.ts';
import { tasks } from './tasks.ts';
import { tasksAsked } from './tasks-asked.ts';

export const scenarios: readonly Scenario[] = [
  plain,
  pages,
  questions,
  demands,
  rounds,
  paramHeaders,
  ...lists,
  ...foreignAddresses,
  tasks,
  tasksAsked,
  ...failures,
  ...authorization,
];
