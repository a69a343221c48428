// One entry of a TOML file. Written as text, because no parser of TOML keeps comments: a table at the end, or a span taken out.
import { parse, TomlError } from 'smol-toml';
import { type Cut, layoutOf, lineStart, memberCut, nextLine, withCuts } from './layout.ts';
import { Refusal } from './refusal.ts';
import { inlinePairs, type Statement, statementsOf } from './toml-statements.ts';

export function parseToml(text: string): unknown {
  try {
    return plain(parse(text));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const what = error.message.split('\n')[0]?.replace(/^Invalid TOML document: /, '');
    throw new Refusal('damaged', `${what} in line ${error.line}, column ${error.column}`, { hint: 'Mend it by hand, then try again' });
  }
}

/** Its tables have no prototype, and its dates are objects: other files have neither. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== 'object' || value === null) return value;
  const made: Record<string, unknown> = {};
  for (const [key, one] of Object.entries(value))
    Object.defineProperty(made, key, { value: plain(one), enumerable: true, configurable: true, writable: true });
  return made;
}

/** An entry of that name is replaced where it stands. */
export function setInToml(text: string, path: readonly string[], value: unknown): string {
  const statements = statementsOf(text);
  const spans = spansOf(text, statements, path);
  const rest = withCuts(text, spans);
  const inline = inlineAt(text, statements, path);
  if (inline !== undefined) return setInline(text, inline, path, value);
  const { eol } = layoutOf(text, text.length);
  const table = tableText(path, value, eol);
  const [first] = spans;
  if (first !== undefined && statements.some(({ kind, from }) => kind === 'table' && from === first.from)) {
    const put = /\n$/.test(text.slice(first.from, first.to)) ? `${table}${eol}` : table;
    return withCuts(text, [{ ...first, put }, ...spans.slice(1)]);
  }
  if (rest.trim() === '') return `${rest}${table}${eol}`;
  const isEnded = /\n$/.test(rest);
  const lead = !isEnded ? eol + eol : /\n[ \t]*\r?\n$/.test(rest) ? '' : eol;
  return `${rest}${lead}${table}${isEnded ? eol : ''}`;
}

export function removeFromToml(text: string, path: readonly string[]): string {
  const statements = statementsOf(text);
  const spans = spansOf(text, statements, path);
  if (spans.length > 0)
    return withCuts(
      text,
      spans.map((span) => withBlankLine(text, span)),
    );
  const inline = inlineAt(text, statements, path);
  const pairs = inline === undefined ? [] : inlinePairs(text, inline.value ?? 0, inline.to);
  const own = pairs.filter((pair) => inline !== undefined && begins([...inline.path, ...pair.path], path));
  const [only] = own;
  if (inline === undefined || only === undefined || own.length > 1)
    throw new Refusal('shape', `"${path.at(-1)}" is written in several parts of a table in one line`, { hint: 'Remove it by hand' });
  return withCuts(text, [memberCut(text, [only.from, only.to], [(inline.value ?? 0) + 1, inline.to - 1])]);
}

/** Everything that belongs to the entry, in whole lines: its tables, those below them, and its dotted keys. */
function spansOf(text: string, statements: readonly Statement[], path: readonly string[]): Cut[] {
  const cuts: { from: number; to: number }[] = [];
  for (const [index, { path: at, from, to }] of statements.entries()) {
    if (!begins(at, path)) continue;
    const last = cuts.at(-1);
    const before = statements[index - 1];
    // Comments between two statements of an entry are its own.
    if (last !== undefined && before !== undefined && begins(before.path, path)) last.to = nextLine(text, to);
    else cuts.push({ from: lineStart(text, from), to: nextLine(text, to) });
  }
  return cuts;
}

/** The blank line that set it apart goes with it. */
function withBlankLine(text: string, { from, to }: Cut): Cut {
  const isAlone = to >= text.length || /^[ \t]*\r?\n/.test(text.slice(to));
  const blank = /(?:^|\n)([ \t]*\r?\n)$/.exec(text.slice(0, from));
  return isAlone && blank !== null ? { from: from - (blank[1]?.length ?? 0), to } : { from, to };
}

/** The table in one line that holds the entry, or would. */
function inlineAt(text: string, statements: readonly Statement[], path: readonly string[]): Statement | undefined {
  return statements.find(
    ({ kind, path: at, value }) =>
      kind === 'pair' && value !== undefined && text[value] === '{' && at.length < path.length && begins(path, at),
  );
}

function setInline(text: string, { value = 0, to, path: at }: Statement, path: readonly string[], entry: unknown): string {
  const rest = path.slice(at.length);
  const old = inlinePairs(text, value, to).find((pair) => begins([...at, ...pair.path], path));
  if (old?.value !== undefined && old.path.length === rest.length)
    return withCuts(text, [{ from: old.value, to: old.to, put: valueText(entry) }]);
  if (rest.length !== 1) throw new Refusal('shape', `"${at.join('.')}" is a table in one line`, { hint: 'Write the entry by hand' });
  const inside = text.slice(value + 1, to - 1);
  const isEmpty = inside.trim() === '';
  const put = `${isEmpty ? ' ' : `${inside.trimEnd()}, `}${keyText(rest[0] as string)} = ${valueText(entry)} `;
  return withCuts(text, [{ from: value + 1, to: to - 1, put }]);
}

function tableText(path: readonly string[], value: unknown, eol: string): string {
  const lines = Object.entries(value as object).map(([key, one]) => `${keyText(key)} = ${valueText(one)}`);
  return [`[${path.map(keyText).join('.')}]`, ...lines].join(eol);
}

function keyText(key: string): string {
  return /^[\w-]+$/.test(key) ? key : stringText(key);
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return stringText(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const pairs = Object.entries(value).map(([key, one]) => `${keyText(key)} = ${valueText(one)}`);
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
}

/** What JSON escapes TOML does too, but for one character. */
function stringText(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}

function begins(path: readonly string[], start: readonly string[]): boolean {
  return start.length <= path.length && start.every((key, index) => path[index] === key);
}
