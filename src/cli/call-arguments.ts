// Arguments as people write them on a command line: k=v, k:=json, k=@file, and JSON whole.
import { type Arguments, CommandError, exitCodes, type Flag } from './command.ts';
import { readText } from './input.ts';
import { resolveRef } from './signature.ts';
import { standardInput } from './standard-input.ts';

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

function plain(value: string, name: string, schema: Schema): unknown {
  // A leading @@ is an @ that is meant.
  const text = value.startsWith('@@') ? value.slice(1) : value.startsWith('@') ? fileText(value.slice(1)) : value;
  const properties = schema['properties'] as Schema | undefined;
  const member = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return asMeant(text, name, member, schema);
}

function asMeant(text: string, name: string, member: unknown, root: Schema): unknown {
  const forms = formsOf(member, root, 0);
  const only = forms.flatMap(valuesOf);
  const meant = only.includes(text) ? undefined : only.find((one) => JSON.stringify(one) === text);
  if (meant !== undefined) return meant;
  const types = forms.flatMap(typesOf);
  if (types.includes('string') || types.length === 0) return text;
  if (types.includes('boolean') && /^(?:true|false)$/.test(text)) return text === 'true';
  if ((types.includes('number') || types.includes('integer')) && text.trim() !== '' && Number.isFinite(Number(text)))
    return exactly(text, name);
  if (types.includes('null') && text === 'null') return null;
  if (types.includes('array') && !text.trimStart().startsWith('[')) {
    const items = forms.find((form) => typesOf(form).includes('array'))?.['items'];
    return text === '' ? [] : text.split(',').map((one) => asMeant(one, name, items, root));
  }
  return types.includes('object') || types.includes('array') ? json(text, name) : text;
}

/** What it may be, behind references and choices. */
function formsOf(member: unknown, root: Schema, depth: number): readonly Schema[] {
  if (typeof member !== 'object' || member === null || depth > 8) return [];
  const schema = member as Schema;
  if (typeof schema['$ref'] === 'string') return formsOf(resolveRef(schema['$ref'], root), root, depth + 1);
  if (schema['type'] !== undefined) return [schema];
  const choice = ['anyOf', 'oneOf', 'allOf'].map((name) => schema[name]).find(Array.isArray);
  return choice === undefined ? [schema] : choice.flatMap((one) => formsOf(one, root, depth + 1));
}

function typesOf(form: Schema): readonly string[] {
  const { type } = form;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.map(String);
  return valuesOf(form).map((one) => (one === null ? 'null' : typeof one));
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
