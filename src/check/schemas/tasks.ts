// Shapes of tasks as the core of one revision had them.

import type { Revision } from '../../protocol/revision.ts';
import { traitsOf } from '../model/revision.ts';
import type { Fields } from './content.ts';
import { either, integer, nothing, object, type Shape, string, word } from './shape.ts';

export function hasTasks(revision: Revision): boolean {
  return traitsOf(revision).tasks;
}

/** Of requests whose work may be done as a task. */
export function taskAugmented(revision: Revision): Fields {
  return hasTasks(revision) ? { 'task?': object({ 'ttl?': integer }) } : {};
}

export const task: Fields = {
  taskId: string,
  status: word('working', 'input_required', 'completed', 'failed', 'cancelled'),
  createdAt: string,
  lastUpdatedAt: string,
  ttl: either(integer, nothing),
  'statusMessage?': string,
  'pollInterval?': integer,
};

/** What is answered at once to a request whose work goes on as a task. */
export const createdTask: Shape = object({ task: object(task), '_meta?': object() });
