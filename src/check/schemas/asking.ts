// Shapes of what a server asks of a client: roots, sampling, elicitation; as requests of their own, and in the newest revision as input requests.

import type { Revision } from '../../protocol/revision.ts';
import { isModern, traitsOf } from '../model/revision.ts';
import { type Fields, partMeta, role, samplingContent, since, until } from './content.ts';
import { boolean, dictionary, either, integer, list, number, object, type Shape, share, string, tagged, uri, word } from './shape.ts';
import { taskAugmented } from './tasks.ts';
import { tool } from './tools.ts';

export interface Question {
  readonly params: Shape;
  /** Whether `params` may be left out. */
  readonly bare: boolean;
  readonly result: Shape;
}

/** By method. `meta` are the fields that every request's params have. */
export function questions(revision: Revision, meta: Fields): ReadonlyMap<string, Question> {
  const resultMeta = { '_meta?': object() };
  const found = new Map<string, Question>([
    ['roots/list', { params: object(meta), bare: true, result: object({ roots: list(root(revision)), ...rootsMeta(revision) }) }],
    ['sampling/createMessage', { params: sampling(revision, meta), bare: false, result: object({ ...sampled(revision), ...resultMeta }) }],
  ]);
  if (traitsOf(revision).forms)
    found.set('elicitation/create', { params: elicitation(revision, meta), bare: false, result: elicited(revision) });
  return found;
}

/** An entry of `inputRequests`, and of `inputResponses`. */
export function inputRequest(revision: Revision): Shape {
  const entries = [...questions(revision, { '_meta?': object() })].map(
    ([method, { params, bare }]) => [method, object(bare ? { 'params?': params } : { params })] as const,
  );
  return tagged('method', Object.fromEntries(entries));
}

export function inputResponse(revision: Revision): Shape {
  return either(...[...questions(revision, {}).values()].map(({ result }) => result));
}

function root(revision: Revision): Shape {
  return object({ uri, 'name?': string, ...partMeta(revision) });
}

function rootsMeta(revision: Revision): Fields {
  return isModern(revision) ? {} : { '_meta?': object() };
}

function sampling(revision: Revision, meta: Fields): Shape {
  const preferences = object({
    'hints?': list(object({ 'name?': string })),
    'costPriority?': share,
    'speedPriority?': share,
    'intelligencePriority?': share,
  });
  return object({
    ...(isModern(revision) ? {} : meta),
    messages: list(object({ ...message(revision), ...since('2025-11-25', revision, { '_meta?': object() }) })),
    maxTokens: integer,
    'modelPreferences?': preferences,
    'systemPrompt?': string,
    'includeContext?': word('none', 'thisServer', 'allServers'),
    'temperature?': number,
    'stopSequences?': list(string),
    'metadata?': object(),
    ...since('2025-11-25', revision, {
      'tools?': list(tool(revision)),
      'toolChoice?': object({ 'mode?': word('auto', 'none', 'required') }),
    }),
    ...taskAugmented(revision),
  });
}

function message(revision: Revision): Fields {
  return { role, content: samplingContent(revision) };
}

function sampled(revision: Revision): Fields {
  return { ...message(revision), model: string, 'stopReason?': string };
}

function elicitation(revision: Revision, meta: Fields): Shape {
  const own = { message: string, ...(isModern(revision) ? {} : meta), ...taskAugmented(revision) };
  const requestedSchema = object({
    type: word('object'),
    properties: dictionary(formField(revision)),
    'required?': list(string),
    ...since('2025-11-25', revision, { '$schema?': string }),
  });
  const form = object({ ...own, requestedSchema });
  if (!traitsOf(revision).richElicitation) return form;
  const url = link(revision, own);
  // Without a mode it is a form.
  return either(tagged('mode', { form, url }), object({ ...own, requestedSchema, 'mode?': word('form') }));
}

/** A page that the user is to open. */
export function link(revision: Revision, own: Fields): Shape {
  return object({ ...own, mode: word('url'), message: string, url: uri, ...until('2025-11-25', revision, { elicitationId: string }) });
}

function elicited(revision: Revision): Shape {
  const scalar = [string, number, boolean];
  const value = traitsOf(revision).richElicitation ? either(...scalar, list(string)) : either(...scalar);
  const meta = isModern(revision) ? {} : { '_meta?': object() };
  return object({ action: word('accept', 'decline', 'cancel'), 'content?': dictionary(value), ...meta });
}

function formField(revision: Revision): Shape {
  const labels = { 'title?': string, 'description?': string };
  const byDefault = (shape: Shape): Fields => since('2025-11-25', revision, { 'default?': shape });
  const single = { type: word('string'), ...labels, ...byDefault(string) };
  const text = object({
    ...single,
    'format?': word('email', 'uri', 'date', 'date-time'),
    'minLength?': integer,
    'maxLength?': integer,
  });
  const amount = object({ type: word('number', 'integer'), ...labels, ...byDefault(number), 'minimum?': number, 'maximum?': number });
  const yesNo = object({ type: word('boolean'), ...labels, 'default?': boolean });
  const choice = object({ ...single, enum: list(string), 'enumNames?': list(string) });
  if (!traitsOf(revision).richElicitation) return either(text, amount, yesNo, choice);
  const option = object({ const: string, title: string });
  const several = { type: word('array'), ...labels, ...byDefault(list(string)), 'minItems?': integer, 'maxItems?': integer };
  return either(
    text,
    amount,
    yesNo,
    object({ ...single, enum: list(string) }),
    object({ ...single, oneOf: list(option) }),
    choice,
    object({ ...several, items: object({ type: word('string'), enum: list(string) }) }),
    object({ ...several, items: object({ anyOf: list(option) }) }),
  );
}
