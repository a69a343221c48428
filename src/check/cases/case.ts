// A case: one call of a tool, and what is expected of the answer; and the file that holds many.
import { asRecord, isRecord, type Json } from '../model/value.ts';
import { isSnapshot, type Snapshot } from './snapshot.ts';

/** Why the arguments are what they are. */
export type CaseKind = 'valid' | 'boundary' | 'invalid' | 'missing' | 'extra' | 'hostile';

/**
 * `accepted`: a result, of a tool that worked or failed; `ok`: of one that worked; `refused`: an error, or a result with isError;
 * `answered`: any of these.
 */
export type ExpectedOutcome = 'accepted' | 'ok' | 'refused' | 'answered';

export interface Expectation {
  readonly outcome: ExpectedOutcome;
  /** Somewhere in the text of the result. */
  readonly contains?: string;
  /** Exactly the text of the result. */
  readonly text?: string;
  /** Exactly the structuredContent, in whatever order its members are. */
  readonly structured?: unknown;
  /** Of the error. */
  readonly code?: number;
  /** Exactly what came back before; false for a case of which none is ever taken. */
  readonly snapshot?: Snapshot | false;
}

export interface Case {
  readonly name: string;
  readonly tool: string;
  readonly kind?: CaseKind;
  readonly arguments: Json;
  readonly expect: Expectation;
}

const outcomes: readonly ExpectedOutcome[] = ['accepted', 'ok', 'refused', 'answered'];
const maxCases = 100_000;

export function suiteText(cases: readonly Case[]): string {
  return `${JSON.stringify({ version: 1, cases }, undefined, 2)}\n`;
}

/** Those made now, with the expectations that were there before, and the user's own, which have no kind. */
export function joinedCases(
  before: readonly Case[],
  made: readonly Case[],
): { readonly cases: readonly Case[]; readonly kept: number; readonly gone: number } {
  const keyOf = ({ tool, name, arguments: given }: Case): string => JSON.stringify([tool, name, given]);
  const known = new Map(before.map((one) => [keyOf(one), one]));
  const own = before.filter(({ kind }) => kind === undefined);
  const again = made.filter((one) => known.has(keyOf(one))).length;
  const cases = made.map((one) => ({ ...one, expect: known.get(keyOf(one))?.expect ?? one.expect }));
  return { cases: [...cases, ...own], kept: again + own.length, gone: before.length - own.length - again };
}

/** Says what is wrong with a file that is no suite, and in which case. */
export function readSuite(text: string): readonly Case[] | { readonly problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  const { version, cases } = asRecord(value);
  if (version !== 1 || !Array.isArray(cases)) return { problem: 'is no file of cases of version 1' };
  if (cases.length > maxCases) return { problem: `holds more than ${maxCases} cases` };
  const wrong = cases.findIndex((one) => problemOf(one) !== undefined);
  return wrong < 0 ? (cases as readonly Case[]) : { problem: `has a case ${wrong + 1} that ${problemOf(cases[wrong])}` };
}

function problemOf(one: unknown): string | undefined {
  if (!isRecord(one)) return 'is no object';
  if (typeof one['name'] !== 'string' || typeof one['tool'] !== 'string') return 'lacks its name or its tool';
  if (!isRecord(one['arguments'])) return 'lacks its arguments';
  const expect = asRecord(one['expect']);
  const { outcome } = expect;
  if (!outcomes.some((known) => known === outcome)) return `expects ${JSON.stringify(outcome)}, and not ${outcomes.join(', ')}`;
  for (const [key, value] of Object.entries(expect)) {
    const expectation = expectations.get(key);
    // A slip of the pen would pass for ever.
    if (expectation === undefined) return `expects "${key}", which is none of ${[...expectations.keys()].join(', ')}`;
    if (!expectation.test(value)) return `expects "${key}" to be something that is not ${expectation.what}`;
  }
  return undefined;
}

const text = { what: 'text', test: (value: unknown): boolean => typeof value === 'string' };
const expectations: ReadonlyMap<string, { readonly what: string; test(value: unknown): boolean }> = new Map([
  ['outcome', text],
  ['contains', text],
  ['text', text],
  ['structured', { what: 'JSON', test: () => true }],
  ['code', { what: 'a whole number', test: Number.isInteger }],
  ['snapshot', { what: 'a snapshot or false', test: (value: unknown) => value === false || isSnapshot(value) }],
]);
