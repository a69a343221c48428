// Common Lisp in one row.
import type { LanguageFacts } from '../language-facts.ts';

export const lispFacts: LanguageFacts & { readonly files: RegExp } = {
  language: 'lisp',
  aliases: ['cl', 'common-lisp'],
  files: /\.(?:lisp|lsp|cl|asd)$/i,
  testTools: ['an ASDF system'],
  sum: '(+ 1 1)',
  nameAtEnd: /[^\s()'"`,;#]+$/,
  brackets: {
    tokens: /"(?:\\[\s\S]|[^"\\])*("?)|\|(?:\\[\s\S]|[^|\\])*(\|?)|#\|[\s\S]*?(\|#|$)|;.*()|#\\[\s\S](?:[^\s()"';]*)()|\\[\s\S]()|[()]/g,
    opening: '(',
    closing: ')',
  },
};
