// What an image tells, as an outcome and in words.
import type { Fault, Note, Outcome, View } from './engine.ts';
import type { Frame } from './wire.ts';

export function outcomeOf(frame: Frame): Outcome {
  if (frame['memory'] !== undefined) return { status: 'memory', where: String(frame['memory']) };
  const notes = frame['notes'] === undefined ? {} : { notes: frame['notes'] as Note[] };
  if (frame['fault'] !== undefined) return { status: 'error', fault: frame['fault'] as Fault, ...notes };
  if (frame['interrupted'] === true)
    return { status: 'stopped', why: frame['why'] === 'timeout' ? 'timeout' : 'interrupted', goesOn: false };
  if (frame['refused'] !== undefined)
    return { status: 'error', fault: { type: 'Error', message: String(frame['refused']), kind: 'error', frames: [] } };
  if (frame['unshown'] === true) return { status: 'ok', value: { text: '(a value that cannot be shown)', type: 'unknown' } };
  const values = frame['values'] === undefined ? {} : { values: frame['values'] as View[] };
  const value = (frame['value'] as View | undefined) ?? { text: '', type: 'nothing' };
  return { status: 'ok', value, ...values, ...notes };
}

export function strayText(frame: Frame): string {
  const { what, where, fault } = frame as { what: string; where?: string; fault?: Fault };
  if (what === 'memory') return `[memory ran out in ${where}; it was stopped]`;
  if (what === 'interrupted') return `[interrupted: ${where}]`;
  const kind = what === 'unhandled' ? 'unhandled rejection' : 'uncaught error';
  const [top] = fault?.frames ?? [];
  const at = top === undefined ? '' : ` at ${top.name || '(top level)'} (${top.file}:${top.line})`;
  return `[${kind}] ${fault?.type}: ${fault?.message}${at}`;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
