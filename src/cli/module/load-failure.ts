// Why a module of the user's could not be loaded: what was thrown, where in the user's own code, and what to do about it.
import { spawnSync } from 'node:child_process';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { CommandError, exitCodes } from '../args/command.ts';

/** `path` is the module as it was named, `file` where it is. */
export function loadFailure(path: string, file: string, error: unknown): CommandError {
  const { text, frames, place } = told(error, file);
  const where = place === undefined ? '' : ` (${short(place)})`;
  // A client that started this shows one line of it: the first says everything, and the others are seen to belong to it.
  const lines = [`${path} could not be loaded${where}: ${text.replaceAll(/\n(?! {4})/g, '\n    ')}`, ...frames];
  const hint = adviceFor(error);
  return new CommandError(exitCodes.unreachable, lines.join('\n'), { cause: error, ...(hint !== undefined && { hint }) });
}

interface Told {
  readonly text: string;
  /** Of the user's code alone: neither Node's nor ours. */
  readonly frames: readonly string[];
  readonly place: string | undefined;
}

function told(error: unknown, file: string): Told {
  if (!(error instanceof Error))
    return { text: `it threw ${inspect(error, { breakLength: Number.POSITIVE_INFINITY })}`, frames: [], place: undefined };
  const { name, message, stack = '' } = error;
  const { code } = error as { readonly code?: unknown };
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line) && isOfUser(placeIn(line)));
  const place =
    placeIn(frames[0] ?? '') ?? firstLine(stack) ?? importer(error) ?? (error instanceof SyntaxError ? syntaxPlace(file) : undefined);
  // Compilers put the place into their message, too.
  const bare = place === undefined ? message : message.replace(` (${place})`, '');
  return { text: `${name}${typeof code === 'string' ? ` [${code}]` : ''}: ${bare}`, frames, place };
}

/** `at name (place)`, or `at place`. */
function placeIn(frame: string): string | undefined {
  const place = frame.endsWith(')') ? frame.slice(frame.lastIndexOf('(') + 1, -1) : frame.trimStart().replace(/^at (?:async )?/, '');
  return /^(?:file:\/\/\/|\/|[A-Z]:\\)/.test(place) && /:\d+:\d+$/.test(place) ? place : undefined;
}

function isOfUser(place: string | undefined): boolean {
  const ours = fileURLToPath(new URL('./dist/', import.meta.resolve('vivarium/package.json')));
  return place !== undefined && !pathOf(place).startsWith(ours);
}

/** Node writes the place of an import that cannot be linked above the error. */
function firstLine(stack: string): string | undefined {
  return /^(?:file:\/\/\/|\/|[A-Z]:\\)[^\n]*:\d+(?=\n)/.exec(stack)?.[0];
}

const notFound = /^Cannot find (package|module) '([^']+)'(?: imported from (.+))?/;

function importer({ message }: Error): string | undefined {
  return notFound.exec(message)?.[3];
}

function adviceFor(error: unknown): string | undefined {
  const [, kind, name = '', from] = error instanceof Error ? (notFound.exec(error.message) ?? []) : [];
  if (kind === undefined) return undefined;
  if (kind === 'package' || !/^(?:\.|\/|[A-Z]:\\)/.test(name))
    return `If it is a package: npm install ${packageOf(name)}. If it is an alias, see "paths" in tsconfig.json`;
  return `There is no file ${short(name)}; check the import${from === undefined ? '' : ` in ${short(from)}`}`;
}

function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}

function short(place: string): string {
  return relative('.', pathOf(place));
}

function pathOf(place: string): string {
  return place.startsWith('file:') ? fileURLToPath(place) : place;
}

/** Node keeps to itself where a module cannot be parsed, unless it is asked for nothing else. */
function syntaxPlace(file: string): string | undefined {
  const { stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8', timeout: 5_000 });
  return /^(?!node:)(?:file:\/\/)?[^\n]*:\d+$/m.exec(stderr)?.[0];
}
