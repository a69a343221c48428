// Decorators: no Node runs them and stripping leaves them in, so a file with one has to be seen before Node complains of something else.
import { createRequire } from 'node:module';
import type * as Acorn from 'acorn';

const comment = /\/\*[\s\S]*?\*\/|\/\/.*/g;
/** Nothing else begins so, except within a text or a pattern. */
const suspect = /(?:^|[\s({},;)])@[\w$(]/;

/** Whether a file has any: `text` as it is written, `code` as it is without its types. */
export function hasDecorators(text: string, code: string): boolean {
  if (!suspect.test(text.replace(comment, ''))) return false;
  const { parse } = createRequire(import.meta.url)('acorn') as typeof Acorn;
  try {
    parse(code, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true, allowReturnOutsideFunction: true });
    return false;
  } catch (error) {
    return code[(error as { readonly pos?: number }).pos ?? -1] === '@';
  }
}
