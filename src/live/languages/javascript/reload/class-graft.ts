// What an edit changes in a class: methods that are there are swapped, others are put on it, or taken from it, while it runs.
import type { AnyNode, Class, MethodDefinition, PropertyDefinition } from 'acorn';
import { childrenOf, type References } from '../cells/references.ts';
import { constructorFields } from './constructor-fields.ts';
import { fieldsOf } from './outline.ts';
import { hash, isSame, signature } from './units.ts';

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface ClassGraft {
  readonly edits: readonly Edit[];
  /** What puts the new methods on the class. */
  readonly step: string;
  /** Nothing to put on, nothing to take off. */
  readonly idle: boolean;
  /** The new methods use private names, which can be reached only from a method that is there: by these edits. */
  readonly opened: readonly Edit[];
  readonly names: readonly string[];
  /** Its constructor makes fields that it has not had. */
  readonly hasFields: boolean;
}

type Member = MethodDefinition | PropertyDefinition;

/** A string says why it cannot be done. */
export function classGraft(
  name: string,
  from: { readonly code: string; readonly node: Class },
  to: {
    readonly code: string;
    readonly node: Class;
    readonly references: References;
    /** What decorates a member, as compilers write it: it is done again for one that is put on the class. */
    readonly decorators: (key: string, fixed: boolean) => string;
  },
  key: string,
): ClassGraft | string {
  if (signature(from.node.superClass) !== signature(to.node.superClass)) return `what ${name} extends changed`;
  const before = membersOf(from.node, from.code);
  const after = membersOf(to.node, to.code);
  if (blocksOf(from.node) !== blocksOf(to.node)) return `a static block of ${name} changed`;
  const edits: Edit[] = [];
  const added: Member[] = [];
  const fields = fieldsOf(from.node.body, from.code);
  const wanted = fieldsOf(to.node.body, to.code);
  const byConstructor = fields === undefined || wanted === undefined ? constructorFields(from, to) : undefined;
  if (fields !== undefined && wanted !== undefined) {
    if (fields.privates !== wanted.privates) return `the private fields of ${name} changed`;
    const text = to.references.text(wanted.part);
    const same = fields.all.length === wanted.all.length && fields.all.every((one, at) => isSame(one, wanted.all[at] as AnyNode));
    if (!same || text !== wanted.part.text) edits.push({ ...span(fields.part), text });
  }
  for (const [id, member] of after) {
    if (isField(member) && ((fields !== undefined && wanted !== undefined) || byConstructor !== undefined)) continue;
    const old = before.get(id);
    if (old !== undefined && old.type === member.type && signature(old) === signature(member)) {
      if (member.value == null || old.value == null) continue;
      const text = to.references.text(member.value);
      const moved = text !== to.code.slice(member.value.start, member.value.end);
      const same = from.code.slice(old.value.start, old.value.end);
      const isMade = byConstructor !== undefined && member.type === 'MethodDefinition' && member.kind === 'constructor';
      if (isMade) edits.push({ ...span(old.value), text: byConstructor });
      else edits.push({ ...span(old.value), text: moved || !isSame(old.value, member.value) ? text : same });
    } else if (isField(member)) return old === undefined ? `${name} gained the field ${id}` : `the field ${id} of ${name} changed`;
    else if (member.type === 'MethodDefinition' && member.kind === 'constructor') return `the constructor of ${name} is new`;
    else if (member.key.type === 'PrivateIdentifier') return `${name} gained the private ${id}`;
    else if (member.computed) return `${name} gained ${id}`;
    else added.push(member);
  }
  const removed = [...before].filter(
    ([id, member]) =>
      !after.has(id) && (!isField(member) || ((fields === undefined || wanted === undefined) && byConstructor === undefined)),
  );
  const lost = removed.find(([, member]) => isField(member) || member.computed || member.key.type === 'PrivateIdentifier');
  if (lost !== undefined) return `${name} lost ${lost[0]}`;
  const idle = added.length === 0 && removed.length === 0;
  if (!idle && name === 'default') return 'a class without a name changed';
  const isPut = (member: Member): boolean => added.some((one) => nameOf(one) === nameOf(member) && one.static === member.static);
  const gone = removed.filter(([, one]) => !isPut(one)).map(([, one]) => [nameOf(one), one.static, kindOf(one)]);
  const made = `class { ${added.map((one) => to.references.text(one)).join('\n')} }`;
  const names = [
    ...added.map((one) => `${name}.${to.code.slice(one.key.start, one.key.end)}`),
    ...gone.map(([id]) => `${name}.${id} (removed)`),
  ];
  const hasFields = byConstructor !== undefined;
  const decorated = added.map((one) => to.decorators(nameOf(one), one.static)).join(' ');
  const put = (given: string): string => `__vivarium_graft(${name}, ${given}, ${JSON.stringify(gone)}); ${decorated}`;
  if (!added.some(usesPrivate)) return { edits, step: put(made), idle, opened: [], names, hasFields };
  const open = `__vivarium_added.open === ${JSON.stringify(key)}`;
  const opened: Edit[] = [];
  const ways: (readonly [string, boolean])[] = [];
  for (const [id, way] of after) {
    const old = before.get(id);
    if (!isDoor(way) || old === undefined || signature(old) !== signature(way)) continue;
    const head = to.references.text({ start: way.value.start, end: way.value.body.start + 1 });
    const rest = to.references.text({ start: way.value.body.start + 1, end: way.value.end });
    // In every method, for nobody knows which of them are still the class's own.
    opened.push({ ...span(old.value as AnyNode), text: `${head} if (${open}) return ${made};${rest}` });
    ways.push([nameOf(way), way.static]);
  }
  if (ways.length === 0) return `the new methods of ${name} use private names, and there is no method to reach them from`;
  const entered = `__vivarium_enter(${name}, ${JSON.stringify(key)}, ${JSON.stringify(ways)})`;
  // With what they are made of, so that it is done again when that changes.
  const step = `__vivarium_added.open = ${JSON.stringify(key)}; try { ${put(entered)} } finally { __vivarium_added.open = ""; } /* ${hash(made)} */`;
  return { edits, step, idle, opened, names, hasFields };
}

function membersOf({ body }: Class, code: string): Map<string, Member> {
  const members = new Map<string, Member>();
  for (const one of body.body) {
    if (one.type === 'StaticBlock') continue;
    members.set(`${one.static ? 'static ' : ''}${kindOf(one)}${code.slice(one.key.start, one.key.end)}`, one);
  }
  return members;
}

/** Of an accessor. */
function kindOf(member: Member): '' | 'get ' | 'set ' {
  const { kind } = member as MethodDefinition;
  return kind === 'get' || kind === 'set' ? `${kind} ` : '';
}

function nameOf({ key }: Member): string {
  return key.type === 'Identifier' ? key.name : String((key as { value?: unknown }).value);
}

function blocksOf({ body }: Class): string {
  return body.body.flatMap((one) => (one.type === 'StaticBlock' ? [signature(one, true)] : [])).join('\n');
}

/** Every instance has its own. */
function isField(member: Member): member is PropertyDefinition {
  return member.type === 'PropertyDefinition' && !member.static;
}

function isDoor(member: Member): member is MethodDefinition {
  if (member.type !== 'MethodDefinition' || member.kind !== 'method' || member.computed) return false;
  const { async, generator, params } = member.value;
  return member.key.type === 'Identifier' && !async && generator !== true && params.every(({ type }) => type === 'Identifier');
}

function usesPrivate(node: AnyNode): boolean {
  return node.type === 'PrivateIdentifier' || childrenOf(node).some(usesPrivate);
}

function span({ start, end }: { readonly start: number; readonly end: number }): { readonly start: number; readonly end: number } {
  return { start, end };
}
