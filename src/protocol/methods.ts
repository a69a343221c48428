// The one table of methods: who sends it, in which revisions, under which capability, with which parameters.
import { handshakeRevisions, type Revision, revisions, statelessRevisions } from './revision.ts';

export interface MethodInfo {
  readonly method: string;
  readonly kind: 'request' | 'notification';
  readonly sender: 'client' | 'server' | 'both';
  readonly revisions: ReadonlySet<Revision>;
  /** Member of the receiver's capabilities without which the method does not exist. */
  readonly capability?: string;
  readonly params: ParamShape;
}

/** What a parameter must be; a trailing `?` allows it to be absent. Members not listed are not looked at. */
export type ParamType = 'string' | 'string?' | 'object' | 'object?' | 'id' | 'id?' | 'number' | 'array' | 'level' | 'any?';
export type ParamShape = readonly (readonly [name: string, type: ParamType])[];

export const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

const all: readonly Revision[] = revisions;
const legacy = handshakeRevisions;
const modern = statelessRevisions;
const only = (...list: Revision[]): readonly Revision[] => list;
const since = (from: Revision, list: readonly Revision[] = all): readonly Revision[] => list.slice(list.indexOf(from));

const cursor: ParamShape = [['cursor', 'string?']];
const named: ParamShape = [
  ['name', 'string'],
  ['arguments', 'object?'],
];
const uri: ParamShape = [['uri', 'string']];
const task: ParamShape = [['taskId', 'string']];

type Row = readonly [
  method: string,
  sender: MethodInfo['sender'],
  revisions: readonly Revision[],
  capability?: string | undefined,
  params?: ParamShape,
];

const requestRows: readonly Row[] = [
  [
    'initialize',
    'client',
    legacy,
    undefined,
    [
      ['protocolVersion', 'string'],
      ['capabilities', 'object'],
      ['clientInfo', 'object'],
    ],
  ],
  ['ping', 'both', legacy],
  ['server/discover', 'client', modern],
  ['tools/list', 'client', all, 'tools', cursor],
  ['tools/call', 'client', all, 'tools', named],
  ['resources/list', 'client', all, 'resources', cursor],
  ['resources/templates/list', 'client', all, 'resources', cursor],
  ['resources/read', 'client', all, 'resources', uri],
  ['resources/subscribe', 'client', legacy, 'resources', uri],
  ['resources/unsubscribe', 'client', legacy, 'resources', uri],
  ['subscriptions/listen', 'client', modern, undefined, [['notifications', 'object']]],
  ['prompts/list', 'client', all, 'prompts', cursor],
  ['prompts/get', 'client', all, 'prompts', named],
  [
    'completion/complete',
    'client',
    all,
    'completions',
    [
      ['ref', 'object'],
      ['argument', 'object'],
      ['context', 'object?'],
    ],
  ],
  ['logging/setLevel', 'client', legacy, 'logging', [['level', 'level']]],
  [
    'sampling/createMessage',
    'server',
    legacy,
    'sampling',
    [
      ['messages', 'array'],
      ['maxTokens', 'number'],
    ],
  ],
  ['roots/list', 'server', legacy, 'roots'],
  ['elicitation/create', 'server', since('2025-06-18', legacy), 'elicitation', [['message', 'string']]],
  ['tasks/get', 'both', only('2025-11-25'), 'tasks', task],
  ['tasks/result', 'both', only('2025-11-25'), 'tasks', task],
  ['tasks/list', 'both', only('2025-11-25'), 'tasks', cursor],
  ['tasks/cancel', 'both', only('2025-11-25'), 'tasks', task],
];

const notificationRows: readonly Row[] = [
  ['notifications/initialized', 'client', legacy],
  ['notifications/cancelled', 'both', all, undefined, [['requestId', 'id?']]],
  [
    'notifications/progress',
    'both',
    all,
    undefined,
    [
      ['progressToken', 'id'],
      ['progress', 'number'],
    ],
  ],
  [
    'notifications/message',
    'server',
    all,
    undefined,
    [
      ['level', 'level'],
      ['data', 'any?'],
    ],
  ],
  ['notifications/tools/list_changed', 'server', all],
  ['notifications/prompts/list_changed', 'server', all],
  ['notifications/resources/list_changed', 'server', all],
  ['notifications/resources/updated', 'server', all, undefined, uri],
  ['notifications/roots/list_changed', 'client', legacy],
  ['notifications/elicitation/complete', 'server', only('2025-11-25'), undefined, [['elicitationId', 'string']]],
  ['notifications/tasks/status', 'both', only('2025-11-25'), undefined, task],
  ['notifications/subscriptions/acknowledged', 'server', modern, undefined, [['notifications', 'object']]],
];

function toInfo(kind: MethodInfo['kind'], row: Row): [string, MethodInfo] {
  const [method, sender, list, capability, params = []] = row;
  const info = { method, kind, sender, revisions: new Set(list), params };
  return [method, capability === undefined ? info : { ...info, capability }];
}

/** A method absent from a revision's rows does not exist there, whatever handlers there are. */
export const methods: ReadonlyMap<string, MethodInfo> = new Map([
  ...requestRows.map((row) => toInfo('request', row)),
  ...notificationRows.map((row) => toInfo('notification', row)),
]);

/** Tasks were experimental in 2025-11-25 and are an extension since: their names are free for it. */
export function isLeftToExtensions({ capability }: MethodInfo): boolean {
  return capability === 'tasks';
}

/** Whether no extension may define this method: it exists, or would stand in a family such as `tools/`. */
export function isReserved(method: string): boolean {
  const family = familyOf(method);
  return [...methods.values()].some((row) => familyOf(row.method) === family && !isLeftToExtensions(row));
}

function familyOf(method: string): string {
  return method.slice(0, method.indexOf('/') + 1) || method;
}

/** Says what is wrong with the parameters, or nothing. */
export function shapeFault(shape: ParamShape, params: { readonly [key: string]: unknown } | undefined): string | undefined {
  for (const [name, type] of shape) {
    const value = params?.[name];
    if (value === undefined) {
      if (type.endsWith('?')) continue;
      return `Missing required parameter: ${name}`;
    }
    if (!fits(value, type)) return `${name} must be ${article(type)}`;
  }
  return undefined;
}

function fits(value: unknown, type: ParamType): boolean {
  switch (type) {
    case 'string':
    case 'string?':
      return typeof value === 'string';
    case 'object':
    case 'object?':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'id':
    case 'id?':
      return typeof value === 'string' || Number.isSafeInteger(value);
    case 'number':
      return typeof value === 'number';
    case 'array':
      return Array.isArray(value);
    case 'level':
      return (logLevels as readonly unknown[]).includes(value);
    case 'any?':
      return true;
  }
}

function article(type: ParamType): string {
  const name = type.replace('?', '');
  if (name === 'id') return 'a string or an integer';
  if (name === 'level') return `one of ${logLevels.join(', ')}`;
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`;
}
