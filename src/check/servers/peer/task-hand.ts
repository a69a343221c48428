// A client's hand that does as a task of 2025-11-25 what a server asks for as one, at its own pace.
import { asRecord, type Json } from '../../model/value.ts';
import { resultOf } from './manners.ts';
import type { Presentation } from './peer.ts';

const related = 'io.modelcontextprotocol/related-task';
const time = '2026-01-02T03:04:05Z';
/** What a server is asked to wait between two questions about a task. */
export const pollInterval = 200;

export interface TaskHand {
  readonly manner: NonNullable<Presentation['manner']>;
  /** Ids of the tasks, in the order in which they were asked for. */
  readonly tasks: readonly string[];
  /** Cursors that were given. */
  readonly cursors: readonly string[];
  /** What tasks from now on say of themselves, one after another; the last stays. */
  plan(statuses: readonly string[]): void;
  /** The task as it is told of. */
  told(id: string): Json;
}

export function createTaskHand(declared: Json): TaskHand {
  const tasks = new Map<string, { readonly question: Json; readonly statuses: readonly string[]; step: number }>();
  const cursors: string[] = [];
  let statuses: readonly string[] = ['working', 'completed'];

  function told(id: string): Json {
    const task = tasks.get(id);
    const status = task?.statuses[Math.min(task.step, task.statuses.length - 1)] ?? 'working';
    return { taskId: id, status, createdAt: time, lastUpdatedAt: time, ttl: 60_000, pollInterval };
  }

  function answer(method: string, params: Json): Json | undefined {
    const id = String(params['taskId']);
    const task = tasks.get(id);
    if (method === 'tasks/list') {
      if (params['cursor'] !== undefined) return cursors.includes(String(params['cursor'])) ? { tasks: [] } : undefined;
      cursors.push(`vivarium/${cursors.length + 1}=`);
      return { tasks: [...tasks.keys()].map(told), nextCursor: cursors.at(-1) };
    }
    if (task === undefined) return undefined;
    if (method === 'tasks/get') {
      const now = told(id);
      task.step += 1;
      return now;
    }
    // Whoever waits for the result has it at once.
    task.step = task.statuses.length;
    if (method === 'tasks/cancel') return { ...told(id), status: 'cancelled' };
    const result = resultOf(String(task.question['method']), asRecord(task.question['params']), declared);
    return { ...result, _meta: { [related]: { taskId: id } } };
  }

  return {
    get tasks() {
      return [...tasks.keys()];
    },
    cursors,
    plan(given) {
      statuses = given;
    },
    told,
    manner(question) {
      const { id, method, params } = question;
      if (asRecord(params)['task'] !== undefined) {
        const taskId = `vivarium-task-${tasks.size + 1}`;
        tasks.set(taskId, { question, statuses, step: 0 });
        return { jsonrpc: '2.0', id, result: { task: { ...told(taskId), status: 'working' } } };
      }
      if (!String(method).startsWith('tasks/')) return undefined;
      const result = answer(String(method), asRecord(params));
      return { jsonrpc: '2.0', id, ...(result === undefined ? { error: { code: -32602, message: 'Invalid params' } } : { result }) };
    },
  };
}
