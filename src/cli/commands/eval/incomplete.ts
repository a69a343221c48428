// Whether what was typed at a prompt needs another line: only what ends too early, so that every other mistake is answered by the image.
import { Script } from 'node:vm';

export function isIncomplete(code: string, language = 'javascript'): boolean {
  if (language === 'lisp') return isOpen(code, lispTokens, '(', ')');
  if (language === 'smalltalk') return isOpen(code, smalltalkTokens, '([{', ')]}');
  try {
    new Script(code);
    return false;
  } catch (error) {
    return /^(?:Unexpected end of input|Unterminated template literal|missing \) after argument list)/.test((error as Error).message);
  }
}

/** What stands for itself: strings, comments, characters and names in bars, each perhaps without its end; then brackets. */
const lispTokens =
  /"(?:\\[\s\S]|[^"\\])*("?)|\|(?:\\[\s\S]|[^|\\])*(\|?)|#\|[\s\S]*?(\|#|$)|;.*()|#\\[\s\S](?:[^\s()"';]*)()|\\[\s\S]()|[()]/g;
const smalltalkTokens = /'[^']*('?)|"[^"]*("?)|\$[\s\S]()|[()[\]{}]/g;

function isOpen(code: string, tokens: RegExp, opening: string, closing: string): boolean {
  let depth = 0;
  for (const [token, ...ends] of code.matchAll(tokens)) {
    if (opening.includes(token)) depth++;
    else if (closing.includes(token)) depth--;
    // Begun and not ended: comments to the end of the line, and single characters, have no end to miss.
    else if (/^["|']|^#\|/.test(token) && !ends.some((end) => end !== undefined && end !== '')) return true;
  }
  return depth > 0;
}
