// The languages there are: one row each.
import { javascriptFacts } from './javascript/facts.ts';
import type { LanguageFacts } from './language-facts.ts';
import { lispFacts } from './lisp/facts.ts';
import { smalltalkFacts } from './smalltalk/facts.ts';

export const languages: readonly LanguageFacts[] = [javascriptFacts, lispFacts, smalltalkFacts];

/** By its name or an alias. */
export function languageNamed(name: string): LanguageFacts | undefined {
  return languages.find(({ language, aliases }) => language === name || aliases.includes(name));
}
