// Values of an attached program as its inspector describes them: nothing of the program is run to print them.
import type { Frame } from '../../../image/engine.ts';

export interface Remote {
  readonly type: string;
  readonly subtype?: string;
  readonly className?: string;
  readonly value?: unknown;
  readonly unserializableValue?: string;
  readonly description?: string;
  readonly objectId?: string;
  readonly preview?: Preview;
}

interface Preview {
  readonly type: string;
  readonly subtype?: string;
  readonly description?: string;
  readonly overflow?: boolean;
  readonly properties: readonly PreviewProperty[];
  readonly entries?: readonly { readonly key?: Preview; readonly value: Preview }[];
}

interface PreviewProperty {
  readonly name: string;
  readonly type: string;
  readonly subtype?: string;
  readonly value?: string;
}

export interface Thrown {
  readonly text: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
  readonly exception?: Remote;
}

export interface Evaluated {
  readonly result: Remote;
  readonly exceptionDetails?: Thrown;
}

const maxText = 10_000;

export function textOf({ type, subtype, value, unserializableValue, description = '', preview }: Remote): string {
  if (type === 'string') return quoted(String(value)).slice(0, maxText);
  if (type === 'undefined') return 'undefined';
  if (unserializableValue !== undefined) return unserializableValue.slice(0, maxText);
  if (subtype === 'null') return 'null';
  if (type === 'number' || type === 'boolean') return String(value);
  if (type !== 'object' || preview === undefined || subtype === 'error' || subtype === 'date' || subtype === 'regexp')
    return description.slice(0, maxText);
  return previewText(preview).slice(0, maxText);
}

export function typeOf({ type, subtype, className, description = '' }: Remote): string {
  if (subtype === 'null') return 'null';
  if (subtype === 'proxy') return 'Proxy';
  if (type === 'function') return /^class\b/.test(description) ? 'class' : 'function';
  return type === 'object' ? (className ?? 'object') : type;
}

/** There is more to it than its text. */
export function isCut({ preview, description = '', value }: Remote): boolean {
  return preview?.overflow === true || description.length > maxText || (typeof value === 'string' && value.length > maxText);
}

function previewText({ subtype, description = '', properties, entries, overflow = false }: Preview): string {
  const more = overflow ? ['…'] : [];
  if (subtype === 'proxy') return 'Proxy';
  if (entries !== undefined) {
    const shown = entries.map(({ key, value }) => (key === undefined ? innerText(value) : `${innerText(key)} => ${innerText(value)}`));
    return `${description} { ${[...shown, ...more].join(', ')} }`;
  }
  const shown = properties.map((one) =>
    subtype === 'array' && /^\d+$/.test(one.name) ? propertyText(one) : `${one.name}: ${propertyText(one)}`,
  );
  const inside = [...shown, ...more].join(', ');
  if (subtype === 'array') return inside === '' ? '[]' : `[ ${inside} ]`;
  const name = description === 'Object' ? '' : `${description} `;
  return inside === '' ? `${name}{}` : `${name}{ ${inside} }`;
}

function innerText(preview: Preview): string {
  return preview.type === 'string' ? quoted(preview.description ?? '') : (preview.description ?? preview.type);
}

function propertyText({ type, subtype, value = '' }: PreviewProperty): string {
  if (type === 'string') return quoted(value);
  if (type === 'accessor') return '[getter]';
  if (type === 'function') return '[Function]';
  return subtype === 'null' ? 'null' : value === '' ? type : value;
}

function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

const maxFrames = 100;

/** Of a stack in the words of the engine: `at name (file:line:column)`. */
export function framesIn(stack: string): Frame[] {
  const plain = (name = ''): string => name.replace(/^async /, '');
  const frames = stack.split('\n').flatMap((text) => {
    const [found, name, file, line = 0, column = 0] = /^\s+at (?:(.*?) \()?(?:(.*?):(\d+):(\d+)|<anonymous>|native)\)?$/.exec(text) ?? [];
    return found === undefined ? [] : [{ name: plain(name), file: plain(file), line: Number(line), column: Number(column) }];
  });
  return frames.slice(0, maxFrames);
}
