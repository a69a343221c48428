// Tasks of 2025-11-25 as they were told of: ids, states, times, and the messages that belong to them.

import { type LedgerRequest, methodOf } from '../../model/ledger.ts';
import { traitsOf } from '../../model/revision.ts';
import type { Rule } from '../../model/rule.ts';
import type { Message } from '../../model/trace.ts';
import { asList, asRecord, at, brief, isRecord, type Json } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';

const related = 'io.modelcontextprotocol/related-task';
const terminal: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled']);
const states: ReadonlySet<unknown> = new Set(['working', 'input_required', ...terminal]);
const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;

export const tasks: Rule = {
  judges: [
    'tasks/id/string',
    'tasks/id/unique',
    'tasks/status/begins',
    'tasks/status/paths',
    'tasks/status/terminal',
    'tasks/times/created',
    'tasks/times/updated',
    'tasks/ttl/told',
    'tasks/related/present',
    'tasks/related/result',
    'tasks/related/not-in-results',
    'tasks/related/not-in-notifications',
    'tasks/streams/no-upgrade',
    'tasks/errors/status-message',
    'tasks/augment/declared',
    'tasks/augment/undeclared',
    'tasks/related/not-in-requests',
  ],
  apply({ ledger, conversation, declared }, judge) {
    if (!traitsOf(conversation.revision).tasks) return;
    const state = new Map<unknown, unknown>();
    const created = new Set<unknown>();
    for (const message of ledger.received) {
      const asked = ledger.answered.get(message);
      for (const task of told(message, asked)) {
        const id = task['taskId'];
        judge.verdict('tasks/id/string', typeof id === 'string', `the id of a task is ${brief(id)}`, [message]);
        times(task, message, judge);
        if (asked !== undefined && isRecord(at(message.value, 'result', 'task'))) {
          judge.verdict('tasks/id/unique', !created.has(id), `two tasks have the id ${brief(id)}`, [message]);
          created.add(id);
          judge.verdict('tasks/status/begins', task['status'] === 'working', `a task begins as ${brief(task['status'])}`, [message]);
        }
        const before = state.get(id);
        if (terminal.has(before))
          judge.verdict(
            'tasks/status/terminal',
            task['status'] === before,
            `a task goes from ${brief(before)} to ${brief(task['status'])}`,
            [message],
          );
        else judge.verdict('tasks/status/paths', states.has(task['status']), `the status is ${brief(task['status'])}`, [message]);
        state.set(id, task['status']);
        if (task['status'] === 'failed')
          judge.verdict('tasks/errors/status-message', typeof task['statusMessage'] === 'string', 'a failed task does not say why', [
            message,
          ]);
        if (asked?.method === 'tasks/get') judge.verdict('tasks/ttl/told', 'ttl' in task, 'the ttl is not told', [message]);
      }
      belongs(message, asked, judge);
    }
    for (const { params, message, method } of ledger.questions) {
      if (method.startsWith('tasks/')) {
        const tag = at(params, '_meta', related);
        judge.verdict('tasks/related/not-in-requests', tag === undefined, `${method} names the task in _meta`, [message]);
      }
      if (params['task'] === undefined) continue;
      const isDeclared = at(declared, 'tasks', 'requests', ...method.split('/')) !== undefined;
      judge.verdict('tasks/augment/declared', isDeclared, `${method} as a task, which the other side did not declare`, [message]);
      judge.verdict('tasks/augment/undeclared', declared['tasks'] !== undefined, `${method} as a task of a side without tasks`, [message]);
    }
  },
};

/** The tasks that a message tells of. */
function told(message: Message, asked: LedgerRequest | undefined): Json[] {
  const result = at(message.value, 'result');
  if (methodOf(message) === 'notifications/tasks/status') return [asRecord(at(message.value, 'params'))];
  if (!isRecord(result)) return [];
  if (isRecord(result['task']) && asked?.params['task'] !== undefined) return [result['task']];
  if (asked?.method === 'tasks/get' || asked?.method === 'tasks/cancel') return [result];
  return asked?.method === 'tasks/list' ? asList(result['tasks']).filter(isRecord) : [];
}

function times(task: Json, message: Message, judge: Judge): void {
  const isTime = (value: unknown) => typeof value === 'string' && iso.test(value);
  judge.verdict('tasks/times/created', isTime(task['createdAt']), `createdAt is ${brief(task['createdAt'])}`, [message]);
  judge.verdict('tasks/times/updated', isTime(task['lastUpdatedAt']), `lastUpdatedAt is ${brief(task['lastUpdatedAt'])}`, [message]);
}

function belongs(message: Message, asked: LedgerRequest | undefined, judge: Judge): void {
  const named = at(message.value, 'result', '_meta', related, 'taskId');
  if (asked?.method === 'tasks/result' && isRecord(at(message.value, 'result'))) {
    const isNamed = named === asked.params['taskId'];
    judge.verdict('tasks/related/result', isNamed, `the answer names the task ${brief(named)}`, [asked.message, message]);
    judge.verdict('tasks/related/present', isNamed, `the answer names the task ${brief(named)}`, [asked.message, message]);
  } else if (asked !== undefined && /^tasks\/(?:get|list|cancel)$/.test(asked.method)) {
    judge.verdict('tasks/related/not-in-results', named === undefined, `the answer to ${asked.method} names the task in _meta`, [message]);
  }
  if (methodOf(message) === 'notifications/tasks/status') {
    const tag = at(message.value, 'params', '_meta', related);
    judge.verdict('tasks/related/not-in-notifications', tag === undefined, 'a notification of a status names the task in _meta', [message]);
  }
  if (asked?.method === 'tasks/get' && message.exchange !== undefined) {
    judge.verdict('tasks/streams/no-upgrade', message.form === 'body', 'tasks/get is answered with a stream', [message]);
  }
}
