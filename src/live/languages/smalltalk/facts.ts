// Smalltalk in one row.
import type { LanguageFacts } from '../language-facts.ts';

export const smalltalkFacts: LanguageFacts & { readonly files: RegExp } = {
  language: 'smalltalk',
  aliases: ['st', 'amber'],
  files: /\.st$/i,
  testTools: [],
  sum: '1 + 1',
  nameAtEnd: /\w[\w:]*$/,
  brackets: { tokens: /'[^']*('?)|"[^"]*("?)|\$[\s\S]()|[()[\]{}]/g, opening: '([{', closing: ')]}' },
};
