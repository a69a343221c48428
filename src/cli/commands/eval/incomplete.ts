// Whether what was typed at a prompt needs another line: only what ends too early, so that every other mistake is answered by the image.
import { Script } from 'node:vm';
import type { LanguageFacts } from '../../../live/languages/language-facts.ts';
import { languageNamed } from '../../../live/languages/languages.ts';

export function isIncomplete(code: string, language = 'javascript'): boolean {
  const brackets = languageNamed(language)?.brackets;
  if (brackets !== undefined) return isOpen(code, brackets);
  try {
    new Script(code);
    return false;
  } catch (error) {
    return /^(?:Unexpected end of input|Unterminated template literal|missing \) after argument list)/.test((error as Error).message);
  }
}

function isOpen(code: string, { tokens, opening, closing }: NonNullable<LanguageFacts['brackets']>): boolean {
  let depth = 0;
  for (const [token, ...ends] of code.matchAll(tokens)) {
    if (opening.includes(token)) depth++;
    else if (closing.includes(token)) depth--;
    // Begun and not ended: comments to the end of the line, and single characters, have no end to miss.
    else if (/^["|']|^#\|/.test(token) && !ends.some((end) => end !== undefined && end !== '')) return true;
  }
  return depth > 0;
}
