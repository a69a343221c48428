// The flags of `check`, and what they mean for a run.
import { readFileSync } from 'node:fs';
import { catalogue, choose } from '../../../check/catalogue/catalogue.ts';
import type { CheckOptions } from '../../../check/model/options.ts';
import { all as revisions, sectionOf } from '../../../check/model/requirement.ts';
import { type Arguments, CommandError, exitCodes, type Flag } from '../../args/command.ts';
import { count, list, milliseconds } from '../../args/flag-values.ts';
import { targetFlags } from '../../target/target-flags.ts';

/** Of the flags by which every command names a server, those that hold here. */
const naming = ['env', 'cwd', 'header', 'transport', 'config', 'server', 'yes', 'token', 'token-env'];

export const checkFlags: Readonly<Record<string, Flag>> = {
  ...Object.fromEntries(Object.entries(targetFlags).filter(([name]) => naming.includes(name))),
  client: { type: 'boolean', help: 'The program is a client: it is judged, and we are its server' },
  recording: { type: 'string', value: 'file', help: 'Judge a recording of vivarium record, client and server, by what it shows' },
  'foreign-token-env': { type: 'string', value: 'name', help: 'A variable with a good token for another server: it must be refused' },
  'other-token-env': {
    type: 'string',
    value: 'name',
    help: 'A variable with the token of another user: it must open no session but its own',
  },
  'spec-version': {
    type: 'string',
    value: 'revision',
    help: 'auto (the newest it offers, default), all (each it offers), or one revision',
  },
  level: { type: 'string', value: 'must|should|may', help: 'Judge only what is at least that strong (default: may)' },
  only: { type: 'string', value: 'ids', multiple: true, help: 'Judge only these: ids, beginnings (tools/call), or patterns with *' },
  skip: { type: 'string', value: 'ids', multiple: true, help: 'Leave these out' },
  section: { type: 'string', value: 'names', multiple: true, help: 'Only these sections of the catalogue: tools, http, authorization …' },
  party: { type: 'string', value: 'server|client', help: 'With list: what is asked of a server, or of a client' },
  args: { type: 'string', value: 'tool=json', multiple: true, help: 'Call this tool, with these arguments; the JSON may be @file' },
  'allow-side-effects': {
    type: 'boolean',
    help: 'Call tools that do not say that they are read-only, with arguments made from their schemas',
  },
  timeout: { type: 'string', value: 'time', help: 'How long an answer may take (default: 5s)' },
  'connect-timeout': { type: 'string', value: 'time', help: 'How long the first answer may take (default: 20s)' },
  'rate-limit': { type: 'string', value: 'n', help: 'Requests a minute at most' },
  repeat: { type: 'string', value: 'n', help: 'Make the whole run that often; every time counts' },
  bail: { type: 'boolean', help: 'Stop at the first broken MUST' },
  strict: { type: 'boolean', help: 'Exit with 6 when something that applies was not verified' },
  'expected-failures': {
    type: 'string',
    value: 'file',
    help: 'Ids that may fail, one a line; one that was judged and no longer fails is a failure',
  },
  generate: { type: 'string', value: 'file', help: 'Make cases from the schemas of the tools, call nothing, and write them to this file' },
  tests: { type: 'string', value: 'file', help: 'Run the cases of this file instead of a check' },
  'update-snapshots': { type: 'boolean', help: 'Run the cases of --tests, and keep in the file what comes back the same twice' },
  lock: { type: 'string', value: 'file', help: 'Compare what the server offers with this file; a breaking change is a failure' },
  'update-lock': { type: 'boolean', help: 'Write what the server offers to the file of --lock' },
  history: {
    type: 'string',
    value: 'file',
    help: 'Keep this run in a file of JSON lines, and show what is better or worse since the last',
  },
  reporter: { type: 'string', value: 'name[=file]', multiple: true, help: 'pretty (default), json, junit, sarif, html or markdown' },
  verbose: { type: 'boolean', short: 'v', help: 'Also list what passed, and what does not apply and why' },
  quiet: { type: 'boolean', short: 'q', help: 'Show no progress' },
};

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

/** A slip of the pen would choose nothing, or leave nothing out. */
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
