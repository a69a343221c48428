// Clients that carry out, ask for or look after tasks as they should not, in 2025-11-25.

import { Refusal } from '../model/answers.ts';
import { type Body, list, members } from '../model/hands.ts';
import { everything } from '../model/model.ts';
import { answering, habits, type Mutant, on, onResult, sending } from './mutant.ts';

const revision = '2025-11-25';
const related = 'io.modelcontextprotocol/related-task';
const tag = { _meta: { [related]: { taskId: 'task-1' } } };
const taskless: Body = { ...everything(revision), tasks: undefined };
const isList = (result: Body): boolean => Array.isArray(result['tasks']);
const first = (change: (task: Body) => void) => onResult(isList, (result) => change(members(list(result['tasks'])[0])));
const get = (change: (task: Body, params: Body) => void) =>
  answering('tasks/get', (task, params) => {
    change(task, params);
    return task;
  });
const coded = (id: string) =>
  sending((message) => (message['id'] === id ? [{ jsonrpc: '2.0', id, error: { code: -32603, message: 'No' } }] : [message]));
const create = (change: (task: Body) => void) =>
  onResult(
    (result) => result['task'] !== undefined,
    (result) => change(members(result['task'])),
  );

export const taskMutants: readonly Mutant[] = [
  {
    id: 'tasks/shape',
    does: 'lists no tasks',
    revision,
    also: ['tasks/list/complete'],
    hands: answering('tasks/list', () => ({ tasks: 'none' })),
  },
  {
    id: 'tasks/id/string',
    does: 'has a number for an id',
    revision,
    also: ['tasks/shape', 'tasks/list/complete'],
    hands: first((task) => Object.assign(task, { taskId: 5 })),
  },
  {
    id: 'tasks/id/unique',
    does: 'uses an id twice',
    revision,
    also: ['tasks/status/terminal', 'tasks/cancel/cancelled', 'tasks/cancel/stays', 'tasks/cancel/finished', 'progress/tasks/stops'],
    hands: create((task) => Object.assign(task, { taskId: 'task-1' })),
  },
  {
    id: 'tasks/status/begins',
    does: 'begins at the end',
    revision,
    also: ['tasks/status/terminal'],
    hands: create((task) => Object.assign(task, { status: 'completed' })),
  },
  {
    id: 'tasks/status/paths',
    does: 'has a status of its own',
    revision,
    also: ['tasks/shape'],
    hands: get((task) => task['status'] === 'working' && Object.assign(task, { status: 'resting' })),
  },
  {
    id: 'tasks/status/terminal',
    does: 'goes on after the end',
    revision,
    hands: first((task) => Object.assign(task, { status: 'working' })),
  },
  {
    id: 'tasks/times/created',
    does: 'was created yesterday',
    revision,
    hands: get((task) => Object.assign(task, { createdAt: 'yesterday' })),
  },
  {
    id: 'tasks/times/updated',
    does: 'was changed lately',
    revision,
    hands: get((task) => Object.assign(task, { lastUpdatedAt: 'lately' })),
  },
  { id: 'tasks/ttl/told', does: 'does not say how long', revision, also: ['tasks/shape'], hands: get((task) => delete task['ttl']) },
  {
    id: 'tasks/related/result',
    does: 'does not name the task of a result',
    revision,
    twins: ['tasks/related/present'],
    hands: answering('tasks/result', ({ _meta, ...rest }) => rest),
  },
  { id: 'tasks/related/not-in-results', does: 'names the task twice', revision, hands: get((task) => Object.assign(task, tag)) },
  {
    id: 'tasks/related/not-in-notifications',
    does: 'names the task twice in a notification',
    revision,
    hands: on('notifications/tasks/status', (_, params) => Object.assign(params, tag)),
  },
  {
    id: 'tasks/related/not-in-requests',
    does: 'names the task twice in a request',
    revision,
    hands: on('tasks/get', (_, params) => Object.assign(params, { _meta: { ...members(params['_meta']), ...tag._meta } })),
  },
  {
    id: 'tasks/errors/status-message',
    does: 'fails without a word',
    revision,
    also: ['tasks/list/complete'],
    hands: first((task) => Object.assign(task, { taskId: 'task-9', status: 'failed' })),
  },
  {
    id: 'tasks/capability',
    does: 'carries out tasks undeclared',
    revision,
    hands: () => ({ declares: taskless }),
  },
  {
    id: 'tasks/augment/ignored',
    does: 'refuses what might be a task',
    revision,
    hands: () => ({
      capabilities: taskless,
      answer(_, params, answer) {
        if (params['task'] !== undefined) throw new Refusal(-32602, 'No tasks');
        return answer;
      },
    }),
  },
  {
    id: 'tasks/tool/undeclared',
    does: 'calls every tool as a task',
    revision,
    twins: ['tasks/augment/declared', 'tasks/augment/undeclared', 'tasks/tool/forbidden'],
    also: ['jsonrpc/schema', 'cancellation/request-id/no-task', 'cancellation/tasks'],
    hands: habits({ asTask: 'always' }),
  },
  { id: 'tasks/tool/required', does: 'calls no tool as a task', revision, hands: habits({ asTask: 'never' }) },
  {
    id: 'tasks/create/result',
    does: 'answers at once',
    revision,
    hands: answering('sampling/createMessage', (answer) =>
      answer['task'] === undefined ? answer : { role: 'assistant', model: 'none', content: { type: 'text', text: 'At once' } },
    ),
  },
  {
    id: 'tasks/result/final',
    does: 'gives nothing for a result',
    revision,
    twins: ['tasks/result/waits'],
    hands: answering('tasks/result', ({ _meta }) => ({ _meta })),
  },
  {
    id: 'tasks/result/waits',
    does: 'gives the result while it works',
    revision,
    also: ['tasks/status/terminal'],
    hands: () => {
      let isGiven = 0;
      return {
        answer(method, _params, answer) {
          if (method === 'tasks/result') isGiven += 1;
          if (method !== 'tasks/get' || isGiven !== 1) return answer;
          isGiven += 1;
          return { ...answer, status: 'working' };
        },
      };
    },
  },
  {
    id: 'tasks/related/params-count',
    does: 'goes by _meta',
    revision,
    hands: get((task, params) => {
      const named = members(members(params['_meta'])[related])['taskId'];
      if (named !== undefined) Object.assign(task, { taskId: named, status: 'cancelled' });
    }),
  },
  { id: 'tasks/list/complete', does: 'lists nothing', revision, hands: answering('tasks/list', () => ({ tasks: [] })) },
  {
    id: 'tasks/cancel/finished',
    does: 'cancels what is done',
    revision,
    hands: coded('check-task-over'),
  },
  {
    id: 'tasks/cancel/cancelled',
    does: 'works on when it answers',
    revision,
    hands: answering('tasks/cancel', (task) => ({ ...task, status: 'working' })),
  },
  {
    id: 'tasks/cancel/stays',
    does: 'finishes what was cancelled',
    revision,
    twins: ['tasks/status/terminal'],
    hands: get((task) => task['status'] === 'cancelled' && Object.assign(task, { status: 'completed' })),
  },
  { id: 'tasks/errors/unknown', does: 'has another code for unknown tasks', revision, hands: coded('check-task-nobody') },
  { id: 'tasks/errors/cursor', does: 'has another code for unknown pages', revision, hands: coded('check-task-no-page') },
  {
    id: 'progress/tasks/same-token',
    does: 'has another token for the task',
    revision,
    also: ['progress/token/known'],
    hands: on('notifications/progress', (_, params) => params['_meta'] !== undefined && Object.assign(params, { progressToken: 'mine' })),
  },
  {
    id: 'progress/tasks/stops',
    does: 'tells progress of a task that is done',
    revision,
    hands: sending((message) =>
      message['method'] === 'notifications/tasks/status'
        ? [message, { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'check-task-progress', progress: 9 } }]
        : [message],
    ),
  },
  { id: 'tasks/poll/interval', does: 'polls at once', revision, hands: habits({ pollsAtOnce: true }) },
  {
    id: 'tasks/poll/until-terminal',
    does: 'asks once',
    revision,
    twins: ['tasks/notification/not-relied-on', 'tasks/poll/beside-notifications'],
    hands: habits({ stopsPolling: true }),
  },
  {
    id: 'tasks/input/result-called',
    does: 'never asks for the result of what needs input',
    revision,
    hands: habits({ asksResultOnInput: false }),
  },
  {
    id: 'tasks/streams/any',
    does: 'answers on one stream only',
    revision,
    transport: 'http',
    also: ['jsonrpc/request/answered'],
    hands: sending((message) => (String(message['id']).startsWith('check-elicit-') ? [] : [message])),
  },
  {
    id: 'tasks/list/opaque',
    does: 'trims cursors',
    revision,
    hands: on(
      'tasks/list',
      (_, params) => typeof params['cursor'] === 'string' && Object.assign(params, { cursor: params['cursor'].trim() }),
    ),
  },
  {
    id: 'cancellation/tasks',
    does: 'cancels a task by its request',
    revision,
    twins: ['cancellation/request-id/no-task'],
    also: ['cancellation/in-progress'],
    hands: () => {
      let asked: unknown;
      return {
        out(message) {
          if (members(message['params'])['task'] !== undefined) asked = message['id'];
          if (message['method'] !== 'tasks/get' || asked === undefined) return [message];
          const requestId = asked;
          asked = undefined;
          return [message, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }];
        },
      };
    },
  },
];
