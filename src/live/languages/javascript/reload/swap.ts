// One file, swapped where it runs: first its functions, then what its tail has to do in its scope.

import type { Debugger } from '../../../js-runtime/debugger.ts';
import { Busy, type Inspector } from '../../../js-runtime/inspector.ts';
import type { Imported } from '../cells/cell.ts';
import { type Insertion, withInsertions } from '../loader/insertions.ts';
import { type Runnable, tailBody } from '../loader/transform.ts';
import { carried, edgesOf } from './carried.ts';
import { computedBy, rootsIn } from './computed.ts';
import { runs } from './earlier.ts';
import { findsAgain } from './engine-diff.ts';
import { commonFacadeText, facadeText, fronted, isUnchanged } from './exports.ts';
import { canShrink, filling, linesFor } from './filling.ts';
import { type Graft, grafted } from './graft.ts';
import { namesOf as namesOfUnit } from './graft-nodes.ts';
import { type Blanks, withKinds } from './kinds.ts';
import { changedNames, changesGiven, evaluates, type Outline, outlineOf } from './outline.ts';
import type { Exposed } from './reimport.ts';
import { takenFrom } from './requirers.ts';
import { changedParts, groups, loosened, swapped } from './rewrite.ts';
import { signature, unitsOf } from './units.ts';

export interface Script {
  readonly id: string;
  readonly url: string;
  /** Which of all instances of files it is, where the loader has marked it. */
  readonly instance: string | undefined;
  /** As it was when we met it; all that runs later has its shape. */
  readonly base: string;
  /** As the engine has it; parts of it may stand there only for the engine. */
  running: string;
  /** As the file was when it was last taken. */
  known: string;
  readonly originals: (string | undefined)[];
  /** What the loader put into it, by the texts that have run. */
  readonly insertions: Map<string, readonly Insertion[]>;
  /** What ran before each step of the swap that is under way. */
  readonly trail: string[];
  readonly blanks: Blanks;
  /** The length of the longest text the engine has had, and the lines that make the one it has as long. */
  longest: number;
  lines: number;
  /** Steps of grafts: what was set once has to be set again, even to what it was at first. */
  readonly done: Set<string>;
  /** Imports that have to be taken from another module than the one it was linked with, and those that are. */
  readonly detached: Map<string, number>;
  taken: ReadonlyMap<string, number>;
}

export type Swapped =
  | {
      readonly status: 'done';
      readonly names: readonly string[];
      readonly remarks: readonly string[];
      /** Where it shows something else outside. */
      readonly exposed?: Exposed;
      /** Functions and classes that compute something else now. */
      readonly changed?: ReadonlySet<string>;
      /** It is loaded under a name with this, too, and shows what it did there. */
      readonly query?: string;
    }
  | { readonly status: 'anew'; readonly reason: string }
  | { readonly status: 'waits'; readonly names: readonly string[] }
  | { readonly status: 'failed'; readonly error: string };

export interface Surroundings {
  readonly inspector: Inspector;
  readonly debugging: Debugger;
  /** Texts that run no more, by addresses: the engine may still list them, under other ids. */
  readonly past: Map<string, Set<string>>;
  onMain<T>(expression: string): Promise<T>;
  readonly imports: () => readonly Imported[];
  /** As it runs, whatever lies over what the engine has. */
  readonly codeOf: (script: Script) => string;
  /** Other files that run. */
  readonly others: () => readonly Script[];
}

interface Plan {
  readonly before: Graft | undefined;
  readonly after: Graft | undefined;
  readonly due: ReadonlySet<string>;
  readonly known: Outline;
  /** A way into a class is open only while its new methods are made. */
  readonly between: Outline | undefined;
  readonly to: Outline;
}

const refused = 'the engine refused it';

/** `isNewest`: others that import the file get what this script shows. */
export async function swap(script: Script, wanted: Runnable, around: Surroundings, isNewest: boolean): Promise<Swapped> {
  const plan = await planFor(script, wanted, around);
  if (typeof plan === 'string') return { status: 'anew', reason: plan };
  const { before, after, known, between, to } = plan;
  // What a file does when it is loaded is done once, not again for each version of it that is still there.
  const due = isNewest ? plan.due : new Set([...plan.due].filter((key) => !runs(key)));
  // A class that is as it was at first gets back what another text of it had changed.
  const stepped = [...due].flatMap(
    (key) => [after, before].map((one) => one?.steps.get(key)?.names ?? []).find((one) => one.length > 0) ?? [],
  );
  const names = [...namesOf(known, to), ...stepped, ...differences(before, after)];
  const remarks = (after?.remarks ?? []).filter((one) => before?.remarks.includes(one) !== true);
  const isShown = before !== undefined && after !== undefined && !isUnchanged(before.facade, after.facade);
  if (names.length === 0 && due.size === 0 && !isShown) {
    if (remarks.length === 0 && !hasSameTree(script.known, wanted)) {
      if (!hasSameUnits(before, after)) return { status: 'anew', reason: 'its top-level code changed' };
      remarks.push('its parts stand in another order');
    }
    script.known = wanted.code;
    return { status: 'done', names: [], remarks };
  }
  if (changesGiven(known, to)) remarks.push('what was computed with it when the file was loaded keeps its value');
  if (known.parts.some((part, at) => part.isFields && to.parts[at]?.text !== part.text))
    remarks.push('instances made before keep the fields they have');
  script.trail.length = 0;
  let status = between === undefined ? 'Ok' : await set(script, known, between, wanted, around);
  if (between === undefined) status = await set(script, known, to, wanted, around);
  if (/Active/.test(status)) return { status: 'waits', names };
  if (status !== 'Ok') return { status: 'anew', reason: refused };
  try {
    if (due.size > 0) await around.onMain('__vivarium_renewal.mark()');
    const filled = `__vivarium_renewal.fill(${JSON.stringify(script.url)}, ${JSON.stringify([...due])})`;
    const reason = due.size > 0 ? await around.onMain<string | null>(filled) : null;
    if (reason !== null) {
      await putBack(script, around);
      return { status: 'anew', reason };
    }
  } catch (error) {
    await putBack(script, around);
    return { status: 'failed', error: error instanceof Error ? error.message : String(error) };
  }
  if (between !== undefined) await set(script, between, to, wanted, around);
  const constants = constantsIn(after, due);
  const left = await setConstants(script, constants, around);
  if (left.length > 0) remarks.push(`${left.join(', ')} keeps its old value: ${refused}`);
  else if (constants.size > 0) remarks.push('what was computed from it before keeps its value');
  const renewed = [...due].flatMap((key) => (after?.steps.get(key)?.isMade === true ? (after.steps.get(key)?.constant ?? []) : []));
  if (renewed.length > 0) remarks.push(`${renewed.join(', ')} begins again: what was in the old one is not in it`);
  if (wanted.format === 'commonjs' && [...due].some((key) => /_set_/.test(key))) {
    for (const other of around.others()) await setConstants(other, takenFrom(script.url, other), around);
    remarks.push('what was computed from it before keeps its value');
  }
  if (due.size > 0) {
    const names = JSON.stringify(await namesOfCells(around));
    await around.onMain(`__vivarium_renewal.follow(${JSON.stringify(JSON.stringify(around.imports()))}, ${names})`);
  }
  script.known = wanted.code;
  for (const key of after?.steps.keys() ?? []) script.done.add(key);
  script.taken = new Map(script.detached);
  let exposed: Exposed | undefined;
  if (isNewest && wanted.format === 'commonjs' && due.size > 0) exposed = await exposeCommon(script, around);
  if (isNewest && wanted.format === 'module' && isShown) exposed = await expose(script, after, around);
  if (exposed?.error !== undefined) remarks.push(`what it exports stays as it was: ${exposed.error}`);
  const query = isShown && !isNewest ? /\?(?!v=\d+$).*$/.exec(script.url)?.[0] : undefined;
  const { kept, changed } = computedBy(after?.units ?? unitsOf(wanted), rootsIn(names));
  const still = kept.filter((name) => !names.includes(name));
  if (still.length > 0)
    remarks.push(`${still.join(', ')} ${still.length === 1 ? 'keeps its value' : 'keep their values'}, computed when the file was loaded`);
  return { status: 'done', names, remarks, changed, ...(query !== undefined && { query }), ...(exposed !== undefined && { exposed }) };
}

/** Its text alone: what it imports it takes from where it does. */
export async function swapAsLinked(script: Script, wanted: Runnable, around: Surroundings): Promise<Swapped> {
  const detached = [...script.detached];
  setAll(script.detached, script.taken);
  try {
    return await swap(script, wanted, around, true);
  } finally {
    setAll(script.detached, detached);
  }
}

export function setAll<K, V>(map: Map<K, V>, entries: Iterable<readonly [K, V]>): void {
  map.clear();
  for (const [key, value] of entries) map.set(key, value);
}

/** The program has no time for it; anything else is a fault of ours. */
export function orBusy(error: unknown): { readonly status: 'failed'; readonly error: string } {
  if (error instanceof Busy) return { status: 'failed', error: error.message };
  throw error;
}

/** What is removed, and what is exported otherwise. */
function differences(before: Graft | undefined, after: Graft | undefined): string[] {
  if (before === undefined || after === undefined) return [];
  const names = new Set(after.units.all.flatMap(namesOfUnit));
  const removed = before.units.all.flatMap(namesOfUnit).filter((name) => !names.has(name));
  const shown = ({ units }: Graft): Map<string, string> =>
    new Map([
      ...[...units.exports].map(([name, one]) => [name, 'from' in one ? `${one.source} ${one.imported}` : one.local] as const),
      ...units.stars.map(({ from }) => [from, from] as const),
    ]);
  const [old, now] = [shown(before), shown(after)];
  const lost = [...old.keys()].filter((name) => !now.has(name) && !removed.includes(name));
  const other = [...now].filter(([name, what]) => old.get(name) !== what && !after.facade.places.has(name)).map(([name]) => name);
  const isNamed = (name: string): boolean => [...after.steps.values()].some((step) => step.names.includes(name));
  return [
    ...removed.map((name) => `${name} (removed)`),
    ...lost.map((name) => `export ${name} (removed)`),
    ...other.filter((name) => !isNamed(name)).map((name) => `export ${name}`),
  ];
}

function hasSameTree(known: string, wanted: Runnable): boolean {
  return signature(unitsOf({ ...wanted, code: known }).program, true) === signature(unitsOf(wanted).program, true);
}

function hasSameUnits(before: Graft | undefined, after: Graft | undefined): boolean {
  const texts = ({ units }: Graft): string => JSON.stringify(units.program.body.map((one) => signature(one, true)).sort());
  return before !== undefined && after !== undefined && texts(before) === texts(after);
}

/** The names of those that could not be set. */
function setConstants(script: Script, values: ReadonlyMap<string, string>, { debugging, onMain }: Surroundings): Promise<string[]> {
  if (values.size === 0) return Promise.resolve([]);
  return debugging.setConstants(values, () => onMain(`__vivarium_renewal.stop(${JSON.stringify(script.url)})`));
}

async function namesOfCells({ inspector }: Surroundings): Promise<string[]> {
  return (await inspector.post<{ names: string[] }>('Runtime.globalLexicalScopeNames')).names;
}

async function planFor(script: Script, wanted: Runnable, around: Surroundings): Promise<Plan | string> {
  const outline = (code: string): Outline => outlineOf({ ...wanted, code });
  const [known, to] = [outline(script.known), outline(wanted.code)];
  const isPlain = known.shape === to.shape && known.statements === to.statements && outline(script.running).shape === to.shape;
  // What a step has made stands elsewhere than in its file.
  if (isPlain && script.detached.size === 0 && script.done.size === 0) {
    if (evaluates(to)) return 'it evaluates text in its own scope';
    return { before: undefined, after: undefined, due: new Set(), known, between: undefined, to };
  }
  if (!script.base.includes(tailBody)) return 'its top-level code changed';
  if (!(await around.onMain<boolean>(`__vivarium_renewal.keeps(${JSON.stringify(script.url)})`))) return 'its top-level code changed';
  const id = `f${script.id}`;
  const base = { ...wanted, code: script.base };
  const { done } = script;
  const before = grafted(base, { ...wanted, code: script.known }, { id, detached: script.taken, done });
  if (typeof before === 'string') return before;
  const after = grafted(base, wanted, { id, detached: script.detached, done, before });
  if (typeof after === 'string') return after;
  const due = new Set<string>();
  for (const [key, step] of after.steps) {
    const old = before.steps.get(key);
    if (old === undefined ? step.idle !== true : old.text !== step.text && step.once !== true) due.add(key);
  }
  const opened = [...due].some((key) => after.opens.has(key));
  const plan = {
    before,
    after,
    due,
    known: outline(before.code(new Set(), false)),
    between: opened ? outline(after.code(due, true)) : undefined,
    to: outline(after.code(due, false)),
  };
  if (evaluates(plan.to)) return 'it evaluates text in its own scope';
  const shapes = [plan.known, plan.between ?? plan.to, plan.to, outline(script.running)].map(({ shape }) => shape);
  return new Set(shapes).size === 1 ? plan : 'its top-level code changed';
}

function namesOf(known: Outline, to: Outline): string[] {
  return changedNames(known, to).filter((name) => !name.includes('__vivarium'));
}

function constantsIn(graft: Graft | undefined, due: ReadonlySet<string>): Map<string, string> {
  const found = new Map<string, string>();
  for (const key of due) {
    const name = graft?.steps.get(key)?.constant;
    if (name !== undefined) found.set(name, `__vivarium_added.${key}`);
  }
  return found;
}

async function set(script: Script, known: Outline, to: Outline, wanted: Runnable, around: Surroundings): Promise<string> {
  const outline = (): Outline => outlineOf({ ...wanted, code: script.running });
  const first = outline();
  if (script.originals.length === 0) script.originals.push(...first.parts.map(({ lastName, expression }) => lastName ?? expression));
  const begun = script.trail.length;
  const changed = changedParts(known, to);
  const loose = loosened(first, to, changed, script.originals);
  const all = (parts: readonly number[]): string => swapped(outline(), to, parts, script.originals);
  let status = await put(script, loose, around);
  if (isRefused(status) && changed.length > 1)
    status = await putEach(script, changed, (at) => loosened(outline(), to, [at], script.originals), around);
  for (const group of groups(first, to, changed)) {
    if (status === 'Ok') status = await put(script, all(group), around);
    if (isRefused(status) && group.length > 1) status = await putEach(script, group, (at) => all([at]), around);
  }
  if (status !== 'Ok' && script.running !== loose) await putBack(script, around, begun);
  return status;
}

function isRefused(status: string): boolean {
  return status !== 'Ok' && !/Active/.test(status);
}

async function putEach(script: Script, parts: readonly number[], text: (at: number) => string, around: Surroundings): Promise<string> {
  let status = 'Ok';
  for (const at of parts) if (status === 'Ok') status = await put(script, text(at), around);
  return status;
}

async function put(script: Script, text: string, around: Surroundings): Promise<string> {
  const { running, trail } = script;
  const status = await exchange(script, text, around);
  if (script.running !== running) trail.push(running);
  return status;
}

/** By the steps it came: the engine may not find the way at once. */
async function putBack(script: Script, around: Surroundings, begun = 0): Promise<void> {
  for (const text of script.trail.splice(begun).reverse()) await exchange(script, text, around);
}

async function exchange(script: Script, text: string, around: Surroundings): Promise<string> {
  const { running, insertions, lines } = script;
  const next = withKinds(running, text, script.blanks);
  if (!canShrink(script.base.length, next)) return 'too short';
  const known = insertions.has(text) ? text : running;
  const pieces = insertions.get(next) ?? carried(known, next, insertions.get(known) ?? []);
  const more = linesFor(script.longest, withInsertions(next, pieces));
  // By itself: the engine takes two changes that far apart for one of everything between them.
  const status = more > lines ? await send(script, running, insertions.get(running) ?? [], more, around) : 'Ok';
  return status === 'Ok' ? send(script, next, pieces, Math.max(lines, more), around) : status;
}

async function send(
  script: Script,
  text: string,
  insertions: readonly Insertion[],
  lines: number,
  { inspector, past }: Surroundings,
): Promise<string> {
  const { running } = script;
  const before = [...(script.insertions.get(running) ?? []), ...filling(running, script.lines)];
  const [old, scriptSource] = [withInsertions(running, before), withInsertions(text, [...insertions, ...filling(text, lines)])];
  if (scriptSource === old) return 'Ok';
  if (!findsAgain(old, scriptSource, () => edgesOf(running, before))) return 'too long';
  const { status } = await inspector.post<{ status: string }>('Debugger.setScriptSource', { scriptId: script.id, scriptSource });
  if (status === 'Ok') script.insertions.set(text, insertions);
  // The engine keeps for a while what it has no use for: the text before, or the one it refused.
  const texts = past.get(script.url) ?? new Set();
  past.set(script.url, texts.add(status === 'Ok' ? running : text));
  if (status === 'Ok') {
    script.running = text;
    script.lines = lines;
    script.longest = Math.max(script.longest, withInsertions(text, insertions).length);
  }
  return status;
}

/** From now on those who import it get what it shows now. */
export function expose({ url }: Script, { facade }: Graft, around: Surroundings): Promise<Exposed> {
  fronted.add(url);
  return inFront(url, facadeText(url, facade), facade.other, around);
}

async function exposeCommon({ url }: Script, around: Surroundings): Promise<Exposed | undefined> {
  const address = JSON.stringify(url);
  const links = await around.onMain<[string, string[]][]>(`__vivarium_renewal.links(${address})`);
  if (links.length === 0) return undefined;
  const names = await around.onMain<string[]>(`__vivarium_renewal.exportedNames(${address})`);
  return inFront(url, commonFacadeText(url, names), [], around);
}

async function inFront(url: string, text: string, other: readonly string[], around: Surroundings): Promise<Exposed> {
  const given = JSON.stringify(JSON.stringify({ url, text, imports: around.imports() }));
  const exposed = await around.onMain<Exposed>(`__vivarium_renewal.expose(${given})`);
  return { ...exposed, other: [...new Set([...exposed.other, ...other.filter((name) => !exposed.lost.includes(name))])] };
}
