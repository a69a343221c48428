// Text from anywhere, made safe for a terminal: shown, never obeyed.

/**
 * Everything a terminal may act upon or that reorders what is read: C0 and C1 controls (so ANSI and OSC sequences),
 * DEL, bidirectional and invisible formatting characters, line and paragraph separators, lone surrogates.
 */
const unsafe =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|\u{e0001}|[\u{e0020}-\u{e007f}]/gu;

/** One line; a line break is shown as \n. */
export function printable(text: string): string {
  return text.replace(unsafe, shown);
}

/** Several lines: their breaks and tabs stay. */
export function printableLines(text: string): string {
  return text.replace(unsafe, (character) => (character === '\n' || character === '\t' ? character : shown(character)));
}

function shown(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\r') return '\\r';
  if (character === '\t') return '\\t';
  const code = character.codePointAt(0) ?? 0;
  return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}
