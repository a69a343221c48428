// Texts that make a regular expression slow if anything does, derived from its own parts: what leads to each repetition, and what it repeats.
import { type AST, RegExpParser } from '@eslint-community/regexpp';

/** A repetition of fewer has a bound that does not matter. */
const many = 64;
/** Besides the characters of the pattern itself. */
const usual = ['a', 'A', '0', ' ', '\n', '\t', '-', '_', '.', '/', '\\', '"', "'", ':', '=', '(', '@', '\r', '\u00e9'];
const maxSamples = 10;
/** What ends a text so that it does not match after all. */
const killers = ['', '\n', '!', '\u0000', 'a\na'];

export interface Attack {
  /** So many characters tell: one that begins seldom takes a longer text to be slow. */
  readonly longest: number;
  /** Of about so many characters. */
  text(length: number): string;
}

export function attacksOn({ source, flags }: RegExp): Attack[] {
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, { unicode: flags.includes('u') });
  const alphabet = [...new Set([...literals(pattern), ...usual])];
  const ways = repetitions(pattern).flatMap(({ before, element }) => {
    const start = exampleOf(before, alphabet);
    return samplesOf(element, alphabet).flatMap((unit) => [
      [start, unit],
      ['', start + unit],
      ['', start + unit + start],
      ['', unit],
      ['!', unit],
    ]);
  });
  const unique = new Map(ways.map(([start = '', unit = '']) => [JSON.stringify([start, unit]), { start, unit }]));
  return [...unique.values()]
    .filter(({ unit }) => unit !== '')
    .flatMap(({ start, unit }) =>
      killers.map((killer) => ({
        longest: 16_384 * Math.min(8, Math.ceil(Math.sqrt(unit.length))),
        text: (length: number) => start + unit.repeat(Math.ceil(length / unit.length)) + killer,
      })),
    );
}

interface Repetition {
  /** What must have matched before it, from the beginning. */
  readonly before: readonly AST.Element[];
  readonly element: AST.Element;
}

function repetitions(node: AST.Pattern | AST.Element, before: readonly AST.Element[] = []): Repetition[] {
  switch (node.type) {
    case 'Pattern':
    case 'Group':
    case 'CapturingGroup':
      return node.alternatives.flatMap((one) => inSequence(one.elements, before));
    case 'Assertion':
      return 'alternatives' in node ? node.alternatives.flatMap((one) => inSequence(one.elements, before)) : [];
    case 'Quantifier': {
      const inner = repetitions(node.element, before);
      return node.max > many ? [{ before, element: node.element }, ...inner] : inner;
    }
    default:
      return [];
  }
}

function inSequence(elements: readonly AST.Element[], before: readonly AST.Element[]): Repetition[] {
  return elements.flatMap((one, at) => repetitions(one, [...before, ...elements.slice(0, at)]));
}

/** Short texts that it matches, or nearly. */
function samplesOf(element: AST.Element, alphabet: readonly string[]): string[] {
  switch (element.type) {
    case 'Character':
      return [String.fromCodePoint(element.value)];
    case 'CharacterSet':
    case 'CharacterClass':
      return matching(element.raw, alphabet);
    case 'Group':
    case 'CapturingGroup':
      return element.alternatives
        .flatMap(({ elements }) => {
          const varied = elements.findIndex((one) => samplesOf(one, alphabet).length > 1);
          const around = (from: number, to?: number): string => exampleOf(elements.slice(from, to), alphabet, 1);
          const one = elements[varied];
          if (one === undefined) return [around(0)];
          return samplesOf(one, alphabet).map((sample) => around(0, varied) + sample + around(varied + 1));
        })
        .slice(0, maxSamples);
    case 'Quantifier':
      return samplesOf(element.element, alphabet);
    default:
      return [];
  }
}

/** A short text that all of them match one after the other; `least` of what may be left out. */
function exampleOf(elements: readonly AST.Element[], alphabet: readonly string[], least = 0): string {
  return elements
    .map((one) => {
      if (one.type === 'Assertion') return '';
      const [sample = ''] = samplesOf(one, alphabet);
      return one.type === 'Quantifier' ? sample.repeat(Math.min(Math.max(one.min, least), 100)) : sample;
    })
    .join('');
}

function matching(raw: string, alphabet: readonly string[]): string[] {
  const one = new RegExp(`^${raw}$`, 'su');
  const found = alphabet.filter((character) => one.test(character));
  return found.slice(0, maxSamples);
}

function literals(node: AST.Pattern): string[] {
  return [...node.raw.replaceAll(/\\[a-zA-Z](?:\{[^}]*\})?/g, '')].filter((character) => !'[](){}?*+|^$'.includes(character));
}
