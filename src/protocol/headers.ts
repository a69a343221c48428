// The headers of 2026-07-28 that repeat what a request says, so that a proxy can route without reading it.

export const headerNames = {
  version: 'mcp-protocol-version',
  method: 'mcp-method',
  name: 'mcp-name',
  session: 'mcp-session-id',
  lastEvent: 'last-event-id',
  /** Followed by what `x-mcp-header` in the input schema names. */
  parameter: 'mcp-param-',
} as const;

/** The parameter that `Mcp-Name` repeats, by method; extensions add rows of their own. */
export const namedBy: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

const prefix = '=?base64?';
const suffix = '?=';
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A value as it may stand in a header: as it is, or wrapped where a header could not carry it or would be misread. */
export function encodeHeader(value: string): string {
  const plain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) || value === '';
  if (plain && !(value.startsWith(prefix) && value.endsWith(suffix))) return value;
  let binary = '';
  for (const byte of new TextEncoder().encode(value)) binary += String.fromCharCode(byte);
  return `${prefix}${btoa(binary)}${suffix}`;
}

/** What a header says; undefined when it is wrapped badly. The marks are exact: another case is a plain value. */
export function decodeHeader(value: string): string | undefined {
  if (!(value.startsWith(prefix) && value.endsWith(suffix) && value.length >= prefix.length + suffix.length)) {
    return /^[\x20-\x7e\t]*$/.test(value) ? value : undefined;
  }
  const text = value.slice(prefix.length, -suffix.length);
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return undefined;
  try {
    return utf8.decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

/** An argument that is repeated in a header. */
export interface HeaderParameter {
  /** The names that lead to it, from the root. */
  readonly path: readonly string[];
  /** Of the header, in lower case. */
  readonly header: string;
  readonly type: 'string' | 'integer' | 'boolean';
}

export interface HeaderParameters {
  readonly parameters: readonly HeaderParameter[];
  /** What is wrong with the annotations: a client must drop such a tool. */
  readonly faults: readonly string[];
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const none: HeaderParameters = { parameters: [], faults: [] };
const maxDepth = 32;
/** Keywords that hold values, not schemas. */
const values: ReadonlySet<string> = new Set(['default', 'examples', 'const', 'enum']);

/** `x-mcp-header` annotations of an input schema: only along `properties`, only on strings, integers and booleans. */
export function headerParameters(schema: Readonly<Record<string, unknown>>): HeaderParameters {
  // Nearly all schemas have none, and a look at the text is cheaper than a walk that must also find misplaced ones.
  if (!JSON.stringify(schema).includes('"x-mcp-header"')) return none;
  const parameters: HeaderParameter[] = [];
  const faults: string[] = [];
  const names = new Set<string>();
  const walk = (node: unknown, path: readonly string[], reachable: boolean): void => {
    if (typeof node !== 'object' || node === null || path.length > maxDepth) return;
    if (Array.isArray(node)) {
      for (const item of node) walk(item, path, false);
      return;
    }
    for (const [key, value] of Object.entries(node)) {
      if (key === 'properties' && typeof value === 'object' && value !== null) {
        for (const [name, child] of Object.entries(value)) walk(child, [...path, name], reachable);
      } else if (key === 'x-mcp-header') annotate(value, node as Readonly<Record<string, unknown>>, path, reachable);
      else if (!values.has(key)) walk(value, path, false);
    }
  };
  const annotate = (name: unknown, node: Readonly<Record<string, unknown>>, path: readonly string[], reachable: boolean): void => {
    const at = path.length === 0 ? 'the root' : path.join('.');
    const type = primitive(node['type']);
    if (typeof name !== 'string' || !token.test(name)) faults.push(`x-mcp-header at ${at} must be a header name`);
    else if (!reachable || path.length === 0) faults.push(`x-mcp-header at ${at} must be reachable by properties alone`);
    else if (type === undefined) faults.push(`x-mcp-header at ${at} must be on a string, an integer or a boolean`);
    else if (names.has(name.toLowerCase())) faults.push(`x-mcp-header "${name}" occurs twice`);
    else {
      names.add(name.toLowerCase());
      parameters.push({ path, header: `${headerNames.parameter}${name.toLowerCase()}`, type });
    }
  };
  walk(schema, [], true);
  return { parameters, faults };
}

function primitive(type: unknown): HeaderParameter['type'] | undefined {
  const kinds = (Array.isArray(type) ? type : [type]).filter((kind) => kind !== 'null');
  const [kind] = kinds;
  return kinds.length === 1 && (kind === 'string' || kind === 'integer' || kind === 'boolean') ? kind : undefined;
}

/** Whether the header says what the argument says; both absent is the same too. */
export function sameValue(parameter: HeaderParameter, args: unknown, header: string | undefined): boolean {
  let value = args;
  for (const name of parameter.path) {
    value =
      typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
  }
  if (value === undefined || value === null) return header === undefined;
  if (header === undefined) return false;
  const said = decodeHeader(header);
  if (said === undefined) return false;
  if (typeof value === 'number') return /^-?\d+(?:\.0+)?$/.test(said) && Number(said) === value;
  return said === String(value);
}
