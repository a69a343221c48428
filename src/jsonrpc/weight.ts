// How much memory a JSON text takes once it is parsed: an upper estimate, made without parsing it.

/** Below this length no shape can weigh much, and the text is not looked at. */
const short = 1_024;
/** `{},` takes 64 bytes: 21 times its text, the worst that was measured. */
const densest = 22;

/**
 * Bytes per mark, measured on Node 20: an object with a key of its own takes 186 bytes (`{`, `:` and `,`), an empty
 * one 64, an empty list 40, a number in a list 8. Strings take at most two bytes for each character.
 */
const object = 96;
const member = 80;
const list = 32;
const element = 16;

const quote = 34;
const backslash = 92;

export function weightOf(text: string): number {
  const { length } = text;
  if (length <= short) return length * densest;
  let weight = 2 * length;
  for (let at = 0; at < length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at + 1);
        break;
      case 44: // ,
        weight += element;
        break;
      case 58: // :
        weight += member;
        break;
      case 91: // [
        weight += list;
        break;
      case 123: // {
        weight += object;
    }
  }
  return weight;
}

/** The position of the closing quote, or the end of a text that has none. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = at;
    while (escapes > from && text.charCodeAt(escapes - 1) === backslash) escapes--;
    if ((at - escapes) % 2 === 0) return at;
  }
  return text.length;
}
