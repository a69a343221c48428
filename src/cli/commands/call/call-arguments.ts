// Arguments as people write them on a command line: k=v, k:=json, k=@file, and JSON whole.

import { near } from '../../../text/did-you-mean.ts';
import { type Arguments, CommandError, exitCodes, type Flag } from '../../args/command.ts';
import { readText } from '../../args/read-file.ts';
import { standardInput } from '../../args/standard-input.ts';
import { resolveRef } from '../../terminal/signature.ts';

export const argumentFlags: Readonly<Record<string, Flag>> = {
  args: { type: 'string', value: 'json', help: 'All arguments as one JSON object; @file reads one, and - reads standard input' },
};

type Schema = Readonly<Record<string, unknown>>;

/** `schema` says what a plain word is meant to be. Later words win over `--args`. */
export async function readArguments(
  words: readonly string[],
  { values }: Arguments,
  schema: Schema = {},
): Promise<Record<string, unknown>> {
  const whole = values['args'] as string | undefined;
  const fromStdin = words.includes('-') || whole === '-';
  const text = fromStdin ? await standardInput() : whole?.startsWith('@') === true ? fileText(whole.slice(1)) : whole;
  const given: Record<string, unknown> = text === undefined ? {} : objectOf(text, fromStdin ? 'standard input' : '--args');
  for (const word of words) {
    if (word === '-') continue;
    const [, name = '', operator, value = ''] = /^([^=]+?)(:?=)(.*)$/s.exec(word) ?? [];
    if (operator === undefined)
      throw new CommandError(exitCodes.usage, `"${word}" is no argument`, {
        hint: 'name=value, name:=\'{"json": true}\', name=@file, or --args',
      });
    Object.defineProperty(given, name, {
      value: operator === ':=' ? json(value.startsWith('@') ? fileText(value.slice(1)) : value, name) : plain(value, name, schema),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return given;
}

/** A name that is not known, but near one that is and was not given. */
export function refuseMisspelt(what: string, given: object, known: readonly string[], hint: string): void {
  const names = Object.keys(given);
  const unused = known.filter((name) => !names.includes(name));
  for (const name of names.filter((one) => !known.includes(one))) {
    const meant = near(name, unused);
    if (meant !== undefined)
      throw new CommandError(exitCodes.usage, `${what} has no argument "${name}". Did you mean "${meant}"?`, { hint });
  }
}

function plain(value: string, name: string, schema: Schema): unknown {
  // A leading @@ is an @ that is meant.
  const text = value.startsWith('@@') ? value.slice(1) : value.startsWith('@') ? fileText(value.slice(1)) : value;
  const properties = schema['properties'] as Schema | null | undefined;
  const member = typeof properties === 'object' && properties !== null && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return asMeant(text, name, member, schema);
}

function asMeant(text: string, name: string, member: unknown, root: Schema, level = 0): unknown {
  const forms = formsOf(member, root);
  const only = forms.flatMap(valuesOf);
  const meant = only.includes(text) ? undefined : only.find((one) => written(one) === text);
  if (meant !== undefined) return meant;
  const types = forms.flatMap(typesOf);
  if (types.includes('string') || types.length === 0) return text;
  if (types.includes('boolean') && /^(?:true|false)$/.test(text)) return text === 'true';
  if ((types.includes('number') || types.includes('integer')) && text.trim() !== '' && Number.isFinite(Number(text)))
    return exactly(text, name);
  if (types.includes('null') && text === 'null') return null;
  // A list of itself would go on for ever.
  if (types.includes('array') && level < 8 && !text.trimStart().startsWith('[')) {
    const items = forms.find((form) => typesOf(form).includes('array'))?.['items'];
    return text === '' ? [] : text.split(',').map((one) => asMeant(one, name, items, root, level + 1));
  }
  return types.includes('object') || types.includes('array') ? json(text, name) : text;
}

/** More than any schema of good will has: references to choices of references multiply to any number. */
const maxForms = 1_000;

/** What it may be, behind references and choices. */
function formsOf(member: unknown, root: Schema): readonly Schema[] {
  const forms: Schema[] = [];
  const waiting: unknown[] = [member];
  for (let seen = 0; seen < maxForms && waiting.length > 0; seen++) {
    const schema = waiting.shift();
    if (typeof schema !== 'object' || schema === null) continue;
    const { $ref, type, anyOf, oneOf, allOf } = schema as Schema;
    const choice = [anyOf, oneOf, allOf].find(Array.isArray);
    if (typeof $ref === 'string') waiting.unshift(resolveRef($ref, root));
    else if (type !== undefined || choice === undefined) forms.push(schema as Schema);
    else waiting.unshift(...choice.slice(0, maxForms));
    waiting.splice(maxForms);
  }
  return forms;
}

function typesOf(form: Schema): readonly string[] {
  const { type } = form;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.map(String);
  return valuesOf(form).map((one) => (one === null ? 'null' : typeof one));
}

/** A stranger's: it may be nested deeper than can be written. */
function written(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** The only ones it may have, where they are listed. */
function valuesOf({ enum: choices, const: only }: Schema): readonly unknown[] {
  if (Array.isArray(choices)) return choices;
  return only === undefined ? [] : [only];
}

function exactly(text: string, name: string): number {
  const number = Number(text);
  // However it is written; but few digits with an exponent are sent as they stand.
  const isRound = /^\s*[+-]?(?:\d\.?){1,15}e[+-]?\d+\s*$/i.test(text);
  if (Number.isInteger(number) && !Number.isSafeInteger(number) && !isRound)
    throw new CommandError(exitCodes.usage, `${name}=${text} is more than a number can hold exactly: it would be sent as ${number}`, {
      // The number, as JSON does not know every form of it.
      hint: `${name}:=${number} sends it all the same`,
    });
  return number;
}

function json(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CommandError(exitCodes.usage, `${name} is no JSON: ${(cause as Error).message}`, { cause });
  }
}

function objectOf(text: string, from: string): Record<string, unknown> {
  const value = json(text, from);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new CommandError(exitCodes.usage, `${from} must hold a JSON object`);
}

function fileText(path: string): string {
  return readText(path, { mostMiB: 64, hint: 'Write @@ for an @ that is meant' });
}
