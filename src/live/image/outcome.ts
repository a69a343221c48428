// What an image tells, as an outcome and in words.
import type { Outcome } from './engine.ts';
import { asFault, asNotes, asText, asView, asViews } from './frames.ts';
import type { WireFrame } from './wire.ts';

export function outcomeOf(frame: WireFrame): Outcome {
  if (frame['memory'] !== undefined) return { status: 'memory', where: asText(frame['memory']) };
  const notes = frame['notes'] === undefined ? {} : { notes: asNotes(frame['notes']) };
  if (frame['fault'] !== undefined) return { status: 'error', fault: asFault(frame['fault']), ...notes };
  if (frame['interrupted'] === true)
    return { status: 'stopped', why: frame['why'] === 'timeout' ? 'timeout' : 'interrupted', goesOn: false };
  if (frame['refused'] !== undefined)
    return { status: 'error', fault: { type: 'Error', message: asText(frame['refused']), kind: 'error', frames: [] } };
  if (frame['unshown'] === true) return { status: 'ok', value: { text: '(a value that cannot be shown)', type: 'unknown' } };
  const values = frame['values'] === undefined ? {} : { values: asViews(frame['values']) };
  const value = frame['value'] === undefined ? { text: '', type: 'nothing' } : asView(frame['value']);
  return { status: 'ok', value, ...values, ...notes };
}

/** On one line of a list. */
export function inBrief(outcome: Outcome): string {
  if (outcome.status === 'ok') return (outcome.values ?? [outcome.value]).map(({ text }) => text).join(' ; ');
  return outcome.status === 'error' ? `${outcome.fault.type}: ${outcome.fault.message}` : outcome.status;
}

export function strayText({ what, where, fault: told }: WireFrame): string {
  if (what === 'memory') return `[memory ran out in ${asText(where)}; it was stopped]`;
  if (what === 'interrupted') return `[interrupted: ${asText(where)}]`;
  const kind = what === 'unhandled' ? 'unhandled rejection' : 'uncaught error';
  const { type, message, frames } = asFault(told);
  const [top] = frames;
  const at = top === undefined ? '' : ` at ${top.name || '(top level)'} (${top.file}:${top.line})`;
  return `[${kind}] ${type}: ${message}${at}`;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
