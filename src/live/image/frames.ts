// What an image tells, taken for what it should be: code in it can speak for it, so whatever is missing or of another kind is made harmless.

import type { TestReport } from '../languages/test-runners.ts';
import type { Picture } from '../session/run.ts';
import type { Fault, Frame, Note, Pause, Restart, View } from './engine.ts';

type Told = Readonly<Record<string, unknown>>;

/** Longer than any text an image has reason to tell. */
const mostText = 200_000;
const mostItems = 1_000;
const mostPicture = 8_000_000;

export function asText(told: unknown, most: number = mostText): string {
  if (typeof told === 'string') return told.length > most ? `${told.slice(0, most)}…` : told;
  return typeof told === 'number' ? String(told) : '';
}

export function asCount(told: unknown): number {
  return isCount(told) ? told : 0;
}

export function asTexts(told: unknown): string[] {
  return asList(told).filter((one): one is string => typeof one === 'string' && one.length <= mostText);
}

export function asView(told: unknown): View {
  const { text, type, ref, cut, tests } = asFields(told);
  return {
    text: asText(text),
    type: asText(type),
    ...(isCount(ref) && { ref }),
    ...(cut === true && { cut }),
    ...(tests !== undefined && { tests: asReport(tests) }),
  };
}

export function asViews(told: unknown): View[] {
  return asList(told).map(asView);
}

export function asFault(told: unknown): Fault {
  const { type, message, kind, frames, causes, details, ref, restarts } = asFields(told);
  return {
    type: asText(type) || 'Error',
    message: asText(message),
    kind: kind === 'syntax' || kind === 'stack' || kind === 'thrown' ? kind : 'error',
    frames: asFrames(frames),
    ...(causes !== undefined && { causes: asTexts(causes) }),
    ...(typeof details === 'string' && { details: asText(details) }),
    ...(isCount(ref) && { ref }),
    ...(restarts !== undefined && { restarts: asRestarts(restarts) }),
  };
}

export function asPause(told: unknown): Pause {
  const { reason, frames, restarts } = asFields(told);
  return { reason: asText(reason), frames: asFrames(frames), ...(restarts !== undefined && { restarts: asRestarts(restarts) }) };
}

export function asNotes(told: unknown): Note[] {
  return asList(told).map((one) => {
    const { severity, message, file, line, column } = asFields(one);
    return {
      severity: severity === 'error' || severity === 'warning' || severity === 'style-warning' ? severity : 'note',
      message: asText(message),
      file: asText(file),
      line: asCount(line),
      column: asCount(column),
    };
  });
}

/** Undefined for what is no picture. */
export function asPicture(told: unknown): Picture | undefined {
  const { mimeType, data } = asFields(told);
  if (typeof mimeType !== 'string' || !/^image\/[\w.+-]{1,100}$/.test(mimeType)) return undefined;
  return typeof data === 'string' && data.length <= mostPicture && /^[A-Za-z0-9+/]*={0,2}$/.test(data) ? { mimeType, data } : undefined;
}

function asFrames(told: unknown): Frame[] {
  return asList(told).map((one) => {
    const { name, file, line, column, locals, own } = asFields(one);
    return {
      name: asText(name),
      file: asText(file),
      line: asCount(line),
      column: asCount(column),
      ...(locals !== undefined && { locals: asList(locals).map(asLocal) }),
      ...(typeof own === 'boolean' && { own }),
    };
  });
}

function asLocal(told: unknown): { readonly name: string; readonly text: string } {
  const { name, text } = asFields(told);
  return { name: asText(name), text: asText(text) };
}

function asRestarts(told: unknown): Restart[] {
  return asList(told).map((one) => {
    const { name, report, takesValue } = asFields(one);
    return { name: asText(name), report: asText(report), ...(takesValue === true && { takesValue }) };
  });
}

function asReport(told: unknown): TestReport {
  const { passed, failed, skipped, failures } = asFields(told);
  return {
    passed: asCount(passed),
    failed: asCount(failed),
    skipped: asCount(skipped),
    failures: asList(failures).map((one) => {
      const { name, message, place } = asFields(one);
      return { name: asText(name), message: asText(message), place: asText(place) };
    }),
  };
}

function asFields(told: unknown): Told {
  return typeof told === 'object' && told !== null ? (told as Told) : {};
}

function asList(told: unknown): readonly unknown[] {
  return Array.isArray(told) ? told.slice(0, mostItems) : [];
}

function isCount(told: unknown): told is number {
  return typeof told === 'number' && Number.isSafeInteger(told) && told >= 0;
}
