// The smallest program and edit that show the same: parts are left out of both as long as it is still so.
import type { File, Member, Program, Unit } from './program.ts';

export interface Made {
  readonly before: Program;
  readonly after: Program;
}

export async function shrunk(made: Made, holds: (smaller: readonly Made[]) => Promise<readonly boolean[]>, rounds = 40): Promise<Made> {
  let smallest = made;
  for (let round = 0; round < rounds; round++) {
    const tries = [...smaller(smallest)]
      .filter((one) => sizeOf(one) < sizeOf(smallest))
      .sort((a, b) => sizeOf(a) - sizeOf(b))
      .slice(0, 60);
    const found = await holds(tries);
    const next = tries.find((_, at) => found[at]);
    if (next === undefined) return smallest;
    smallest = next;
  }
  return smallest;
}

/** Parts of the program first, then parts of the edit. */
function* smaller({ before, after }: Made): Generator<Made> {
  const ids = new Set([...unitsOf(before), ...unitsOf(after)].map(({ id }) => id));
  for (const id of ids) yield { before: without(before, id), after: without(after, id) };
  if (ids.size > 3) for (const id of ids) yield { before: only(before, id), after: only(after, id) };
  for (const id of ids) {
    const [old, now] = [unitsOf(before).find((one) => one.id === id), unitsOf(after).find((one) => one.id === id)];
    if (old !== undefined && now !== undefined && JSON.stringify(old) !== JSON.stringify(now))
      yield { before, after: mapped(after, (unit) => (unit.id === id ? old : unit)) };
    if (old !== undefined && now === undefined) yield { before: without(before, id), after };
    if (old === undefined && now !== undefined) yield { before, after: without(after, id) };
    const plainer = (unit: Unit): Unit => (unit.id === id ? { ...unit, ref: undefined, comment: undefined } : unit);
    yield { before: mapped(before, plainer), after: mapped(after, plainer) };
    for (const member of new Set([...(old?.members ?? []), ...(now?.members ?? [])].map((one) => one.id))) {
      const left = (change: (members: readonly Member[]) => readonly Member[]) => (unit: Unit) =>
        unit.id === id ? { ...unit, members: change(unit.members) } : unit;
      const dropped = left((members) => members.filter((one) => one.id !== member));
      yield { before: mapped(before, dropped), after: mapped(after, dropped) };
      const bare = left((members) => members.map((one) => (one.id === member ? { ...one, ref: undefined } : one)));
      yield { before: mapped(before, bare), after: mapped(after, bare) };
    }
  }
  if (before.files.length > 1 && before.files.length === after.files.length) {
    yield { before: { ...before, files: before.files.slice(0, -1) }, after: { ...after, files: after.files.slice(0, -1) } };
  }
  for (const at of before.files.keys()) {
    const bare = (program: Program, change: (file: File) => File): Program => ({
      ...program,
      files: program.files.map((file, index) => (index === at ? change(file) : file)),
    });
    const changes = [
      (file: File) => ({ ...file, passes: [] }),
      (file: File) => ({ ...file, listed: false }),
      (file: File) => ({ ...file, whole: false }),
    ];
    for (const change of changes) yield { before: bare(before, change), after: bare(after, change) };
  }
}

function unitsOf({ files }: Program): Unit[] {
  return files.flatMap(({ units }) => units);
}

function mapped(program: Program, change: (unit: Unit) => Unit): Program {
  return { ...program, files: program.files.map((file) => ({ ...file, units: file.units.map(change) })) };
}

function without(program: Program, id: number): Program {
  return { ...program, files: program.files.map((file) => ({ ...file, units: file.units.filter((one) => one.id !== id) })) };
}

function only(program: Program, id: number): Program {
  return { ...program, files: program.files.map((file) => ({ ...file, units: file.units.filter((one) => one.id === id) })) };
}

function sizeOf({ before, after }: Made): number {
  const same = JSON.stringify(before) === JSON.stringify(after);
  return JSON.stringify(before).length + JSON.stringify(after).length + (same ? 1e9 : 0);
}
