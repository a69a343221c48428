// Entries of a configuration file in any of its formats: text in, text out. What comes out is read again, and must differ by the entry only.
import { isDeepStrictEqual } from 'node:util';
import { Refusal } from './refusal.ts';

export type Format = 'json' | 'jsonc' | 'toml' | 'yaml';

/** Where a file keeps its servers. */
export interface Place {
  readonly format: Format;
  readonly path: readonly string[];
}

/** Beside the entry: one more in a list, unless it is there. */
export interface Extra {
  readonly path: readonly string[];
  readonly value: unknown;
  /** How entries refer to it: it stays while one does. */
  readonly usedAs?: string;
}

interface Editor {
  parse(text: string): unknown;
  set(text: string, path: readonly string[], value: unknown): string;
  remove(text: string, path: readonly string[]): string;
  append?(text: string, path: readonly string[], value: unknown): string;
  drop?(text: string, path: readonly string[], value: unknown): string;
}

const mark = '\uFEFF';

export async function readServers(text: string, place: Place): Promise<ReadonlyMap<string, unknown>> {
  const editor = await editorOf(place.format);
  const found = at(understood(editor, plain(text)), place.path);
  return new Map(isObject(found) ? Object.entries(found) : []);
}

/** All that a file says. */
export async function settingsIn(text: string, { format }: Place): Promise<unknown> {
  return understood(await editorOf(format), plain(text));
}

/** The same text where that entry is there already. Refuses to replace another one unless told so. */
export async function addServer(
  text: string,
  place: Place,
  name: string,
  value: object,
  options: { readonly replace?: boolean; readonly extras?: readonly Extra[] } = {},
): Promise<string> {
  const editor = await editorOf(place.format);
  const [lead, old] = text.startsWith(mark) ? [mark, plain(text)] : ['', text];
  const before = understood(editor, old);
  const path = [...place.path, name];
  const present = at(before, path);
  if (present !== undefined && !isDeepStrictEqual(present, value) && options.replace !== true)
    throw new Refusal('exists', `Another server is called "${name}" there`, { hint: 'Choose another --name, or pass --replace' });
  let edited = old;
  for (const extra of options.extras ?? []) {
    if (!holds(understood(editor, edited), extra)) edited = editor.append?.(edited, extra.path, extra.value) ?? edited;
  }
  const around = understood(editor, edited);
  if (!isDeepStrictEqual(present, value)) edited = editor.set(edited, path, value);
  prove(editor, edited, withEntry(around, path, value));
  return lead + edited;
}

/** With those of its extras that nothing refers to any more. */
export async function removeServer(text: string, place: Place, name: string, extras: readonly Extra[] = []): Promise<string> {
  const editor = await editorOf(place.format);
  const [lead, old] = text.startsWith(mark) ? [mark, plain(text)] : ['', text];
  const before = understood(editor, old);
  const path = [...place.path, name];
  if (at(before, path) === undefined) throw new Refusal('missing', `There is no server called "${name}"`);
  let edited = editor.remove(old, path);
  prove(editor, edited, withEntry(before, path, undefined), place.path);
  for (const extra of extras) {
    const around = understood(editor, edited);
    if (!holds(around, extra) || (extra.usedAs !== undefined && edited.includes(extra.usedAs))) continue;
    const left = (at(around, extra.path) as readonly unknown[]).filter((one) => !isDeepStrictEqual(one, extra.value));
    edited = editor.drop?.(edited, extra.path, extra.value) ?? edited;
    prove(editor, edited, withEntry(around, extra.path, left.length === 0 ? undefined : left), extra.path);
  }
  return lead + edited;
}

/** Names of what differs between two texts beside the entry: other servers, and settings of the first level. */
export async function changedBeside(before: string, after: string, place: Place, name: string): Promise<string[]> {
  const [old, now] = [await settingsIn(before, place), await settingsIn(after, place)] as Record<string, unknown>[];
  const differing = (a: unknown, b: unknown): string[] => {
    const [one, other] = [isObject(a) ? a : {}, isObject(b) ? b : {}];
    return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((key) => !isDeepStrictEqual(one[key], other[key]));
  };
  const [first] = place.path;
  const servers = differing(at(old, place.path), at(now, place.path)).filter((one) => one !== name);
  return [...servers, ...differing(old, now).filter((key) => key !== first)];
}

/** Those that are there. */
export async function extrasIn(text: string, { format }: Place, extras: readonly Extra[]): Promise<readonly Extra[]> {
  if (extras.length === 0) return [];
  const whole = understood(await editorOf(format), plain(text));
  return extras.filter((extra) => holds(whole, extra));
}

function holds(whole: unknown, { path, value }: Extra): boolean {
  const listed = at(whole, path);
  return Array.isArray(listed) && listed.some((one) => isDeepStrictEqual(one, value));
}

/** Whether two texts hold the same settings, however they are written. `lists` that are empty count as absent. */
export async function saysTheSame(
  one: string,
  other: string,
  { format, path }: Place,
  lists: readonly (readonly string[])[] = [],
): Promise<boolean> {
  const editor = await editorOf(format);
  try {
    const [a, b] = [one, other].map((text) => [path, ...lists].reduce(pruned, understood(editor, plain(text))));
    return isDeepStrictEqual(a, b);
  } catch {
    return false;
  }
}

async function editorOf(format: Format): Promise<Editor> {
  if (format === 'toml') {
    const { parseToml: parse, setInToml: set, removeFromToml: remove } = await import('./toml.ts');
    return { parse, set, remove };
  }
  if (format === 'yaml') {
    const { parseYaml: parse, setInYaml: set, removeFromYaml: remove } = await import('./yaml.ts');
    return { parse, set, remove };
  }
  const { parseJson: parse, setInJson: set, removeFromJson: remove, appendInJson: append, dropInJson: drop } = await import('./json.ts');
  return { parse, set, remove, append, drop };
}

function understood(editor: Editor, text: string): unknown {
  try {
    const value = editor.parse(text);
    if (isDeeper(value, deepest)) throw new RangeError();
    if (value === undefined || isObject(value)) return value ?? {};
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const why = error instanceof RangeError ? 'it is nested too deeply' : ((error as Error).message.split('\n')[0] ?? '');
    throw new Refusal('damaged', `It cannot be read: ${why}`, { cause: error, hint: 'Mend it by hand, then try again' });
  }
  throw new Refusal('shape', 'It holds something else than settings by name', { hint: 'Mend it by hand' });
}

/** No client's settings are; comparing deeper ones would end the stack. */
const deepest = 200;

/** Aliases of YAML may lead back to themselves, and to one value by very many ways. */
function isDeeper(value: unknown, levels: number, known: Map<object, number> = new Map()): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if ((known.get(value) ?? levels + 1) <= levels) return false;
  known.set(value, levels);
  return Object.values(value).some((one) => isDeeper(one, levels - 1, known));
}

/** Names that lead nowhere any more count as absent: `{"mcpServers":{}}` says what `{}` says. */
function prove(editor: Editor, text: string, expected: unknown, emptied: readonly string[] = []): void {
  let found: unknown;
  try {
    found = understood(editor, text);
  } catch (cause) {
    throw new Refusal('unproven', 'It is written in a way that cannot be edited safely', { cause, hint: 'Write the entry by hand' });
  }
  if (!isDeepStrictEqual(pruned(found, emptied), pruned(expected, emptied)))
    throw new Refusal('unproven', 'It is written in a way that cannot be edited safely', { hint: 'Write the entry by hand' });
}

function pruned(value: unknown, path: readonly string[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined || !isObject(value) || !Object.hasOwn(value, key)) return value;
  const inside = pruned(value[key], rest);
  const { [key]: _, ...others } = value;
  const isEmpty = typeof inside === 'object' && Object.keys(inside ?? {}).length === 0;
  return isEmpty ? others : { ...others, [key]: inside };
}

function withEntry(value: unknown, [key = '', ...rest]: readonly string[], entry: unknown): unknown {
  const object = isObject(value) ? value : {};
  const inside = rest.length === 0 ? entry : withEntry(object[key], rest, entry);
  const made: Record<string, unknown> = {};
  for (const [name, one] of Object.entries({ ...object, [key]: inside })) {
    if (one !== undefined) Object.defineProperty(made, name, { value: one, enumerable: true, configurable: true, writable: true });
  }
  return made;
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inside, key) => (isObject(inside) && Object.hasOwn(inside, key) ? inside[key] : undefined), value);
}

function plain(text: string): string {
  return text.startsWith(mark) ? text.slice(mark.length) : text;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
