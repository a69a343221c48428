// Arguments as people write them on a command line: k=v, k:=json, k=@file, and JSON whole.
import { readFileSync, statSync } from 'node:fs';
import { type Arguments, CommandError, exitCodes, type Flag } from './command.ts';
import { standardInput } from './standard-input.ts';

export const argumentFlags: Readonly<Record<string, Flag>> = {
  args: { type: 'string', value: 'json', help: 'All arguments as one JSON object; @file reads one, and - reads standard input' },
};

const mostBytes = 64 * 1024 * 1024;
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
    const [, name = '', operator, value = ''] = /^([^=:]+)(:?=)(.*)$/s.exec(word) ?? [];
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
  const member = properties !== undefined && Object.hasOwn(properties, name) ? (properties[name] as Schema | undefined) : undefined;
  const types = typesOf(member);
  if (types.includes('string') || types.length === 0) return text;
  if (types.includes('boolean') && /^(?:true|false)$/.test(text)) return text === 'true';
  if ((types.includes('number') || types.includes('integer')) && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  if (types.includes('null') && text === 'null') return null;
  if (types.includes('array') && !text.trimStart().startsWith('[')) {
    const items = { properties: { [name]: member?.['items'] } };
    return text === '' ? [] : text.split(',').map((one) => plain(one, name, items as Schema));
  }
  return types.includes('object') || types.includes('array') ? json(text, name) : text;
}

function typesOf(member: Schema | undefined): readonly string[] {
  if (member === undefined) return [];
  const { type, anyOf, oneOf, enum: choices } = member as { type?: unknown; anyOf?: unknown; oneOf?: unknown; enum?: unknown };
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.map(String);
  if (Array.isArray(choices)) return choices.every((one) => typeof one === 'string') ? ['string'] : choices.map((one) => typeof one);
  const choice = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  return choice.flatMap((one) => typesOf(one as Schema));
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
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) throw new CommandError(exitCodes.usage, `There is no file ${path}`, { hint: 'Write @@ for an @ that is meant' });
  if (size > mostBytes) throw new CommandError(exitCodes.usage, `${path} is larger than 64 MiB`);
  return readFileSync(path, 'utf8');
}
