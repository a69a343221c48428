// Reports for a model: the first line says what happened, then comes the output, then what to do next.
import { randomBytes } from 'node:crypto';
import type { Fault, Frame, Members, Note, Outcome, Pause, Restart, View } from '../image/engine.ts';
import type { Run } from '../session/run.ts';
import type { Session } from '../session/session.ts';

export interface Report {
  readonly text: string;
  readonly status: string;
  readonly failed: boolean;
  readonly truncated: boolean;
  readonly refs: readonly number[];
}

/** Advice below an error, for callers of tools. */
export const pauseAdvice = 'evaluate with on_error: "pause" stops there with the locals';

const maxFrames = 12;
const maxNotes = 20;

/**
 * Of an evaluation, finished or not, for one listener. Consumes the output, so that nothing is reported twice. `later`: who asks did
 * not say which evaluation they mean.
 */
export function reportRun(session: Session, run: Run, listener: string, later = false): Report {
  const lines: string[] = [];
  const { unfinished } = session.terms;
  let truncated = false;
  const losses = session.losses.take(listener);
  const { outcome, pause } = run;
  run.shown = outcome !== undefined;
  // The last loss is the outcome of this cell, and is the head of the report.
  for (const one of outcome?.status === 'lost' ? losses.slice(0, -1) : losses) lines.push(`[STATE LOST] ${one}`);
  lines.push(...notesFor(session, listener));
  const background = session.background.take(unfinished, true);
  if (background.text !== '') lines.push(fence('background output since the last answer', background.text));
  const head =
    outcome !== undefined
      ? headOf(outcome, run, session, losses)
      : pause !== undefined
        ? pauseText(pause, session)
        : runningText(run, session);
  const printed = run.printed.take(unfinished, outcome === undefined);
  truncated = printed.cut > 0 || background.cut > 0;
  lines.unshift(head.line);
  if (printed.text !== '') lines.push(fence('output', printed.text));
  lines.push(...head.more);
  const { running } = session;
  const other = running === undefined || running === run ? '' : `; cell ${running.cell} still runs`;
  if (outcome !== undefined && (later || other !== '')) lines.push(`(This was cell ${run.cell}${other}.)`);
  const values = outcome?.status === 'ok' ? (outcome.values ?? [outcome.value]) : [];
  const refs = values.flatMap(({ ref }) => (ref === undefined ? [] : [ref]));
  truncated ||= values.some(({ cut }) => cut === true);
  return { text: lines.join('\n'), status: head.status, failed: head.failed, truncated, refs };
}

/** Notices that this listener has not got yet. */
export function notesFor(session: Session, listener: string): string[] {
  return session.remarks.take(listener).map((one) => `[NOTE] ${indented(one)}`);
}

interface Head {
  readonly status: string;
  readonly line: string;
  readonly more: readonly string[];
  readonly failed: boolean;
}

function headOf(outcome: Outcome, run: Run, session: Session, losses: readonly string[]): Head {
  switch (outcome.status) {
    case 'ok':
      return { status: 'ok', ...valueLines(outcome.values ?? [outcome.value], notesText(outcome.notes, session)), failed: false };
    case 'error':
      return {
        status: 'error',
        line: `[ERROR] ${faultLine(outcome.fault)}`,
        more: [...notesText(outcome.notes, session), ...faultMore(outcome.fault, session)],
        failed: true,
      };
    case 'memory':
      return {
        status: 'memory',
        line: `[OUT OF MEMORY] stopped in ${shortPlace(outcome.where, session)}`,
        more: ['The session and its values were kept. Free what is large, or open a session with more memory.'],
        failed: true,
      };
    case 'stopped': {
      const why = { timeout: `after ${seconds(run.timeoutMs)} (timeout_ms)`, cancelled: 'by cancellation', interrupted: 'on request' }[
        outcome.why
      ];
      const kept =
        outcome.note !== undefined
          ? `It goes on: ${outcome.note}.`
          : outcome.goesOn
            ? 'It was waiting for something, which goes on in the background; the session and its values were kept.'
            : 'The session and its values were kept.';
      return { status: 'interrupted', line: `[INTERRUPTED] ${why}`, more: [kept], failed: true };
    }
    case 'lost':
      return {
        status: 'lost',
        line: `[STATE LOST] ${losses.at(-1) ?? `generation ${session.generation}: ${outcome.reason}`}`,
        more:
          session.state === 'closed'
            ? ['The session is closed.']
            : ['The session goes on empty. Define what you need again, or sessions(action: restore) replays what was saved.'],
        failed: true,
      };
  }
}

function runningText(run: Run, session: Session): Head {
  if (run.began === undefined && session.running !== run)
    return {
      status: 'queued',
      line: `[QUEUED] behind another evaluation in ${session.handle} (cell ${run.cell})`,
      more: ['Call evaluate without code to wait on.'],
      failed: false,
    };
  const line = `[RUNNING] ${seconds(performance.now() - (run.began ?? run.asked))} (cell ${run.cell})`;
  return {
    status: 'running',
    line,
    more: ['Call evaluate without code to wait on, or sessions(action: interrupt) to stop it.'],
    failed: false,
  };
}

export function pauseText({ reason, frames, restarts = [] }: Pause, session: Session): Head {
  // Numbered as `frame` takes them.
  const shown = [...frames.entries()]
    .filter(([, one]) => isUsers(one))
    .slice(0, maxFrames)
    .flatMap(([at, one]) => {
      const locals = one.locals?.map(({ name, text }) => `      ${name} = ${oneLine(text)}`) ?? [];
      return [`  ${at}: ${place(one, session)}`, ...locals];
    });
  const ways =
    restarts.length > 0
      ? [
          ...restartLines(restarts),
          'debug(action: restart, restart: n) goes on there, with value: "…" where it takes one; eval (frame, code) looks around; abort ends it.',
        ]
      : session.engine.features.restarts
        ? ['debug(action: eval, frame, code) looks around; abort ends it.']
        : ['debug(action: eval, frame, code) looks around; step, resume and abort go on.'];
  const more = [...shown, ...ways];
  return { status: 'paused', line: `[PAUSED] ${oneLine(reason)}`, more, failed: false };
}

/** Which actions of debug are possible. */
export function pausedText({ reason, restarts = [] }: Pause, { handle, engine: { features } }: Session): string {
  const ways = restarts.length > 0 ? 'eval, restart or abort' : features.restarts ? 'eval or abort' : 'eval, step, resume or abort';
  return `${handle} is paused at ${oneLine(reason)}: debug(action: ${ways}) first`;
}

export function valueText({ text, ref, cut }: View): string {
  const more = cut === true && ref !== undefined ? `  (more: inspect(target: "#${ref}"))` : '';
  return `=> ${indented(text)}${ref === undefined ? '' : `   #${ref}`}${more}`;
}

/** Multiple values are on a line each. */
function valueLines(values: readonly View[], more: readonly string[]): { readonly line: string; readonly more: readonly string[] } {
  return { line: values.length === 0 ? '=> (no values)' : values.map(valueText).join('\n'), more };
}

function notesText(notes: readonly Note[] = [], session: Session): string[] {
  const lines = notes.slice(0, maxNotes).map(({ severity, message, file, line, column }) => {
    const at = file === '' ? '' : ` (${shortFile(file, session)}:${line}:${column})`;
    return `[${severity.toUpperCase()}] ${indented(message.slice(0, 1_000))}${at}`;
  });
  return notes.length > maxNotes ? [...lines, `… ${notes.length - maxNotes} more`] : lines;
}

function restartLines(restarts: readonly Restart[]): string[] {
  return [
    '[Restarts]',
    ...restarts.map(
      ({ name, report, takesValue }, at) => `  ${at}: ${oneLine(name)}  ${oneLine(report)}${takesValue ? '  (takes a value)' : ''}`,
    ),
  ];
}

export function membersText({ text, type, ref, members, offset, total, proto }: Members): string {
  const lines = [`${ref === undefined ? '' : `#${ref} `}${oneLine(proto ?? type)}: ${indented(text)}`];
  for (const { key, text: inner, ref: own } of members)
    lines.push(`  ${oneLine(key)}: ${oneLine(inner)}${own === undefined ? '' : `   #${own}`}`);
  const left = total - offset - members.length;
  if (left > 0) lines.push(`  … ${left} more: offset ${offset + members.length}`);
  return lines.join('\n');
}

function faultLine({ type, message, kind }: Fault): string {
  return kind === 'thrown' ? `thrown: ${indented(message)}` : `${oneLine(type)}: ${indented(message)}`;
}

function faultMore({ frames, causes = [], details, kind, restarts = [] }: Fault, session: Session): string[] {
  const own = frames.filter(isUsers);
  const folded = frames.length - own.length;
  const lines = own.slice(0, maxFrames).map((one, at) => `  ${at}: ${place(one, session)}`);
  if (own.length > maxFrames) lines.push(`  … ${own.length - maxFrames} more`);
  if (folded > 0 && own.length > 0) lines.push(`  (${folded} frame${folded === 1 ? '' : 's'} of the runtime left out)`);
  return [
    ...(details === undefined ? [] : [`  ${oneLine(details)}`]),
    ...causes.map((cause) => `  caused by ${oneLine(cause)}`),
    ...(lines.length === 0 ? [] : ['[Backtrace]', ...lines]),
    ...(restarts.length === 0 ? [] : restartLines(restarts)),
    ...(kind === 'syntax' || own.length + restarts.length === 0
      ? []
      : [`${pauseAdvice}${restarts.length === 0 ? '' : ' and lets you choose a restart'}.`]),
  ];
}

function isUsers({ file, own }: Frame): boolean {
  if (own !== undefined) return own;
  return file !== '' && !file.startsWith('node:') && !file.includes('vivarium:');
}

function place({ name, file, line, column }: Frame, session: Session): string {
  const at = file === '' ? '' : ` (${shortFile(file, session)}:${line}:${column})`;
  return `${oneLine(name) || '(top level)'}${at}`;
}

function shortPlace(text: string, session: Session): string {
  return text.replace(/(?:file:\/\/)?[^\s:)]+[:)]?/g, (run) => {
    const from = run.startsWith('file://') ? 0 : run.indexOf('/');
    return from < 0 || !/[:)]$/.test(run) ? run : run.slice(0, from) + shortFile(run.slice(from, -1), session) + run.slice(-1);
  });
}

function shortFile(file: string, { terms: { cwd } }: Session): string {
  // Re-imported files have a version in their URL.
  const name = file.replace(/\?v=\d+$/, '');
  const path = name.startsWith('file://') ? decodeURIComponent(name.slice('file://'.length)) : name;
  return path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}

/** Output is fenced with random markers, so that it cannot pose as our text. */
function fence(what: string, text: string): string {
  const mark = randomBytes(3).toString('hex');
  return `--- ${what} ${mark}\n${text.replace(/\n$/, '')}\n--- end ${mark}`;
}

/** So that no line of it can pose as ours. */
function indented(text: string): string {
  return text.replaceAll('\n', '\n  ');
}

function oneLine(text: string): string {
  return text
    .slice(0, 1_000)
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .slice(0, 300);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
