// What lookup answers, in words: bounded, and with how much was left out.

import type { Place, Script } from './project-scripts.ts';
import type { Level, Shape, ShapeMember } from './side-effect-free.ts';
import { commentAbove, constructorOf, signatureOf } from './signature.ts';

/** Where something is written, with the script it stands in. */
export interface Defined extends Place {
  readonly script: Script;
  readonly start: number;
}

const maxLines = 50;
const maxSource = 20_000;

export function summaryText(name: string, kind: string, text: string, defined: Defined | undefined, more: readonly string[]): string {
  const where = defined === undefined ? 'built in' : `${defined.file}:${defined.line}`;
  const made = kind === 'class' ? constructorOf(text) : undefined;
  const said = defined === undefined ? '' : commentAbove(defined.script.source, defined.start);
  const signature = kind === 'export' ? (text.split('\n', 1)[0] ?? '').slice(0, 160) : signatureOf(text);
  return [
    `${name}: ${kind}  (${where})`,
    `  ${signature}`,
    ...(made === undefined ? [] : [`  ${made}`]),
    ...(said === '' ? [] : [said.slice(0, 2_000)]),
    ...more,
  ].join('\n');
}

export function sourceText(name: string, text: string, defined: Place | undefined): string {
  const cut = text.length > maxSource ? `\n… ${text.length - maxSource} characters more` : '';
  return `// ${defined === undefined ? `${name}, built in` : `${defined.file}:${defined.line}`}\n${text.slice(0, maxSource)}${cut}`;
}

/** How much there is of it. */
export function counted({ levels, statics, type }: Shape): string[] {
  const [own, ...inherited] = levels;
  const parts = [
    count(own?.total ?? 0, type === 'class' ? 'member' : 'own member'),
    count(statics[0]?.total ?? 0, 'static'),
    count(
      inherited.reduce((sum, { total }) => sum + total, 0),
      'inherited member',
    ),
  ].filter((one) => one !== '');
  return parts.length === 0 ? [] : [`${parts.join(', ')}: lookup(want: members) lists them.`];
}

function count(total: number, what: string): string {
  return total === 0 ? '' : `${total} ${what}${total === 1 ? '' : 's'}`;
}

export function membersText(name: string, { type, levels, statics }: Shape): string {
  const lines = [
    ...levels.flatMap((level, at) =>
      levelLines(level, at === 0 ? (type === 'class' ? 'of instances' : 'own') : `inherited from ${level.owner || 'an object'}`),
    ),
    ...statics.flatMap((level, at) => levelLines(level, at === 0 ? 'static' : `static, inherited from ${level.owner || 'a function'}`)),
  ];
  return lines.length === 0 ? `${name} has no members.` : [`${name}: ${type}`, ...lines].join('\n');
}

function levelLines({ members, total }: Level, title: string): string[] {
  if (total === 0) return [];
  const shown = members.slice(0, maxLines).map((one) => `  ${memberText(one)}`);
  const left = total - shown.length;
  return [`${title}:`, ...shown, ...(left > 0 ? [`  … ${left} more`] : [])];
}

function memberText({ key, kind, text }: ShapeMember): string {
  if (kind === 'value') return `${key}: ${text}`;
  if (kind === 'class') return `${key}: class`;
  if (kind !== 'method') return `${kind === 'accessor' ? 'get/set' : kind.slice(0, 3)} ${key}`;
  const signature = signatureOf(text);
  return signature.includes(key) ? signature : `${key}: ${signature}`;
}

export function bounded(lines: readonly string[], most: number = maxLines): string[] {
  const left = lines.length - most;
  return left > 0 ? [...lines.slice(0, most), `… ${left} more`] : [...lines];
}

/** Those one or two slips away. */
export function near(name: string, known: readonly string[]): string {
  const wanted = name.slice(0, 100).toLowerCase();
  const most = wanted.length < 4 ? 1 : 2;
  const close = [...new Set(known)]
    .filter((one) => Math.abs(one.length - wanted.length) <= most && distance(one.toLowerCase(), wanted) <= most)
    .slice(0, 5);
  return close.length === 0 ? '. lookup(want: search) finds names by a part of them.' : `. Near: ${close.join(', ')}.`;
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
