// The text projection of a structured value: compact JSON, TOON, or whichever measures smaller.

export type TextFormat = 'json' | 'toon' | 'auto';

type Toon = { readonly encode: (value: unknown) => string };

let toon: Toon | undefined;

export function toonLoaded(): boolean {
  return toon !== undefined;
}

/** TOON is loaded the first time something asks for it. */
export async function loadToon(): Promise<void> {
  toon ??= (await import('@toon-format/toon')) as Toon;
}

/**
 * `json` answers at once; `toon` and `auto` need the encoder, so the first call loads it.
 * `auto` keeps TOON only for uniform rows and only when it saves a quarter of the bytes: measured on nested
 * and mixed data TOON costs a fifth more tokens than compact JSON, on tables it saves a third.
 */
export async function encodeText(value: unknown, format: TextFormat = 'json'): Promise<string> {
  if (format !== 'json') await loadToon();
  return encodeNow(value, format).text;
}

/** For callers that have loaded TOON before. */
export function encodeNow(value: unknown, format: TextFormat): { readonly text: string; readonly format: 'json' | 'toon' } {
  if (format === 'toon' && toon !== undefined) return { text: toon.encode(value), format };
  const json = JSON.stringify(value) ?? 'null';
  if (format !== 'auto' || toon === undefined || !hasRows(value)) return { text: json, format: 'json' };
  const text = toon.encode(value);
  return text.length < 0.75 * json.length ? { text, format: 'toon' } : { text: json, format: 'json' };
}

const fewestRows = 5;

/** Whether some list, at most four levels down, is a table: five or more objects with one set of keys. */
function hasRows(value: unknown, levels = 4): boolean {
  if (typeof value !== 'object' || value === null || levels === 0) return false;
  if (Array.isArray(value) && value.length >= fewestRows && isTable(value)) return true;
  return Object.values(value).some((item) => hasRows(item, levels - 1));
}

function isTable(rows: readonly unknown[]): boolean {
  const keys = keysOf(rows[0]);
  return keys !== undefined && rows.every((row) => keysOf(row) === keys);
}

function keysOf(row: unknown): string | undefined {
  return typeof row === 'object' && row !== null && !Array.isArray(row) ? JSON.stringify(Object.keys(row)) : undefined;
}
