// One file, swapped where it runs: first its functions, then what its tail has to do in its scope.

import type { Debugger } from '../../../js-runtime/debugger.ts';
import type { Inspector } from '../../../js-runtime/inspector.ts';
import type { Imported } from '../cells/cell.ts';
import { type Runnable, tailBody } from '../loader/transform.ts';
import { type Graft, grafted } from './graft.ts';
import { changedNames, changesGiven, evaluates, type Outline, outlineOf } from './outline.ts';
import { takenFrom } from './requirers.ts';
import { changedParts, groups, loosened, swapped } from './rewrite.ts';

export interface Script {
  readonly id: string;
  readonly url: string;
  /** As it was when we met it; all that runs later has its shape. */
  readonly base: string;
  /** As the engine has it; parts of it may stand there only for the engine. */
  running: string;
  /** As the file was when it was last taken. */
  known: string;
  readonly originals: (string | undefined)[];
}

export type Swapped =
  | { readonly status: 'done'; readonly names: readonly string[]; readonly remarks: readonly string[] }
  | { readonly status: 'anew'; readonly reason: string }
  | { readonly status: 'waits'; readonly names: readonly string[] }
  | { readonly status: 'failed'; readonly error: string };

interface Surroundings {
  readonly inspector: Inspector;
  readonly debugging: Debugger;
  /** Texts that run no more: the engine may still list them, under other ids. */
  readonly past: Map<string, Set<string>>;
  onMain<T>(expression: string): Promise<T>;
  readonly imports: () => readonly Imported[];
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

export async function swap(script: Script, wanted: Runnable, around: Surroundings): Promise<Swapped> {
  const plan = await planFor(script, wanted, around);
  if (typeof plan === 'string') return { status: 'anew', reason: plan };
  const { before, after, due, known, between, to } = plan;
  const names = [...namesOf(known, to), ...[...due].flatMap((key) => after?.steps.get(key)?.names ?? [])];
  const remarks = (after?.remarks ?? []).filter((one) => before?.remarks.includes(one) !== true);
  if (names.length === 0 && due.size === 0) {
    script.known = wanted.code;
    return { status: 'done', names: [], remarks };
  }
  if (changesGiven(known, to)) remarks.push('what was computed with it when the file was loaded keeps its value');
  if (known.parts.some((part, at) => part.isFields && to.parts[at]?.text !== part.text))
    remarks.push('instances made before keep the fields they have');
  const old = script.running;
  let status = between === undefined ? 'Ok' : await set(script, known, between, wanted, around);
  if (between === undefined) status = await set(script, known, to, wanted, around);
  if (/Active/.test(status)) return { status: 'waits', names };
  if (status !== 'Ok') return { status: 'anew', reason: refused };
  try {
    if (due.size > 0) await around.onMain('__vivarium_renewal.mark()');
    if (due.size > 0) await around.onMain(`__vivarium_renewal.fill(${JSON.stringify(script.url)}, ${JSON.stringify([...due])})`);
  } catch (error) {
    await put(script, old, around);
    return { status: 'failed', error: error instanceof Error ? error.message : String(error) };
  }
  if (between !== undefined) await set(script, between, to, wanted, around);
  const constants = constantsIn(after, due);
  const left = await setConstants(script, constants, around);
  if (left.length > 0) remarks.push(`${left.join(', ')} keeps its old value: ${refused}`);
  else if (constants.size > 0) remarks.push('what was computed from it before keeps its value');
  if (wanted.format === 'commonjs' && [...due].some((key) => /_set_/.test(key))) {
    for (const other of around.others()) await setConstants(other, takenFrom(script.url, other), around);
    remarks.push('what was computed from it before keeps its value');
  }
  if (due.size > 0) {
    const names = JSON.stringify(await namesOfCells(around));
    await around.onMain(`__vivarium_renewal.follow(${JSON.stringify(JSON.stringify(around.imports()))}, ${names})`);
  }
  if (after !== undefined && wanted.format === 'module') await expose(script, before, after, around);
  script.known = wanted.code;
  return { status: 'done', names, remarks };
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
  if (known.shape === to.shape && outline(script.running).shape === to.shape) {
    if (evaluates(to)) return 'it evaluates text in its own scope';
    return { before: undefined, after: undefined, due: new Set(), known, between: undefined, to };
  }
  if (!script.base.includes(tailBody)) return 'its top-level code changed';
  if (!(await around.onMain<boolean>(`__vivarium_renewal.keeps(${JSON.stringify(script.url)})`))) return 'its top-level code changed';
  const id = `f${script.id}`;
  const base = { ...wanted, code: script.base };
  const before = grafted(base, { ...wanted, code: script.known }, id);
  if (typeof before === 'string') return before;
  const after = grafted(base, wanted, id, before);
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
  if (script.originals.length === 0) script.originals.push(...first.parts.map(({ expression }) => expression));
  const before = script.running;
  const changed = changedParts(known, to);
  const loose = loosened(first, to, changed, script.originals);
  if (loose === undefined) return 'too long';
  let status = await put(script, loose, around);
  for (const group of groups(first, to, changed)) {
    if (status === 'Ok') status = await put(script, swapped(outline(), to, group, script.originals), around);
  }
  if (status !== 'Ok' && script.running !== loose) await put(script, before, around);
  return status;
}

async function put(script: Script, scriptSource: string, { inspector, past }: Surroundings): Promise<string> {
  if (scriptSource === script.running) return 'Ok';
  const { status } = await inspector.post<{ status: string }>('Debugger.setScriptSource', { scriptId: script.id, scriptSource });
  // The engine keeps for a while what it has no use for: the text before, or the one it refused.
  const texts = past.get(script.url) ?? new Set();
  past.set(script.url, texts.add(status === 'Ok' ? script.running : scriptSource));
  if (status === 'Ok') script.running = scriptSource;
  return status;
}

/** A module gains no exports once it runs: another one in front of it has them, and passes on the rest. */
async function expose(
  { url }: Script,
  before: Graft | undefined,
  { exports, passed, hasDefault }: Graft,
  around: Surroundings,
): Promise<void> {
  const names = [...exports.keys(), ...passed].join();
  if (names === '' || names === [...(before?.exports.keys() ?? []), ...(before?.passed ?? [])].join()) return;
  const entries = [...exports].map(([name, place], at) => ({ name: JSON.stringify(name), place, local: `e${at}` }));
  const text = [
    `export * from ${JSON.stringify(url)};`,
    hasDefault ? `export { default } from ${JSON.stringify(url)};` : '',
    ...passed.map((one) => `export ${one};`),
    ...entries.map(({ local, place }) => `let ${local} = ${place};`),
    `export { ${entries.map(({ local, name }) => `${local} as ${name}`).join(', ')} };`,
    `__vivarium_pass(${JSON.stringify(url)}, () => { ${entries.map(({ local, place }) => `${local} = ${place};`).join(' ')} });`,
  ].join('\n');
  await around.onMain(`__vivarium_renewal.expose(${JSON.stringify(JSON.stringify({ url, text, imports: around.imports() }))})`);
}
