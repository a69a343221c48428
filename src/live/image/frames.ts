// Decoders of what an image sends. Code in it can forge anything: what is missing or of another type becomes something harmless.

import type { Fault, Frame, Members, Note, Pause, Picture, Restart, View } from './engine.ts';
import type { TestReport } from './test-runner.ts';
import type { WireFrame } from './wire.ts';

/** Longer than any text an image has reason to tell. */
const maxText = 200_000;
const maxItems = 1_000;
const maxPicture = 8_000_000;

export function asText(told: unknown, most: number = maxText): string {
  if (typeof told === 'string') return told.length > most ? `${told.slice(0, most)}…` : told;
  return typeof told === 'number' ? String(told) : '';
}

export function asCount(told: unknown): number {
  return isCount(told) ? told : 0;
}

/** Zero for what is no number, or below zero. */
export function asNumber(told: unknown): number {
  return typeof told === 'number' && Number.isFinite(told) && told > 0 ? told : 0;
}

export function asTexts(told: unknown, most: number = maxItems): string[] {
  return items(told, most).filter((one): one is string => typeof one === 'string' && one.length <= maxText);
}

/** Each entry by its fields, which may all be missing. */
export function asList<Entry>(told: unknown, asEntry: (fields: WireFrame) => Entry): Entry[] {
  return items(told).map((one) => asEntry(asFields(one)));
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
  return asList(told, asView);
}

export function asMembers(told: unknown): Members {
  const { members, offset, total, proto } = asFields(told);
  return {
    ...asView(told),
    members: asList(members, ({ key, text, ref }) => ({ key: asText(key), text: asText(text), ...(isCount(ref) && { ref }) })),
    offset: asCount(offset),
    total: asCount(total),
    ...(typeof proto === 'string' && { proto: asText(proto) }),
  };
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
  return asList(told, ({ severity, message, file, line, column }) => ({
    severity: severity === 'error' || severity === 'warning' || severity === 'style-warning' ? severity : 'note',
    message: asText(message),
    file: asText(file),
    line: asCount(line),
    column: asCount(column),
  }));
}

/** Undefined for what is no picture. */
export function asPicture(told: unknown): Picture | undefined {
  const { mimeType, data } = asFields(told);
  if (typeof mimeType !== 'string' || !/^image\/[\w.+-]{1,100}$/.test(mimeType)) return undefined;
  return typeof data === 'string' && data.length <= maxPicture && /^[A-Za-z0-9+/]*={0,2}$/.test(data) ? { mimeType, data } : undefined;
}

function asFrames(told: unknown): Frame[] {
  return asList(told, ({ name, file, line, column, locals, own }) => ({
    name: asText(name),
    file: asText(file),
    line: asCount(line),
    column: asCount(column),
    ...(locals !== undefined && { locals: asList(locals, (one) => ({ name: asText(one['name']), text: asText(one['text']) })) }),
    ...(typeof own === 'boolean' && { own }),
  }));
}

function asRestarts(told: unknown): Restart[] {
  return asList(told, ({ name, report, takesValue }) => ({
    name: asText(name),
    report: asText(report),
    ...(takesValue === true && { takesValue }),
  }));
}

function asReport(told: unknown): TestReport {
  const { passed, failed, skipped, failures } = asFields(told);
  return {
    passed: asCount(passed),
    failed: asCount(failed),
    skipped: asCount(skipped),
    failures: asList(failures, ({ name, message, place }) => ({ name: asText(name), message: asText(message), place: asText(place) })),
  };
}

function asFields(told: unknown): WireFrame {
  return typeof told === 'object' && told !== null ? (told as WireFrame) : {};
}

function items(told: unknown, most: number = maxItems): readonly unknown[] {
  return Array.isArray(told) ? told.slice(0, most) : [];
}

function isCount(told: unknown): told is number {
  return typeof told === 'number' && Number.isSafeInteger(told) && told >= 0;
}
