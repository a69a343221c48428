// Whether `reload` told the truth: what a fresh start shows otherwise must be named in the answer, and what is named must be so.
import { Reach } from './reach.ts';
import type { Edit, Facts, Seen } from './run.ts';

export interface Difference {
  /** How it was looked at: `now`, or through what was held before. */
  readonly view: string;
  /** The export it belongs to; `*` where it is the module itself. */
  readonly name: string;
  readonly what: string;
  readonly reloaded: string | undefined;
  readonly fresh: string | undefined;
}

export interface Verdict {
  readonly edit: Edit;
  /** What the answer has about this edit. */
  readonly said: readonly string[];
  readonly verdict: 'equal' | 'told' | 'silent' | 'false' | 'unfit' | 'lost';
  /** It was imported anew, or a fresh image is recommended. */
  readonly restart: boolean;
  readonly silent: readonly Difference[];
  readonly told: readonly Difference[];
  /** What the answer calls old although it is as after a fresh start. */
  readonly untrue: readonly string[];
  readonly problem?: string;
}

const stale = /\b(?:keeps?|stays?|still|removed|old|not follow|fresh|begin again|another order|lacks?)\b/;

export function judge({ edit, answer, reloaded, fresh, unfit }: Seen): Verdict {
  const said = linesAbout(answer, edit);
  const restart = said.some((line) => /imported anew|fresh image/.test(line));
  if (unfit !== undefined) return { edit, said, verdict: 'unfit', restart, silent: [], told: [], untrue: [], problem: unfit };
  const reach = new Reach(edit.before, edit.after);
  const differences = differencesOf(reloaded, fresh);
  const isTold = (one: Difference): boolean => said.some((line) => tells(line, one, reach));
  const told = differences.filter(isTold);
  const silent = differences.filter((one) => !told.includes(one));
  const untrue = said.flatMap((line) => untrueIn(line, reloaded, fresh));
  const verdict = silent.length > 0 ? 'silent' : untrue.length > 0 ? 'false' : told.length > 0 ? 'told' : 'equal';
  return { edit, said, verdict, restart, silent, told, untrue };
}

/** The program did not survive it. */
export function lost(edit: Edit, error: unknown): Verdict {
  return { edit, said: [], verdict: 'lost', restart: true, silent: [], told: [], untrue: [], problem: String(error) };
}

/** Lines that name one of its files; where nothing could be changed, that is said of all. */
function linesAbout(answer: string, { id }: Edit): string[] {
  return answer.split('\n').filter((line) => line.includes(`${id}/`) || /^Nothing was changed/.test(line));
}

function differencesOf(reloaded: Facts, fresh: Facts): Difference[] {
  const found: Difference[] = [];
  // A module that cannot be looked at has no other facts.
  const failed = 'now|*|failure' in reloaded || 'now|*|failure' in fresh;
  for (const key of new Set([...Object.keys(reloaded), ...Object.keys(fresh)])) {
    const [view = '', name = '', what = ''] = key.split('|');
    if (failed && what !== 'failure') continue;
    // What is gone after the edit may have been held before it, and what is new could not be.
    const held = view !== 'now' && view !== 'imported';
    if (held && !(`now|${name}|kind` in fresh) && name !== '*') continue;
    if (held && !(`held|${name}|kind` in reloaded) && name !== '*') continue;
    // A method or closure that is there on one side only could not be held on the other.
    if ((view === 'bound' || view === 'closure') && (reloaded[key] === undefined || fresh[key] === undefined)) continue;
    if (view === 'imported' && fresh[key] === undefined) {
      // Only where it is another thing than the name in the cell: to be compared with the same.
      const same = `now|${name}|${what}`;
      if (reloaded[key] !== fresh[same]) found.push({ view, name, what, reloaded: reloaded[key], fresh: fresh[same] });
      continue;
    }
    if (reloaded[key] !== fresh[key]) found.push({ view, name, what, reloaded: reloaded[key], fresh: fresh[key] });
  }
  return found;
}

function tells(line: string, { view, name, what, reloaded, fresh }: Difference, reach: Reach): boolean {
  if (/^(?:not |gone |Nothing was changed)/.test(line)) return true;
  if (/^(?:What |imported anew |changed )/.test(line)) return view !== 'now' && view !== 'imported' && /^What .* still uses /.test(line);
  const named = namedIn(line);
  // What a constructor gave an instance is its state; the answer says that the constructor is another one now.
  if ((view === 'instance' || view === 'bound') && !what.endsWith('text')) {
    const made = [...line.matchAll(/([\w$]+)\.constructor\b|\bfields of ([\w$]+)/g)].map(([, one, other]) => one ?? other ?? '');
    if (made.some((one) => reach.of(name).has(one))) return true;
  }
  // The names of a module: each that is there on one side only.
  const wanted = name === '*' && what === 'names' ? unlike(reloaded, fresh) : [name];
  return wanted.length > 0 && wanted.every((one) => [...reach.of(one)].some((used) => named.has(used)));
}

function unlike(one = '', other = ''): string[] {
  const [ones, others] = [one.split(' '), other.split(' ')];
  return [...ones.filter((name) => !others.includes(name)), ...others.filter((name) => !ones.includes(name))].filter((name) => name !== '');
}

/** What the line calls old, by the words it uses for it. */
function namedIn(line: string): Set<string> {
  const words = (text: string): string[] => text.match(/[\p{ID_Start}$_#][\p{ID_Continue}$]*/gu) ?? [];
  if (!/^(?:swapped|unchanged) /.test(line)) return new Set(stale.test(line) ? words(line) : []);
  const [, names = '', remarks = ''] = /^\w+ \S+?(?:: (.*?))?(?: \((?!removed)(.*)\))?$/.exec(line) ?? [];
  const found: string[] = [];
  for (const one of names.split(', ')) if (/\(removed\)$/.test(one)) found.push(...words(one));
  for (const remark of remarks.split('; ')) {
    if (!stale.test(remark)) continue;
    found.push(...words(remark));
    if (/\bit\b|\bits\b|^instances\b/.test(remark)) found.push(...words(names));
  }
  return new Set(found);
}

function untrueIn(line: string, reloaded: Facts, fresh: Facts): string[] {
  const found: string[] = [];
  for (const [text, name] of line.matchAll(/([\w$]+) keeps its old value/g)) {
    const place = `now|${name}|value`;
    if (reloaded[place] !== undefined && reloaded[place] === fresh[place]) found.push(text);
  }
  return found;
}
