// Edits of programs, each of a kind that people make: something is added, removed, renamed, moved or changed.
import { type File, type Kind, type Maker, type Member, memberKinds, type Program, type Unit } from './program.ts';

interface Place {
  readonly at: number;
  readonly index: number;
  readonly unit: Unit;
}

type Mutation = (program: Program, place: Place, maker: Maker) => Program;

const mutations: Readonly<Record<string, Mutation>> = {
  'change a value': (program, place, maker) => changed(program, place, { value: maker.random.below(100) }),
  'write it otherwise': (program, place, maker) => changed(program, place, { variant: maker.random.below(12) }),
  'refer to something else': (program, place, maker) =>
    changed(program, place, { ref: maker.random.pick([undefined, ...earlier(program, place)]) }),
  rename: (program, place) => changed(program, place, { name: `${place.unit.name}x` }),
  'export it or not': (program, place) => changed(program, place, { exported: !place.unit.exported }),
  'make it the default or not': (program, place) => {
    const taken = program.files[place.at]?.units.some((one) => one.isDefault && one.id !== place.unit.id) === true;
    const able: readonly Kind[] = ['function', 'class', 'arrow', 'constant'];
    return taken || !able.includes(place.unit.kind) ? program : changed(program, place, { isDefault: !place.unit.isDefault });
  },
  'make it another kind of thing': (program, place, maker) => {
    const { kind, members, variant, value } = maker.unit(program.format, []);
    return changed(program, place, { kind, members, variant, value });
  },
  remark: (program, place, maker) => changed(program, place, { comment: `remark ${maker.random.below(9)}` }),
  add: (program, { at, index }, maker) =>
    inFile(program, at, (units) => units.toSpliced(index, 0, maker.unit(program.format, earlierIn(program, at, index)))),
  remove: (program, { at, index }) => inFile(program, at, (units) => units.toSpliced(index, 1)),
  move: (program, { at, index, unit }, maker) =>
    inFile(program, at, (units) => {
      const rest = units.toSpliced(index, 1);
      return rest.toSpliced(maker.random.below(rest.length + 1), 0, unit);
    }),
  'move to another file': (program, { at, index, unit }, maker) => {
    const to = maker.random.below(program.files.length);
    if (to === at || program.files[to]?.units.some((one) => one.isDefault) === unit.isDefault) return program;
    const without = inFile(program, at, (units) => units.toSpliced(index, 1));
    return inFile(without, to, (units) => [...units, unit]);
  },
  'add a member': (program, place, maker) => {
    if (place.unit.members.length === 0) return program;
    const one = maker.member(place.unit.kind, earlier(program, place));
    return changed(program, place, { members: place.unit.members.toSpliced(maker.random.below(place.unit.members.length + 1), 0, one) });
  },
  'remove a member': (program, place, maker) => {
    const { members } = place.unit;
    return members.length < 2 ? program : changed(program, place, { members: members.toSpliced(maker.random.below(members.length), 1) });
  },
  'change a member': (program, place, maker) => ofMember(program, place, maker, () => ({ value: maker.random.below(100) })),
  'rename a member': (program, place, maker) => ofMember(program, place, maker, ({ name }) => ({ name: `${name}x` })),
  'make a member another kind of thing': (program, place, maker) =>
    place.unit.kind === 'class' ? ofMember(program, place, maker, () => ({ kind: maker.random.pick(memberKinds) })) : program,
  'move members': (program, place) => changed(program, place, { members: place.unit.members.toReversed() }),
  'export in another way': (program, { at }) => withFile(program, at, (file) => ({ ...file, listed: !file.listed })),
  'import in another way': (program, { at }) => withFile(program, at, (file) => ({ ...file, whole: !file.whole })),
  'hand on something': (program, { at }, maker) =>
    at + 1 >= program.files.length
      ? program
      : withFile(program, at, (file) => ({ ...file, passes: [...file.passes, maker.passed(at, program.files.slice(at + 1))] })),
  'hand on no more': (program, { at }) => withFile(program, at, (file) => ({ ...file, passes: file.passes.slice(1) })),
};

/** One to three changes, and what they are called. */
export function mutated(program: Program, maker: Maker): { readonly after: Program; readonly edits: readonly string[] } {
  const wanted = maker.random.pick([1, 1, 2, 3]);
  const edits: string[] = [];
  let after = program;
  for (let tries = 0; edits.length < wanted && tries < 40; tries++) {
    const place = placeIn(after, maker);
    if (place === undefined) break;
    const name = maker.random.pick(Object.keys(mutations));
    const next = mutations[name]?.(after, place, maker) ?? after;
    if (JSON.stringify(next) === JSON.stringify(after)) continue;
    after = next;
    edits.push(name);
  }
  return { after, edits };
}

function placeIn(program: Program, { random }: Maker): Place | undefined {
  const at = random.below(program.files.length);
  const units = program.files[at]?.units ?? [];
  const index = random.below(Math.max(1, units.length));
  const unit = units[index];
  return unit === undefined ? undefined : { at, index, unit };
}

function withFile(program: Program, at: number, change: (file: File) => File): Program {
  return { ...program, files: program.files.map((file, index) => (index === at ? change(file) : file)) };
}

function inFile(program: Program, at: number, change: (units: readonly Unit[]) => readonly Unit[]): Program {
  return withFile(program, at, (file) => ({ ...file, units: change(file.units) }));
}

function changed(program: Program, { at, index }: Place, change: Partial<Unit>): Program {
  return inFile(program, at, (units) => units.map((unit, place) => (place === index ? { ...unit, ...change } : unit)));
}

function ofMember(program: Program, place: Place, { random }: Maker, change: (member: Member) => Partial<Member>): Program {
  const { members } = place.unit;
  if (members.length === 0) return program;
  const which = random.below(members.length);
  return changed(program, place, { members: members.map((one, at) => (at === which ? { ...one, ...change(one) } : one)) });
}

function earlierIn(program: Program, at: number, index: number): number[] {
  const later = program.files.slice(at + 1).flatMap(({ units }) => units);
  return [...(program.files[at]?.units.slice(0, index) ?? []), ...later].map(({ id }) => id);
}

function earlier(program: Program, { at, index }: Place): number[] {
  return earlierIn(program, at, index);
}
