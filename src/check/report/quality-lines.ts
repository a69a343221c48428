// Advice and changes of the surface, as lines for a person at a terminal.

import type { Advice } from '../advice/advice.ts';
import type { Quality } from '../advice/advise.ts';
import type { SurfaceChange } from '../advice/lock.ts';
import { visible } from '../model/evidence.ts';

export type Paint = (style: 'red' | 'green' | 'yellow' | 'dim' | 'bold', text: string) => string;

const shown = 5;

export function qualityLines({ bill, advice, changes }: Quality, paint: Paint, verbose: boolean): string[] {
  const lines = changes === undefined ? [] : changeLines(changes, paint);
  if (bill.tools.length > 0) {
    const [dearest] = bill.tools;
    const most = bill.tools.length > 1 ? `; the dearest: ${visible(dearest?.name ?? '')}, about ${dearest?.tokens}` : '';
    lines.push('', paint('dim', `tools: ${bill.tools.length}, for a model about ${bill.tokens} tokens${most}`));
  }
  if (advice.length > 0) lines.push('', paint('yellow', `ADVICE  ${advice.length}`) + paint('dim', '  (no part of the verdict)'));
  for (const [id, group] of grouped(advice)) lines.push(...groupLines(id, group, paint, verbose));
  return lines;
}

function changeLines(changes: readonly SurfaceChange[], paint: Paint): string[] {
  if (changes.length === 0) return ['', paint('green', 'SURFACE  as it was locked')];
  const breaking = changes.filter((change) => change.breaking).length;
  const heading = `SURFACE CHANGED  ${changes.length}${breaking > 0 ? `, ${breaking} of them breaking` : ''}`;
  return [
    '',
    paint(breaking > 0 ? 'red' : 'yellow', heading),
    ...changes.map(({ kind, about, path, message, breaking: breaks }) => {
      const line = `  ${breaks ? '✗' : '·'} ${kind}  ${visible(about)}${path === '' ? '' : `  ${visible(path)}`}  ${visible(message)}`;
      return breaks ? paint('red', line) : line;
    }),
  ];
}

/** What many tools share is said once, with the first of them. */
function groupLines(id: string, group: readonly Advice[], paint: Paint, verbose: boolean): string[] {
  const some = verbose ? group : group.slice(0, shown);
  const rest = group.length - some.length;
  return [
    `  ${paint('bold', id)}${group.length > 1 ? `  ${group.length}` : ''}`,
    ...some.map(({ about, path, message, vendors }) => {
      const where = path === undefined ? '' : paint('dim', `  ${visible(path)}`);
      return `      ${visible(about)} ${visible(message)}${vendors === undefined ? '' : ` (${vendors.join(', ')})`}${where}`;
    }),
    ...(rest > 0 ? [paint('dim', `      and ${rest} more (--verbose)`)] : []),
  ];
}

function grouped(advice: readonly Advice[]): ReadonlyMap<string, readonly Advice[]> {
  const groups = new Map<string, Advice[]>();
  for (const one of advice) groups.set(one.id, [...(groups.get(one.id) ?? []), one]);
  return groups;
}
