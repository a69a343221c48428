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
}

interface Editor {
  parse(text: string): unknown;
  set(text: string, path: readonly string[], value: unknown): string;
  remove(text: string, path: readonly string[]): string;
  append?(text: string, path: readonly string[], value: unknown): string;
}

const mark = '\uFEFF';

export async function readServers(text: string, place: Place): Promise<ReadonlyMap<string, unknown>> {
  const editor = await editorOf(place.format);
  const found = at(understood(editor, plain(text)), place.path);
  return new Map(isObject(found) ? Object.entries(found) : []);
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
  for (const { path: list, value: one } of options.extras ?? []) {
    const listed = at(understood(editor, edited), list);
    if (Array.isArray(listed) && listed.some((other) => isDeepStrictEqual(other, one))) continue;
    edited = editor.append?.(edited, list, one) ?? edited;
  }
  const around = understood(editor, edited);
  if (!isDeepStrictEqual(present, value)) edited = editor.set(edited, path, value);
  prove(editor, edited, withEntry(around, path, value));
  return lead + edited;
}

export async function removeServer(text: string, place: Place, name: string): Promise<string> {
  const editor = await editorOf(place.format);
  const [lead, old] = text.startsWith(mark) ? [mark, plain(text)] : ['', text];
  const before = understood(editor, old);
  const path = [...place.path, name];
  if (at(before, path) === undefined) throw new Refusal('missing', `There is no server called "${name}"`);
  const edited = editor.remove(old, path);
  prove(editor, edited, withEntry(before, path, undefined), place.path);
  return lead + edited;
}

/** Whether two texts hold the same settings, however they are written. */
export async function saysTheSame(one: string, other: string, { format, path }: Place): Promise<boolean> {
  const editor = await editorOf(format);
  try {
    const [a, b] = [one, other].map((text) => pruned(understood(editor, plain(text)), path));
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
  const { parseJson: parse, setInJson: set, removeFromJson: remove, appendInJson: append } = await import('./json.ts');
  return { parse, set, remove, append };
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
  return inside === null || (isObject(inside) && Object.keys(inside).length === 0) ? others : { ...others, [key]: inside };
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
