// What the flags of `check` mean for a run.
import { readFileSync } from 'node:fs';
import { type CheckOptions, catalogue, choose, revisions, sectionOf } from '../../../check/cli.ts';
import { type Arguments, CommandError, exitCodes } from '../../args/command.ts';
import { count, list, milliseconds } from '../../args/flag-values.ts';

export function checkOptions({ values, lists }: Arguments): CheckOptions {
  const text = (name: string): string | undefined => (typeof values[name] === 'string' ? (values[name] as string) : undefined);
  const revision = oneOf('spec-version', text('spec-version') ?? 'auto', ['auto', 'all', ...revisions]);
  const level = oneOf('level', text('level') ?? 'may', ['must', 'should', 'may'] as const);
  const ids = (name: string): string[] | undefined => lists[name]?.flatMap(list);
  const [named, skip, within] = [ids('only'), ids('skip'), ids('section')];
  mustName('only', named);
  mustName('skip', skip);
  const only = within === undefined ? named : inSections(within, named);
  const time = (name: string): number | undefined => (text(name) === undefined ? undefined : milliseconds(name, text(name) as string));
  const number = (name: string): number | undefined => (text(name) === undefined ? undefined : count(name, text(name) as string));
  const [timeout, startTimeout] = [time('timeout'), time('connect-timeout')];
  const [rateLimit, repeat] = [number('rate-limit'), number('repeat')];
  const [foreign, other] = [tokenIn('foreign-token-env', text), tokenIn('other-token-env', text)];
  return {
    revision,
    level,
    tokens: { ...(foreign !== undefined && { foreign }), ...(other !== undefined && { other }) },
    arguments: new Map((lists['args'] ?? []).map(toolArguments)),
    allowSideEffects: values['allow-side-effects'] === true,
    bail: values['bail'] === true,
    ...(only !== undefined && { only }),
    ...(skip !== undefined && { skip }),
    ...(timeout !== undefined && { timeout }),
    ...(startTimeout !== undefined && { startTimeout }),
    ...(rateLimit !== undefined && { rateLimit }),
    ...(repeat !== undefined && { repeat }),
  };
}

/** Refuses a pattern that matches no requirement, most likely a typo. */
function mustName(flag: string, patterns: readonly string[] = []): void {
  const unknown = patterns.find((pattern) => !pattern.startsWith('quality') && choose({ only: [pattern] }).length === 0);
  if (unknown !== undefined)
    throw new CommandError(exitCodes.usage, `--${flag} ${unknown} names no requirement`, { hint: 'vivarium check list shows them' });
}

/** The ids in these sections that are also named by `only`, where that is given. */
function inSections(sections: readonly string[], only: readonly string[] | undefined): string[] {
  const known = new Set(catalogue.map(sectionOf));
  const unknown = sections.find((one) => !known.has(one));
  if (unknown !== undefined) {
    throw new CommandError(exitCodes.usage, `There is no section ${unknown}`, { hint: `There are ${[...known].join(', ')}` });
  }
  const chosen = choose(only === undefined ? {} : { only }).filter((one) => sections.includes(sectionOf(one)));
  if (chosen.length === 0) throw new CommandError(exitCodes.usage, `--only names nothing in the section ${sections.join(', ')}`);
  return chosen.map(({ id }) => id);
}

export function tokenIn(flag: string, text: (name: string) => string | undefined): string | undefined {
  const variable = text(flag);
  if (variable === undefined) return undefined;
  const token = process.env[variable];
  if (token === undefined || token === '') throw new CommandError(exitCodes.usage, `--${flag} ${variable}: there is no such variable here`);
  return token;
}

export function oneOf<T extends string>(flag: string, given: string, known: readonly T[]): T {
  const found = known.find((one) => one === given);
  if (found !== undefined) return found;
  throw new CommandError(exitCodes.usage, `--${flag} takes ${known.join(', ')}, not ${given}`);
}

function toolArguments(given: string): [string, Record<string, unknown>] {
  const at = given.indexOf('=');
  const [name, json] = [given.slice(0, at), given.slice(at + 1)];
  const refuse = (why: string): never => {
    throw new CommandError(exitCodes.usage, `--args takes tool={…}, and ${why}`, { hint: `--args 'search={"query":"ferns"}'` });
  };
  if (at < 1) return refuse(`${given} names no tool`);
  try {
    const value: unknown = JSON.parse(json.startsWith('@') ? readFileSync(json.slice(1), 'utf8') : json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return [name, value as Record<string, unknown>];
  } catch (error) {
    return refuse(`${json} cannot be read: ${(error as Error).message}`);
  }
  return refuse(`${json} is no object`);
}
