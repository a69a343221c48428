// What stays of earlier texts of a file where an edit changes it again.
import type { Units } from './units.ts';

export interface Step {
  readonly text: string;
  readonly names: readonly string[];
  /** A variable's first value: it has its own since. */
  readonly once?: true;
  readonly idle?: true;
  /** A constant of the file that gets what the step computes. */
  readonly constant?: string;
  /** An object that is made, into which something may have been put. */
  readonly isMade?: true;
  /** Where it stands in the file; what is there from the beginning is done first. */
  readonly at: number;
}

type Steps = ReadonlyMap<string, Step>;

/** What an edit before this one had added, and this one changed or took away, in words. */
export function leftBy(before: Steps | undefined, after: Steps): string[] {
  return [...(before ?? [])].flatMap(([key, { names, text, once }]) => {
    const now = after.get(key);
    if (runs(key) && now === undefined) return [`what ${names.map((one) => one.replace(/^ran /, '')).join()} did stays done`];
    return once === true && now !== undefined && now.text !== text ? [`${names.join(', ')} keeps its value`] : [];
  });
}

/** Members of an enum with other values, by what compilers make of one: each with the old and the new. */
export function renumbered(old: Units, now: Units, name: string): string[] {
  const before = membersOf(old, name);
  return [...membersOf(now, name)].flatMap(([member, value]) => {
    const was = before.get(member);
    return was === undefined || was === value ? [] : [`${member} was ${was}, is ${value}`];
  });
}

function membersOf({ all, code }: Units, name: string): Map<string, string> {
  const unit = all.find((one) => one.kind === 'variable' && one.name === name);
  const text = unit?.kind === 'variable' ? code.slice(unit.node.start, unit.node.end) : '';
  const members = text.matchAll(/\[(?:\w+\[)?"([^"]+)"\] = ("(?:[^"\\]|\\.)*"|-?[\d.]+)/g);
  return new Map([...members].map(([, member = '', value = '']) => [member, value]));
}

/** Whether a step is a statement, which does something and is no part of anything. */
export function runs(key: string): boolean {
  return /^f\d+_run_/.test(key);
}
