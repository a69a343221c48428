// Mutants of tasks of 2025-11-25: an honest keeper of tasks in front of the honest server, and what each does otherwise.
import type { RequirementId } from '../../../../src/check/model/requirement-id.ts';
import type { Meddling } from '../../pipe-target.ts';
import { type Arrival, type HttpMutant, isStream, json, methodOf } from './http-mutant.ts';
import { type Body, type Mutant, parse } from './mutant.ts';

const revision = '2025-11-25';
const related = 'io.modelcontextprotocol/related-task';
const time = '2026-01-02T03:04:05Z';
const note = (method: string, params: Body): Body => ({ jsonrpc: '2.0', method, params });

interface Otherwise {
  /** A reply, by the method it answers; `create` is that to a call as a task. */
  reply?(method: string, result: Body, params: Body): void;
  /** Another code for an error. */
  code?(method: string, code: number, params: Body): number | undefined;
  /** Does not declare tasks, and makes them of every call. */
  readonly undeclared?: boolean;
  /** Lets such a request through to the server without tasks. */
  passes?(method: string, params: Body): boolean;
  /** Does not change the status of a task. */
  readonly idle?: boolean;
  readonly sameId?: boolean;
  /** Its questions name no task. */
  readonly untagged?: boolean;
  /** Its tasks do not say that they need something. */
  readonly silent?: boolean;
  /** Its tasks do not go on when they have it. */
  readonly stuck?: boolean;
  /** Sent after the reply. */
  afterwards?(method: string, params: Body): Body | undefined;
}

interface Keeper {
  /** Whether it is for the keeper, and not for the server behind it. */
  takes(message: Body | undefined): message is Body;
  /** What it says to a request or an answer, at once. */
  say(message: Body): readonly Body[];
  /** Changes what the server behind it says of itself. */
  declare(message: Body): void;
}

function createKeeper(otherwise: Otherwise): Keeper {
  const tasks = new Map<string, Body>();
  /** Requests for results of tasks that still wait for an answer of their own. */
  const waiting = new Map<string, unknown>();
  const questionOf = (taskId: unknown): string => `question-of-${String(taskId)}`;
  const resultOf = (taskId: unknown): Body => ({ content: [{ type: 'text', text: 'done' }], _meta: { [related]: { taskId } } });
  const isAnswer = (message: Body): boolean => message['method'] === undefined && String(message['id']).startsWith('question-of-');

  const answer = (method: string, params: Body, id: unknown): Body | number | undefined => {
    const task = tasks.get(String(params['taskId']));
    if (method === 'tools/call') {
      const isAble = params['name'] === 'work' || params['name'] === 'measure' || otherwise.undeclared === true;
      if (params['task'] === undefined || !isAble) return -32601;
      const taskId = otherwise.sameId === true ? 'task' : `task-${tasks.size + 1}`;
      const made = { taskId, status: 'working', createdAt: time, lastUpdatedAt: time, ttl: 60_000, pollInterval: 100 };
      tasks.set(taskId, { ...made });
      return { task: made };
    }
    if (method === 'tasks/list') return params['cursor'] === undefined ? { tasks: [...tasks.values()].map((one) => ({ ...one })) } : -32602;
    if (task === undefined) return -32602;
    if (method === 'tasks/get') return { ...task };
    if (method === 'tasks/cancel') {
      if (task['status'] !== 'working') return -32602;
      task['status'] = 'cancelled';
      return { ...task };
    }
    if (task['asks'] === true) {
      waiting.set(String(params['taskId']), id);
      return undefined;
    }
    if (otherwise.idle !== true) task['status'] = 'completed';
    return resultOf(task['taskId']);
  };

  /** A task of `work` needs a name. */
  const question = (taskId: string): Body => {
    const task = tasks.get(taskId) ?? {};
    Object.defineProperty(task, 'asks', { value: true, writable: true, enumerable: false });
    if (otherwise.silent !== true) task['status'] = 'input_required';
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
    const tag = otherwise.untagged === true ? {} : { _meta: { [related]: { taskId } } };
    return {
      jsonrpc: '2.0',
      id: questionOf(taskId),
      method: 'elicitation/create',
      params: { message: 'Your name?', requestedSchema, ...tag },
    };
  };

  const goOn = ({ id }: Body): Body[] => {
    const taskId = String(id).slice('question-of-'.length);
    const task = tasks.get(taskId);
    if (task === undefined || otherwise.stuck === true) return [];
    Object.defineProperty(task, 'asks', { value: false });
    task['status'] = 'completed';
    return waiting.has(taskId) ? [{ jsonrpc: '2.0', id: waiting.get(taskId), result: resultOf(taskId) }] : [];
  };

  return {
    takes(message): message is Body {
      const method = String(message?.['method'] ?? '');
      const params = (message?.['params'] ?? {}) as Body;
      if (message === undefined || otherwise.passes?.(method, params) === true) return false;
      if (isAnswer(message)) return true;
      if (method.startsWith('tasks/')) return otherwise.undeclared !== true;
      return method === 'tools/call' && (params['task'] !== undefined || (params['name'] === 'measure' && otherwise.undeclared !== true));
    },
    say(message) {
      if (isAnswer(message)) return goOn(message);
      const method = String(message['method']);
      const params = (message['params'] ?? {}) as Body;
      const given = answer(method, params, message['id']);
      if (given === undefined) return [];
      const head = { jsonrpc: '2.0', id: message['id'] };
      if (typeof given === 'number') {
        const code = otherwise.code?.(method, given, params) ?? given;
        return [{ ...head, error: { code, message: 'No' } }];
      }
      const made = method === 'tools/call' ? String((given['task'] as Body)['taskId']) : undefined;
      otherwise.reply?.(method === 'tools/call' ? 'create' : method, given, params);
      const more = otherwise.afterwards?.(method, params);
      const asked = made !== undefined && params['name'] === 'work' ? [question(made)] : [];
      return [{ ...head, result: given }, ...asked, ...(more === undefined ? [] : [more])];
    },
    declare(message) {
      const result = message['result'] as Body | undefined;
      if (result === undefined || otherwise.undeclared === true) return;
      const { capabilities, tools } = result as { capabilities?: Body; tools?: Body[] };
      if (result['protocolVersion'] !== undefined && capabilities !== undefined)
        capabilities['tasks'] = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
      for (const tool of tools ?? []) {
        if (tool['name'] === 'work') tool['execution'] = { taskSupport: 'optional' };
        if (tool['name'] === 'measure') tool['execution'] = { taskSupport: 'required' };
      }
    },
  };
}

function keeper(otherwise: Otherwise = {}): () => Meddling {
  return () => {
    const { takes, say, declare } = createKeeper(otherwise);
    return {
      in: (line) => (takes(parse(line)) ? undefined : line),
      echo(line) {
        const message = parse(line);
        const said = takes(message) ? say(message) : [];
        return said.length === 0 ? undefined : said.map((one) => JSON.stringify(one)).join('\n');
      },
      out(line) {
        const message = parse(line);
        if (message === undefined) return line;
        declare(message);
        return JSON.stringify(message);
      },
    };
  };
}

/** The same over HTTP, where nothing is asked: a response has room for one message. */
function webKeeper(answer: (message: Body, arrival: Arrival) => Response): HttpMutant['around'] {
  return () => {
    const { takes, say, declare } = createKeeper({});
    return async (arrival, next) => {
      const [said] = takes(arrival.value) ? say(arrival.value) : [];
      if (said !== undefined) return answer(said, arrival);
      const response = await next();
      if (isStream(response) || response.headers.get('content-type') !== 'application/json') return response;
      const message = (await response.json()) as Body;
      declare(message);
      return new Response(JSON.stringify(message), { status: response.status, headers: response.headers });
    };
  };
}

/** Changes one kind of result. */
const on = (wanted: string, change: (result: Body, params: Body) => void): Otherwise => ({
  reply: (method, result, params) => void (method === wanted && change(result, params)),
});
const first = (result: Body): Body => ((result['tasks'] as Body[])[0] ?? {}) as Body;
const task = (result: Body): Body => result['task'] as Body;

const rows: readonly (readonly [
  id: RequirementId,
  does: string,
  Otherwise,
  twins?: readonly RequirementId[],
  also?: readonly RequirementId[],
])[] = [
  ['tasks/capability', 'makes tasks without a word', { undeclared: true }, ['tasks/augment/ignored'], ['tools/call/shape']],
  ['tasks/shape', 'has an interval in words', on('tasks/get', (result) => Object.assign(result, { pollInterval: 'soon' }))],
  [
    'tasks/tool/required-refused',
    'calls without a task what requires one',
    { passes: (_, { name, task: asked }) => name === 'measure' && asked === undefined },
  ],
  [
    'tasks/create/result',
    'calls at once what is asked as a task',
    { passes: (_, { name, task: asked }) => name === 'measure' && asked !== undefined },
  ],
  [
    'tasks/id/string',
    'lists tasks by number',
    on('tasks/list', (result) => Object.assign(first(result), { taskId: 7 })),
    [],
    ['tasks/shape', 'tasks/list/complete'],
  ],
  ['tasks/id/unique', 'gives every task the same id', { sameId: true }, [], ['tasks/status/terminal']],
  ['tasks/status/begins', 'begins with a question', on('create', (result) => Object.assign(task(result), { status: 'input_required' }))],
  [
    'tasks/status/paths',
    'has a status of its own',
    on('tasks/list', (result) => Object.assign(first(result), { status: 'half done' })),
    [],
    ['tasks/shape'],
  ],
  [
    'tasks/cancel/stays',
    'works on what was cancelled',
    on('tasks/get', (result) => result['status'] === 'cancelled' && Object.assign(result, { status: 'working' })),
    ['tasks/status/terminal'],
  ],
  [
    'tasks/times/created',
    'does not say when a task was created',
    on('tasks/get', (result) => delete result['createdAt']),
    [],
    ['tasks/shape'],
  ],
  [
    'tasks/times/updated',
    'says when a task changed in words',
    on('tasks/get', (result) => Object.assign(result, { lastUpdatedAt: 'now' })),
    [],
    ['tasks/shape'],
  ],
  ['tasks/ttl/told', 'does not say how long a task is kept', on('tasks/get', (result) => delete result['ttl']), [], ['tasks/shape']],
  ['tasks/result/final', 'gives no result of a task', on('tasks/result', (result) => delete result['content']), [], ['tasks/shape']],
  ['tasks/result/waits', 'gives results before the end', { idle: true }, [], ['tasks/cancel/finished']],
  [
    'tasks/related/result',
    'does not say whose result it is',
    on('tasks/result', (result) => delete result['_meta']),
    ['tasks/related/present'],
  ],
  [
    'tasks/related/params-count',
    'gets the task that _meta names',
    on('tasks/get', (result, params) => params['_meta'] !== undefined && Object.assign(result, { taskId: 'vivarium-other' })),
  ],
  ['tasks/list/complete', 'lists no tasks', on('tasks/list', (result) => Object.assign(result, { tasks: [] }))],
  [
    'tasks/cancel/finished',
    'refuses late cancellations with -32603',
    { code: (method) => (method === 'tasks/cancel' ? -32603 : undefined) },
  ],
  [
    'tasks/cancel/cancelled',
    'says that a cancelled task works',
    on('tasks/cancel', (result) => Object.assign(result, { status: 'working' })),
  ],
  ['tasks/errors/unknown', 'answers unknown tasks with -32603', { code: (method) => (method === 'tasks/get' ? -32603 : undefined) }],
  [
    'tasks/errors/cursor',
    'answers wrong cursors of tasks with -32603',
    { code: (method) => (method === 'tasks/list' ? -32603 : undefined) },
  ],
  [
    'tasks/tool/forbidden-refused',
    'refuses tasks with -32603',
    { code: (method, _, { task: asked }) => (method === 'tools/call' && asked !== undefined ? -32603 : undefined) },
  ],
  [
    'tasks/related/not-in-results',
    'names the task where it is known',
    on('tasks/get', (result) => Object.assign(result, { _meta: { [related]: { taskId: result['taskId'] } } })),
  ],
  [
    'tasks/related/not-in-notifications',
    'names the task in what it tells of it',
    {
      afterwards: (method, { taskId }) =>
        method === 'tasks/result'
          ? {
              jsonrpc: '2.0',
              method: 'notifications/tasks/status',
              params: { taskId, status: 'completed', createdAt: time, lastUpdatedAt: time, ttl: 60_000, _meta: { [related]: { taskId } } },
            }
          : undefined,
    },
  ],
  [
    'progress/tasks/same-token',
    'reports the progress of a task under its id',
    {
      afterwards: (method, { taskId }) =>
        method === 'tasks/get' ? note('notifications/progress', { progressToken: String(taskId), progress: 1 }) : undefined,
    },
    [],
    ['progress/token/known', 'progress/tasks/stops'],
  ],
  [
    'progress/tasks/stops',
    'reports progress of a task that is done',
    {
      afterwards: (method, { taskId }) =>
        method === 'tasks/result' && taskId === 'task-1'
          ? note('notifications/progress', { progressToken: 'task-first', progress: 99 })
          : undefined,
    },
  ],
  ['tasks/input/related', 'asks without naming the task', { untagged: true }],
  ['tasks/input/status', 'does not say that a task needs something', { silent: true }],
  ['tasks/input/left', 'needs what it has', { stuck: true }],
  [
    'tasks/errors/status-message',
    'fails without a reason',
    on('tasks/get', (result) => result['status'] === 'completed' && Object.assign(result, { status: 'failed' })),
  ],
];

export const honestWebKeeper: HttpMutant['around'] = webKeeper((message) => json(message));

export const webTaskMutants: readonly HttpMutant[] = [
  {
    id: 'tasks/streams/no-upgrade',
    does: 'answers tasks/get by a stream',
    revision,
    around: webKeeper((message, arrival) => {
      if (methodOf(arrival) !== 'tasks/get') return json(message);
      return new Response(`data: ${JSON.stringify(message)}\n\n`, { headers: { 'content-type': 'text/event-stream' } });
    }),
  },
];

export const honestKeeper: () => Meddling = keeper();

export const taskMutants: readonly Mutant[] = rows.map(([id, does, otherwise, twins = [], also = []]) => ({
  id,
  does,
  revision,
  twins,
  also,
  meddle: keeper(otherwise),
}));
