// Text from anywhere, made safe for a terminal, a log and a report: shown, never obeyed.

/**
 * Everything a terminal may act upon or that reorders what is read: controls (so ANSI and OSC sequences), bidirectional
 * and invisible formatting characters, line and paragraph separators, lone surrogates.
 */
export const unsafe: RegExp = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** One line; a line break is shown as \n. */
export function printable(text: string): string {
  return text.replace(unsafe, shown);
}

/** Several lines: their breaks and tabs stay. */
export function printableLines(text: string): string {
  return text.replace(unsafe, (character) => (character === '\n' || character === '\t' ? character : shown(character)));
}

/** For whoever passes it on: only what drives a terminal or turns the direction is shown; joined letters and line ends stay. */
export function withoutControls(text: string): string {
  return text.replace(/(?![\n\t]|\r\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu, shown);
}

/** The same JSON, with escapes of its own in the place of what would be obeyed. */
export function escapeUnsafe(json: string): string {
  return json.replace(unsafe, (character) => {
    if (character === '\n') return character;
    return Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
  });
}

/** Whether it has no such character. */
export function isPlain(text: string): boolean {
  return text.search(unsafe) < 0;
}

function shown(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\r') return '\\r';
  if (character === '\t') return '\\t';
  const code = character.codePointAt(0) ?? 0;
  return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}
