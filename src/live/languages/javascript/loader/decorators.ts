// Decorators: no Node runs them and stripping leaves them in, so a file with one has to be seen before Node complains of something else.
import { createRequire } from 'node:module';
import type * as Acorn from 'acorn';

/** Where one may begin; so may a good deal in comments, texts and patterns. */
const suspect = /@[\w$(]/;
const atLineStart = /^[ \t]*@\w/m;

/** Whether a file has any: `code` is the file without its types. */
export function hasDecorators(code: string): boolean {
  if (!suspect.test(code)) return false;
  const { parse } = createRequire(import.meta.url)('acorn') as typeof Acorn;
  const flaws = (['module', 'script'] as const).map((sourceType) => {
    try {
      parse(code, { ecmaVersion: 'latest', sourceType, allowHashBang: true, allowReturnOutsideFunction: true });
      return undefined;
    } catch (error) {
      return code[(error as { readonly pos?: number }).pos ?? -1] ?? '';
    }
  });
  if (flaws.includes(undefined)) return false;
  // What this parser stumbles over before need not be a mistake.
  return flaws.includes('@') || atLineStart.test(code);
}

/** Of JavaScript it is asked only where the project says that it has some: most files name somebody in a comment. */
export function mayHaveDecorators(text: string): boolean {
  return atLineStart.test(text);
}
