// URI templates (RFC 6570) in both directions: from values to a URI, and from a URI back to the values.
import { cut, VivariumError } from '../../jsonrpc/error.ts';
import { maxLength, type Piece } from './match.ts';

export type TemplateOperator = '' | '+' | '#' | '.' | '/' | ';' | '?' | '&';

export interface TemplateVariable {
  readonly name: string;
  readonly operator: TemplateOperator;
  /** `{name*}`: a list. */
  readonly explode: boolean;
  /** `{name:3}`: at most so many characters. */
  readonly prefix?: number;
  /** False for `?` and `&`: a URI matches without them. */
  readonly required: boolean;
}

type Scalar = string | number | boolean | null | undefined;

export type TemplateValue = Scalar | readonly Scalar[] | { readonly [name: string]: Scalar };

export interface UriTemplate {
  readonly text: string;
  readonly variables: readonly TemplateVariable[];
  /** Null and undefined are left out. Throws ERR_CONFIG for a value that is no text, list or map of texts, or a list where `:n` stands. */
  expand(values: Readonly<Record<string, TemplateValue>>): string;
  /** For `matchTemplate`; absent when a name occurs twice, because then nothing matches. */
  readonly pieces: readonly Piece[] | undefined;
}

const maxVariables = 64;

/** `stops` cannot be part of a value when matching; `ifEmpty` is what follows the name of an empty one, where names are written. */
const operators: Readonly<Record<TemplateOperator, { first: string; separator: string; stops: string; ifEmpty?: string }>> = {
  '': { first: '', separator: ',', stops: '/?#' },
  '+': { first: '', separator: ',', stops: '' },
  '#': { first: '#', separator: ',', stops: '' },
  '.': { first: '.', separator: '.', stops: '/?#' },
  '/': { first: '/', separator: '/', stops: '/?#' },
  ';': { first: ';', separator: ';', stops: '/?#;', ifEmpty: '' },
  '?': { first: '?', separator: '&', stops: '#', ifEmpty: '=' },
  '&': { first: '&', separator: '&', stops: '#', ifEmpty: '=' },
};

type Part = string | readonly TemplateVariable[];

/**
 * A name may stand only once, or a handler could not tell which value it gets. With `repeats`, which RFC 6570 allows,
 * such a template expands but matches nothing.
 */
export function parseTemplate(text: string, options: { readonly repeats?: boolean } = {}): UriTemplate | { readonly problem: string } {
  if (text.length > maxLength) return { problem: `The template has ${text.length} characters: write at most ${maxLength}` };
  const parts: Part[] = [];
  for (let at = 0; at < text.length; ) {
    const open = text.indexOf('{', at);
    const literal = text.slice(at, open === -1 ? undefined : open);
    const problem = literalProblem(literal);
    if (problem !== undefined) return { problem };
    if (literal !== '') parts.push(encodeReserved(literal));
    if (open === -1) break;
    const close = text.indexOf('}', open);
    if (close === -1) return { problem: `${cut(text.slice(open), 40)} is never closed: write } after its last name, or %7B for a brace` };
    const expression = parseExpression(text.slice(open + 1, close));
    if (typeof expression === 'string') return { problem: `{${cut(text.slice(open + 1, close), 40)}}: ${expression}` };
    parts.push(expression);
    at = close + 1;
  }
  const variables = parts.flatMap((part) => (typeof part === 'string' ? [] : part));
  if (variables.length > maxVariables) return { problem: `The template has ${variables.length} variables: write at most ${maxVariables}` };
  const repeated = variables.find(({ name }, index) => variables.findIndex((other) => other.name === name) !== index)?.name;
  if (repeated !== undefined && options.repeats !== true) {
    return { problem: `The variable ${cut(repeated, 40)} stands twice: write another name for the second` };
  }
  const pieces = toPieces(parts);
  return {
    text,
    variables,
    expand: (values) => parts.map((part) => (typeof part === 'string' ? part : expandExpression(part, values))).join(''),
    pieces: repeated === undefined ? pieces : undefined,
  };
}

function literalProblem(literal: string): string | undefined {
  const [found] = /[\p{Cc}\p{Cs} "<>\\^`|}]|%(?![0-9a-f]{2})/iu.exec(literal) ?? [];
  if (found === undefined) return undefined;
  if (found === '}') return '} closes nothing: write { before the first name, or %7D for a brace';
  if (/\p{Cs}/u.test(found)) return 'Half of a surrogate pair is no character: write the whole character';
  return `${JSON.stringify(found)} cannot stand in a URI: write ${encodeURIComponent(found)}`;
}

/** The variables, or what is wrong. */
function parseExpression(body: string): TemplateVariable[] | string {
  if (body.includes('{')) return 'braces cannot be nested: write } before the next {, or %7B for a brace';
  const [first = ''] = /^[=,!@|]/.exec(body) ?? [];
  if (first !== '') return `RFC 6570 keeps ${first} for later: write one of + # . / ; ? & or nothing before the first name`;
  const [operator = ''] = (/^[+#./;?&]/.exec(body) ?? []) as TemplateOperator[];
  const variables: TemplateVariable[] = [];
  for (const spec of body.slice(operator.length).split(',')) {
    const { name = '', modifier = '' } = /^(?<name>[^:*]*)(?<modifier>.*)$/s.exec(spec)?.groups ?? {};
    if (!/^(?:\w|%[0-9a-f]{2})(?:\.?(?:\w|%[0-9a-f]{2}))*$/i.test(name)) {
      return `${JSON.stringify(cut(name, 40))} is no name: write letters, digits, _ and single dots between them, and the rest as %XX`;
    }
    const [, length] = /^:([1-9]\d{0,3})$/.exec(modifier) ?? [];
    if (modifier.includes(':') && modifier.includes('*')) return 'a list has no prefix: write either :n or *';
    if (modifier.startsWith(':') && length === undefined) return 'the length of the prefix is wrong: write :1 to :9999';
    if (modifier.length > 1 && length === undefined) return 'something follows the *: write a comma before the next name';
    const prefix = length === undefined ? {} : { prefix: Number(length) };
    variables.push({ name, operator, explode: modifier === '*', ...prefix, required: operator !== '?' && operator !== '&' });
  }
  return variables;
}

function expandExpression(variables: readonly TemplateVariable[], values: Readonly<Record<string, TemplateValue>>): string {
  const { first, separator } = operators[variables[0]?.operator ?? ''];
  const texts = variables.flatMap((variable) =>
    expandVariable(variable, Object.hasOwn(values, variable.name) ? values[variable.name] : null),
  );
  return texts.length === 0 ? '' : first + texts.join(separator);
}

function expandVariable(variable: TemplateVariable, value: TemplateValue): string[] {
  const { name, operator, explode } = variable;
  const { ifEmpty } = operators[operator];
  const encode = operator === '+' || operator === '#' ? encodeReserved : encodeUnreserved;
  const assign = (text: string) => (ifEmpty === undefined ? encode(text) : text === '' ? ifEmpty : `=${encode(text)}`);
  const members = membersOf(variable, value);
  if (members.length === 0) return [];
  if (!explode) {
    const joined = members.map((member) => member.map(encode).join(',')).join(',');
    return [ifEmpty === undefined ? joined : name + (joined === '' ? ifEmpty : `=${joined}`)];
  }
  return members.map(([key, text]) => {
    if (text === undefined) return (ifEmpty === undefined ? '' : name) + assign(key);
    // RFC 6570 appendix A: the keys of a map are written like literals where the names of variables are, and like values elsewhere.
    return ifEmpty === undefined ? `${encode(key)}=${encode(text)}` : encodeReserved(key) + assign(text);
  });
}

/** One text for each member of a list, two for each of a map. */
function membersOf(
  { name, prefix }: TemplateVariable,
  value: TemplateValue,
): (readonly [text: string] | readonly [key: string, text: string])[] {
  const asText = (member: unknown): string => {
    if (typeof member === 'object' || typeof member === 'function' || typeof member === 'symbol' || /\p{Cs}/u.test(String(member))) {
      throw new VivariumError('ERR_CONFIG', `${cut(name)} has a value that is no text: give a string, a number, or a list or map of these`);
    }
    return String(member);
  };
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object') return [[prefix === undefined ? asText(value) : [...asText(value)].slice(0, prefix).join('')]];
  if (prefix !== undefined) {
    throw new VivariumError('ERR_CONFIG', `${cut(name)} is a list or a map, which has no prefix: give a string, or leave out :${prefix}`);
  }
  const isDefined = (member: Scalar) => member !== undefined && member !== null;
  if (Array.isArray(value)) return value.filter(isDefined).map((member) => [asText(member)]);
  return Object.entries(value).flatMap(([key, member]) => (isDefined(member) ? [[asText(key), asText(member)]] : []));
}

function encodeUnreserved(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

function encodeReserved(text: string): string {
  return text.replace(/%[0-9a-f]{2}|[^[\]%]+|%/gi, (run) => (/^%./.test(run) ? run : encodeURI(run)));
}

function toPieces(parts: readonly Part[]): Piece[] {
  const pieces: Piece[] = [];
  const addLiteral = (text: string) => {
    const last = pieces.at(-1);
    if (last?.kind === 'literal') pieces[pieces.length - 1] = { kind: 'literal', text: last.text + text };
    else if (text !== '') pieces.push({ kind: 'literal', text });
  };
  for (const part of parts) {
    if (typeof part === 'string') addLiteral(part);
    else if (part[0]?.required === false) addQuery(pieces, part);
    else {
      for (const [index, variable] of part.entries()) {
        const { first, separator, stops, ifEmpty } = operators[variable.operator];
        const name = ifEmpty === undefined ? '' : `${variable.name}=`;
        addLiteral((index === 0 ? first : separator) + name);
        if (variable.explode) pieces.push({ kind: 'value', variable, stops: stops.replace(separator, ''), between: separator + name });
        else pieces.push({ kind: 'value', variable, stops: part.length === 1 ? stops : stops + separator });
      }
    }
  }
  return pieces;
}

/** `{?a}{&b}` is one query, and begins with & when only b is there. */
function addQuery(pieces: Piece[], variables: readonly TemplateVariable[]): void {
  const operator = variables[0]?.operator ?? '?';
  const last = pieces.at(-1);
  const isContinued = operator === '&' && last?.kind === 'query';
  const byName = new Map(variables.map((variable) => [variable.name, variable]));
  const starts = isContinued ? last.starts + operator : operator;
  if (isContinued) pieces.pop();
  pieces.push({ kind: 'query', variables: isContinued ? new Map([...last.variables, ...byName]) : byName, starts, stops: '#' });
}
