// What the functions of a module hold of its variables: all that can be had of one that our loader did not load. It can be read only.
import { statSync } from 'node:fs';
import { near } from '../../../../text/did-you-mean.ts';

export type Post = <T>(method: string, params: object) => Promise<T>;

interface Remote {
  readonly objectId?: string;
  readonly value?: unknown;
  readonly unserializableValue?: string;
  readonly description?: string;
}

interface Evaluated {
  readonly result: Remote;
  readonly exceptionDetails?: { readonly text: string; readonly exception?: Remote };
}

interface Properties {
  readonly result: readonly { readonly name: string; readonly value?: Remote }[];
  readonly internalProperties?: readonly { readonly name: string; readonly value?: Remote }[];
}

export interface ScopeValues {
  readonly names: readonly string[];
  /** As `Runtime.callFunctionOn` takes them. */
  readonly values: readonly object[];
}

const group = 'vivarium-scope';
/** Functions that are looked at for their scopes; those of one file hold the same one. */
const maxFunctions = 200;

/** `work` gets what the cell reads in the scope of one of the scripts. Throws where it assigns to one of these names. */
export async function withScope<T>(
  post: Post,
  scriptIds: readonly string[],
  file: string,
  { reads, assigns }: { readonly reads: readonly string[]; readonly assigns: readonly string[] },
  work: (scope: ScopeValues) => Promise<T>,
): Promise<T> {
  try {
    const found = await variablesOf(post, scriptIds);
    const why = `${file} was loaded before vivarium came to the program, or by another loader`;
    if (found === undefined) throw new Error(`No function of ${file} is in use, so its variables cannot be read: ${why}`);
    const fixed = assigns.find((name) => found.has(name));
    if (fixed !== undefined) throw new Error(`${fixed} of ${file} can be read, not assigned: ${why}`);
    const names = reads.filter((name) => found.has(name));
    return await work({ names, values: names.map((name) => argumentOf(found.get(name) as Remote)) });
  } finally {
    await post('Runtime.releaseObjectGroup', { objectGroup: group });
  }
}

/** Puts the cell's function at `place`, with the values of the scope around it. How many characters stand before it in its line. */
export async function makeIn(post: Post, { names, values }: ScopeValues, place: string, text: string, label: string): Promise<number> {
  const head = `function (${names.join(', ')}) { ${place} = `;
  const { result } = await post<Evaluated>('Runtime.evaluate', { expression: 'globalThis', objectGroup: group, silent: true });
  const { exceptionDetails } = await post<Evaluated>('Runtime.callFunctionOn', {
    // It is put into parentheses: nothing may stand behind it.
    functionDeclaration: `${head}${text};${label}\n}`,
    arguments: values,
    objectId: result.objectId,
    silent: true,
  });
  if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  // In parentheses of the engine.
  return head.length + 1;
}

/** `loaded`: files that could be meant, as they would be named. */
export function notLoaded(short: string, file: string, loaded: readonly string[] = []): string {
  const found = statSync(file, { throwIfNoEntry: false });
  if (short === '' || found?.isDirectory() === true)
    return `in takes a file, not a folder: ${loaded.slice(0, 5).join(', ') || 'none is loaded yet'}`;
  if (found !== undefined)
    return /\.(?:[cm]?[jt]s|[jt]sx)$/.test(file)
      ? `${short} is not loaded: import it first`
      : `${short} is no program: it has no scope to run in`;
  const meant = loaded.find((one) => one.endsWith(`/${short}`)) ?? near(short, loaded);
  return `There is no file ${short}${meant === undefined ? '' : `: did you mean ${meant}?`}`;
}

/** By name. */
async function variablesOf(post: Post, scriptIds: readonly string[]): Promise<Map<string, Remote> | undefined> {
  const variables = new Map<string, Remote>();
  let met = false;
  for (const one of await functionsOf(post, scriptIds)) {
    const { internalProperties = [] } = await post<Properties>('Runtime.getProperties', { objectId: one, ownProperties: true });
    const internal = (name: string): Remote | undefined => internalProperties.find((found) => found.name === name)?.value;
    const { scriptId } = (internal('[[FunctionLocation]]')?.value ?? {}) as { readonly scriptId?: string };
    if (scriptId === undefined || !scriptIds.includes(scriptId)) continue;
    met = true;
    for (const scope of await scopesOf(post, internal('[[Scopes]]'))) {
      const { result } = await post<Properties>('Runtime.getProperties', { objectId: scope, ownProperties: true });
      for (const { name, value } of result) if (value !== undefined) variables.set(name, value);
    }
  }
  return met ? variables : undefined;
}

/** The outermost of its own, which is the module's. */
async function scopesOf(post: Post, list: Remote | undefined): Promise<string[]> {
  if (list?.objectId === undefined) return [];
  const { result } = await post<Properties>('Runtime.getProperties', { objectId: list.objectId, ownProperties: true });
  const own = result.filter(({ name, value }) => /^\d+$/.test(name) && /^(?:Module|Closure)/.test(value?.description ?? ''));
  return own.slice(-1).flatMap(({ value }) => value?.objectId ?? []);
}

/** Of all functions there are those whose text stands in one of the scripts. */
async function functionsOf(post: Post, scriptIds: readonly string[]): Promise<string[]> {
  const texts: string[] = [];
  for (const scriptId of scriptIds)
    texts.push((await post<{ scriptSource: string }>('Debugger.getScriptSource', { scriptId })).scriptSource);
  const found: string[] = [];
  for (const kind of ['Function', '(async () => {}).constructor', '(function* () {}).constructor']) {
    const terms = { expression: `${kind}.prototype`, objectGroup: group, silent: true };
    const { result } = await post<Evaluated>('Runtime.evaluate', terms);
    const asked = { prototypeObjectId: result.objectId, objectGroup: group };
    const { objects } = await post<{ objects: Remote }>('Runtime.queryObjects', asked);
    const { result: some, exceptionDetails } = await post<Evaluated>('Runtime.callFunctionOn', {
      objectId: objects.objectId,
      functionDeclaration: picking,
      arguments: [{ value: texts }, { value: maxFunctions }],
      objectGroup: group,
      silent: true,
    });
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    const { result: each } = await post<Properties>('Runtime.getProperties', { objectId: some.objectId, ownProperties: true });
    found.push(...each.flatMap(({ name, value }) => (/^\d+$/.test(name) ? (value?.objectId ?? []) : [])));
  }
  return found;
}

const picking = `function (texts, most) {
  const text = Function.prototype.toString;
  const found = [];
  for (const one of this) {
    if (found.length >= most) break;
    try {
      const own = text.call(one);
      if (!own.endsWith('{ [native code] }') && texts.some((whole) => whole.includes(own))) found.push(one);
    } catch {}
  }
  return found;
}`;

function argumentOf({ objectId, unserializableValue, value }: Remote): object {
  if (objectId !== undefined) return { objectId };
  return unserializableValue === undefined ? { value } : { unserializableValue };
}
