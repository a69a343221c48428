// JavaScript and TypeScript in one row.
import type { LanguageFacts } from '../language-facts.ts';

export const javascriptFacts: LanguageFacts = {
  language: 'javascript',
  aliases: ['js', 'ts', 'typescript'],
  testTools: ['vitest', 'jest', 'node:test'],
  sum: '1 + 1',
  nameAtEnd: /[\w$][\w$.]*$/,
};
