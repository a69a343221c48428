// The titles in a test file, as they are written: placeholders are not filled in.

const name = String.raw`\b(?:it|test|describe|matrix)\b`;
const string = String.raw`(?:'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|\`(?:\\.|[^\`\\])*\`)`;
/** A title follows the name itself, or the table of `each`, `skipIf` and their like. */
const titled = new RegExp(String.raw`(?:(${name}(?:\.\w+)*(?:<[^()]*>)?)|\))\s*\(\s*(${string})`, 'g');

/** Of tests that run: what is skipped or still to be written proves nothing. */
export function titlesIn(text: string): string[] {
  return [...text.matchAll(titled)]
    .filter(([, call]) => !/\.(?:skip|todo|fails)\b/.test(call ?? ''))
    .map(([, , title = '']) => title.slice(1, -1).replace(/\\(['"`\\])/g, '$1'));
}
