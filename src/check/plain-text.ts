// Text that is only shown, and never obeyed.

/** Controls, and what changes the direction of the text around it. */
export const unsafe: RegExp = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** The same JSON, without any character that is obeyed rather than shown. */
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
