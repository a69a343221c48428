// Lines on a pipe: every byte on standard output belongs to a message, and every message is one line.
import { isForeign } from '../../model/ledger.ts';
import type { Rule, Seen } from '../../model/rule.ts';
import { decodeUtf8, type Message, outlivesInput, parseJson } from '../../model/trace.ts';
import { isRecord } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';

export const framing: Rule = {
  judges: ['stdio/no-embedded-newline', 'stdio/stdout-clean', 'stdio/stderr', 'stdio/exit-on-eof', 'jsonrpc/utf-8'],
  apply({ conversation, ledger }, judge) {
    if (conversation.transport !== 'stdio') return;
    const received = conversation.messages.filter(({ direction }) => direction === 'received');
    if (received.length === 0) return;
    if (conversation.stderr !== '') judge.kept('stdio/stderr');
    const broken = ledger.noise.filter(({ text }) => text === undefined);
    for (const message of broken) judge.broken('jsonrpc/utf-8', 'a line on standard output is not UTF-8', [message]);
    if (broken.length === 0) judge.kept('jsonrpc/utf-8');
    const parts = brokenMessages(ledger.noise);
    for (const part of parts) judge.broken('stdio/no-embedded-newline', `one message on ${part.length} lines`, part);
    if (parts.length === 0) judge.kept('stdio/no-embedded-newline');
    const inParts = new Set(parts.flat());
    const noise = ledger.noise.filter((message) => !inParts.has(message) && message.text !== undefined);
    const foreign = [...noise, ...ledger.foreign].sort((one, other) => one.at - other.at);
    if (foreign.length > 0) judge.broken('stdio/stdout-clean', pollution(foreign), foreign.slice(0, 3));
    unfinished({ conversation }, judge, foreign.length === 0);
    ending({ conversation }, judge);
  },
};

function unfinished({ conversation }: Pick<Seen, 'conversation'>, judge: Judge, isClean: boolean): void {
  const rest = conversation.happenings.find(({ what }) => what === 'unfinished-line');
  if (rest !== undefined && !isCutOff(rest.detail, conversation) && isForeignText(rest.detail)) {
    const shown = rest.detail.slice(0, 400);
    judge.broken('stdio/stdout-clean', `the last bytes on standard output are no message: ${shown.slice(0, 120)}`, [shown]);
  } else if (isClean) judge.kept('stdio/stdout-clean');
}

/** A message that was begun when the process was killed, or told to end: how much of it came is a matter of time. */
function isCutOff(text: string, { happenings }: Seen['conversation']): boolean {
  const isEnded = happenings.some(
    ({ what, signal }) => what === 'signal' || what === 'end-of-input' || (what === 'exit' && signal !== undefined),
  );
  return isEnded && /^\s*[{[]/.test(text) && parseJson(text) === undefined;
}

function isForeignText(text: string): boolean {
  const value = parseJson(text);
  return value === undefined || isForeign({ value });
}

/** Nobody had to tell it twice. */
function ending({ conversation }: Pick<Seen, 'conversation'>, judge: Judge): void {
  const stays = outlivesInput(conversation);
  if (stays === undefined) return;
  judge.verdict('stdio/exit-on-eof', !stays, 'the server runs on after the end of its input, until it gets a signal');
}

function pollution(foreign: readonly Message[]): string {
  const [first] = foreign;
  const text = JSON.stringify(first?.text ?? '').slice(0, 100);
  return `${foreign.length} line${foreign.length === 1 ? '' : 's'} on standard output that are no message; the first after ${Math.round(first?.at ?? 0)} ms: ${text} (print to standard error instead)`;
}

/** Neighbouring lines that make one JSON value together, among the first: every line is tried with up to 200 behind it. */
function brokenMessages(all: readonly Message[]): Message[][] {
  const noise = all.slice(0, 500);
  const found: Message[][] = [];
  for (let from = 0; from < noise.length; from += 1) {
    if (!/^\s*[{[]/.test(noise[from]?.text ?? '')) continue;
    for (let to = from + 2; to <= Math.min(noise.length, from + 200); to += 1) {
      const lines = noise.slice(from, to);
      const value = parseJson(decodeUtf8(Buffer.concat(lines.flatMap(({ bytes }) => [bytes, Buffer.from('\n')]))) ?? '');
      // A newline inside of a string is no JSON either, so it is also tried as the escape it should have been.
      const other = value ?? parseJson(lines.map(({ text }) => text).join('\\n'));
      if (!isRecord(other)) continue;
      found.push(lines);
      from = to - 1;
      break;
    }
  }
  return found;
}
