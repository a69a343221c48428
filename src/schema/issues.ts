// What a validator found, as one line of text: where first, then what; bounded, because part of it comes from outside.
import type { StandardIssue } from './standard.ts';

/** As ajv reports it. */
export interface AjvError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message?: string | undefined;
  readonly params: Readonly<Record<string, unknown>>;
  readonly propertyName?: string | undefined;
}

const most = 5;
const maxPath = 200;
const maxMessage = 300;

export function describeIssues(issues: readonly StandardIssue[]): string {
  return joined(issues, ({ path = [], message }) => `${placeOf(pointer(Array.from(path, keyOf)))}: ${cut(String(message), maxMessage)}`);
}

/** One mistake is one error of ajv's, but for `anyOf` and its like it also says why each branch failed. */
export function describeErrors(errors: readonly AjvError[]): string {
  return joined(errors, describeError);
}

/** Control characters would let a value from outside write lines of its own. */
export function cut(text: string, length: number): string {
  const line = text.slice(0, length + 1).replace(/\p{Cc}+/gu, ' ');
  // Not in the middle of a surrogate pair.
  return text.length <= length ? line : `${line.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

export function pointer(keys: readonly string[]): string {
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function describeError(error: AjvError): string {
  const { keyword, instancePath, params, propertyName } = error;
  const at = (key: unknown) => placeOf(instancePath + pointer([String(key)]));
  switch (keyword) {
    case 'required':
      return `${at(params['missingProperty'])} is required`;
    case 'additionalProperties':
      return `${at(params['additionalProperty'])} is not allowed`;
    case 'unevaluatedProperties':
      return `${at(params['unevaluatedProperty'])} is not allowed`;
    case 'false schema':
      return `${placeOf(instancePath)} is not allowed`;
    case 'enum':
      return `${placeOf(instancePath)} must be one of ${listed(params['allowedValues'])}`;
    case 'const':
      return `${placeOf(instancePath)} must be ${listed([params['allowedValue']])}`;
    default: {
      const message = cut(error.message ?? `fails ${keyword}`, maxMessage);
      return propertyName === undefined ? `${placeOf(instancePath)} ${message}` : `${at(propertyName)} as a name ${message}`;
    }
  }
}

function joined<T>(found: readonly T[], describe: (one: T) => string): string {
  if (found.length === 0) return `${placeOf('')} is not valid`;
  // Lists of arktype are arrays whose own map and slice make more of their kind.
  const shown = Array.from({ length: Math.min(found.length, most) }, (_, index) => describe(found[index]!));
  if (found.length > most) shown.push(`and ${found.length - most} more`);
  return shown.join('; ');
}

function placeOf(path: string): string {
  return path === '' ? '(root)' : cut(path, maxPath);
}

function keyOf(segment: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof segment === 'object' ? segment.key : segment);
}

function listed(values: unknown): string {
  return Array.isArray(values)
    ? cut(
        values
          .slice(0, 50)
          .map((value) => JSON.stringify(value))
          .join(', '),
        maxMessage,
      )
    : 'the allowed values';
}
