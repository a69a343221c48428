// Every request and notification that a revision defines: who sends it, and the shapes of its params and of its result.

import type { Revision } from '../../protocol/revision.ts';
import { isModern, traitsOf } from '../model/revision.ts';
import { inputRequest, inputResponse, questions } from './asking.ts';
import { clientCapabilities, discoverResult, initializeParams, initializeResult } from './capabilities.ts';
import {
  annotations,
  contentBlock,
  type Fields,
  icons,
  implementation,
  logLevel,
  partMeta,
  progress,
  progressToken,
  requestId,
  resource,
  resourceContents,
  role,
  since,
  titled,
} from './content.ts';
import {
  anything,
  boolean,
  dictionary,
  either,
  integer,
  list,
  natural,
  object,
  type Shape,
  string,
  tagged,
  uri,
  uriTemplate,
  word,
} from './shape.ts';
import { createdTask, hasTasks, task, taskAugmented } from './tasks.ts';
import { callResult, tool } from './tools.ts';

export type Sender = 'client' | 'server';

export interface Method {
  readonly params: Shape;
  /** Whether `params` may be left out. */
  readonly bare: boolean;
  /** Absent for a notification. */
  readonly result?: Shape;
}

export interface Vocabulary {
  readonly client: ReadonlyMap<string, Method>;
  readonly server: ReadonlyMap<string, Method>;
  /** Of a result that answers a request of no known method. */
  readonly result: Shape;
}

const known = new Map<Revision, Vocabulary>();

/** Built when a revision is first asked for. */
export function vocabulary(revision: Revision): Vocabulary {
  let found = known.get(revision);
  if (found === undefined) {
    found = isModern(revision) ? modern(revision) : legacy(revision);
    known.set(revision, found);
  }
  return found;
}

type Entry = readonly [name: string, method: Method];

function legacy(revision: Revision): Vocabulary {
  const meta: Fields = { '_meta?': object({ 'progressToken?': progressToken }) };
  const noticeMeta: Fields = { '_meta?': object() };
  const result = (fields: Fields = {}): Shape => object({ ...fields, '_meta?': object() });
  const request = (name: string, params: Fields, answer: Shape): Entry => [
    name,
    { params: object({ ...params, ...meta }), bare: false, result: answer },
  ];
  const plain = (name: string, params: Fields, answer: Shape): Entry => [
    name,
    { params: object({ ...params, ...meta }), bare: true, result: answer },
  ];
  const notice = (name: string, params?: Fields): Entry => [
    name,
    { params: object({ ...params, ...noticeMeta }), bare: params === undefined },
  ];
  const maybeTask = (shape: Shape): Shape => (hasTasks(revision) ? either(shape, createdTask) : shape);
  const page = (fields: Fields): Shape => result({ ...fields, 'nextCursor?': string });
  const cursor = { 'cursor?': string };

  const taskMethods: readonly Entry[] = hasTasks(revision)
    ? [
        request('tasks/get', { taskId: string }, result(task)),
        request('tasks/result', { taskId: string }, result()),
        request('tasks/cancel', { taskId: string }, result(task)),
        plain('tasks/list', cursor, page({ tasks: list(object(task)) })),
        notice('notifications/tasks/status', task),
      ]
    : [];
  const eitherWay: readonly Entry[] = [
    plain('ping', {}, result()),
    notice('notifications/cancelled', cancelled(revision)),
    notice('notifications/progress', { ...progress, ...since('2025-03-26', revision, { 'message?': string }) }),
    ...taskMethods,
  ];
  const asked = [...questions(revision, meta)].map(([name, { params, bare, result: answer }]): Entry => {
    return [name, { params, bare, result: name === 'roots/list' ? answer : maybeTask(answer) }];
  });
  return {
    result: result(),
    client: new Map([
      ...eitherWay,
      request('initialize', initializeParams(revision), result(initializeResult(revision))),
      plain('tools/list', cursor, page({ tools: list(tool(revision)) })),
      request('tools/call', { name: string, 'arguments?': object(), ...taskAugmented(revision) }, maybeTask(result(callResult(revision)))),
      plain('resources/list', cursor, page({ resources: list(object(resource(revision))) })),
      plain('resources/templates/list', cursor, page({ resourceTemplates: list(template(revision)) })),
      request('resources/read', { uri }, result({ contents: list(resourceContents(revision)) })),
      request('resources/subscribe', { uri }, result()),
      request('resources/unsubscribe', { uri }, result()),
      plain('prompts/list', cursor, page({ prompts: list(prompt(revision)) })),
      request('prompts/get', promptParams, result(promptResult(revision))),
      request('completion/complete', completionParams(revision), result(completionResult(revision))),
      request('logging/setLevel', { level: logLevel }, result()),
      notice('notifications/initialized'),
      notice('notifications/roots/list_changed'),
    ]),
    server: new Map([
      ...eitherWay,
      ...asked,
      notice('notifications/message', logged),
      notice('notifications/resources/updated', { uri }),
      notice('notifications/resources/list_changed'),
      notice('notifications/tools/list_changed'),
      notice('notifications/prompts/list_changed'),
      ...(traitsOf(revision).richElicitation ? [notice('notifications/elicitation/complete', { elicitationId: string })] : []),
    ]),
  };
}

function modern(revision: Revision): Vocabulary {
  const meta = object({
    'io.modelcontextprotocol/protocolVersion': string,
    'io.modelcontextprotocol/clientCapabilities': clientCapabilities(revision),
    'io.modelcontextprotocol/clientInfo?': implementation(revision),
    'io.modelcontextprotocol/logLevel?': logLevel,
    'progressToken?': progressToken,
  });
  const origin = { 'io.modelcontextprotocol/serverInfo?': implementation(revision) };
  const subscription = 'io.modelcontextprotocol/subscriptionId';
  const finished = (fields: Fields = {}): Shape => object({ resultType: string, '_meta?': object(origin), ...fields });
  const cached = (fields: Fields): Shape => finished({ ...fields, ttlMs: natural, cacheScope: word('public', 'private') });
  // A result of a kind that an extension defines is judged by what all results have in common.
  const answer = (complete: Shape, more: Fields = {}): Shape => tagged('resultType', { complete, ...more }, finished());
  const input = finished({ 'inputRequests?': dictionary(inputRequest(revision)), 'requestState?': string });
  const request = (name: string, params: Fields, complete: Shape): Entry => [
    name,
    { params: object({ ...params, _meta: meta }), bare: false, result: answer(complete) },
  ];
  const answers = { 'inputResponses?': dictionary(inputResponse(revision)), 'requestState?': string };
  const inRounds = (name: string, params: Fields, complete: Shape): Entry => [
    name,
    { params: object({ ...params, ...answers, _meta: meta }), bare: false, result: answer(complete, { input_required: input }) },
  ];
  const notice = (name: string, params?: Fields): Entry => [
    name,
    { params: object({ ...params, '_meta?': object({ [`${subscription}?`]: requestId }) }), bare: params === undefined },
  ];
  const page = (fields: Fields): Shape => cached({ ...fields, 'nextCursor?': string });
  const cursor = { 'cursor?': string };
  const filter = object({
    'toolsListChanged?': boolean,
    'promptsListChanged?': boolean,
    'resourcesListChanged?': boolean,
    'resourceSubscriptions?': list(string),
  });

  return {
    result: finished(),
    client: new Map([
      request('server/discover', {}, cached(discoverResult(revision))),
      request('tools/list', cursor, page({ tools: list(tool(revision)) })),
      inRounds('tools/call', { name: string, 'arguments?': object() }, finished(callResult(revision))),
      request('resources/list', cursor, page({ resources: list(object(resource(revision))) })),
      request('resources/templates/list', cursor, page({ resourceTemplates: list(template(revision)) })),
      inRounds('resources/read', { uri }, cached({ contents: list(resourceContents(revision)) })),
      request('prompts/list', cursor, page({ prompts: list(prompt(revision)) })),
      inRounds('prompts/get', promptParams, finished(promptResult(revision))),
      request('completion/complete', completionParams(revision), finished(completionResult(revision))),
      request(
        'subscriptions/listen',
        { notifications: filter },
        object({ resultType: string, _meta: object({ ...origin, [subscription]: requestId }) }),
      ),
      notice('notifications/cancelled', cancelled(revision)),
    ]),
    server: new Map([
      notice('notifications/cancelled', cancelled(revision)),
      notice('notifications/progress', { ...progress, 'message?': string }),
      notice('notifications/message', logged),
      notice('notifications/subscriptions/acknowledged', { notifications: filter }),
      notice('notifications/resources/updated', { uri }),
      notice('notifications/resources/list_changed'),
      notice('notifications/tools/list_changed'),
      notice('notifications/prompts/list_changed'),
    ]),
  };
}

const logged: Fields = { level: logLevel, data: anything, 'logger?': string };

function cancelled(revision: Revision): Fields {
  return { [traitsOf(revision).optionalCancelledId ? 'requestId?' : 'requestId']: requestId, 'reason?': string };
}

function template(revision: Revision): Shape {
  const fields = { ...titled(revision), ...icons(revision), ...annotations(revision), ...partMeta(revision) };
  return object({ uriTemplate, ...fields, 'description?': string, 'mimeType?': string });
}

function prompt(revision: Revision): Shape {
  const argument = object({ ...titled(revision), 'description?': string, 'required?': boolean });
  const fields = { ...titled(revision), ...icons(revision), ...partMeta(revision) };
  return object({ ...fields, 'description?': string, 'arguments?': list(argument) });
}

const promptParams: Fields = { name: string, 'arguments?': dictionary(string) };

function promptResult(revision: Revision): Fields {
  return { messages: list(object({ role, content: contentBlock(revision) })), 'description?': string };
}

function completionParams(revision: Revision): Fields {
  const ref = tagged('type', { 'ref/prompt': object(titled(revision)), 'ref/resource': object({ uri: uriTemplate }) });
  const context = since('2025-06-18', revision, { 'context?': object({ 'arguments?': dictionary(string) }) });
  return { ref, argument: object({ name: string, value: string }), ...context };
}

function completionResult(revision: Revision): Fields {
  const values = list(string, isModern(revision) ? 100 : undefined);
  return { completion: object({ values, 'total?': integer, 'hasMore?': boolean }) };
}
