// The audit of evaluations: a record before code may run, which refuses it where it cannot be written, and one of how it ended.
import { createHash, randomUUID } from 'node:crypto';
import type { Launch, Outcome } from '../image/engine.ts';
import { ImageEnded } from '../image/image.ts';
import { type OperationName, operations } from '../image/operations.ts';
import { inBrief, messageOf } from '../image/outcome.ts';
import { isBound } from './audit-file.ts';
import type { AuditOutcome, AuditSink } from './audit-record.ts';
import { currentCaller } from './caller.ts';

export interface Ending {
  readonly outcome: AuditOutcome;
  readonly line: string;
}

/** Where it happens; a `Session` is one. */
interface Place {
  readonly handle?: string;
  readonly generation?: number;
  readonly engine: { readonly language: string };
  /** Told when the end could not be recorded. */
  readonly remarks?: { add(text: string): void };
}

const maxText = 65_536;
const maxLine = 500;

export class Audit {
  readonly #sink: AuditSink | undefined;
  readonly #file: string | undefined;
  readonly #report: (error: unknown) => void;

  /** Without a sink nothing is recorded. `file`: where it writes, which code in a sandbox must not see. `report`: to the operator. */
  constructor(sink?: AuditSink, { file, report = () => undefined }: { file?: string; report?: (error: unknown) => void } = {}) {
    this.#sink = sink;
    this.#file = file;
    this.#report = report;
  }

  /** The same, unless code in this sandbox could read or change the log. */
  outOfReach(launch: Launch): Launch {
    if (this.#file === undefined || !isBound(this.#file, launch.handed?.split('\0') ?? [])) return launch;
    throw new Error('The audit log is in a folder that code in the sandbox sees. Keep it elsewhere: --audit <file>');
  }

  /** Throws, in words for the caller, where there is no record of it: then it must not run. */
  begin(place: Place, operation: string, text: string, language: string = place.engine.language): (ending: Ending) => void {
    const sink = this.#sink;
    if (sink === undefined) return () => undefined;
    const { handle: session, generation } = place;
    const id = randomUUID();
    const more = Math.max(0, Math.ceil(text.length / maxText) - 1);
    const began = performance.now();
    try {
      sink({
        event: 'start',
        id,
        time: new Date().toISOString(),
        ...currentCaller(),
        ...(session !== undefined && { session }),
        ...(generation !== undefined && { generation }),
        language,
        operation,
        sha256: createHash('sha256').update(text).digest('hex'),
        text: text.slice(0, maxText),
        ...(more > 0 && { more }),
      });
      for (let part = 1; part <= more; part++) sink({ event: 'text', id, part, text: text.slice(part * maxText, (part + 1) * maxText) });
    } catch (error) {
      this.#report(error);
      throw new Error(`Refused, because the audit log cannot be written (${reasonOf(error)}). Nothing was run.`, { cause: error });
    }
    return ({ outcome, line }) => {
      const ms = Math.round(performance.now() - began);
      try {
        sink({ event: 'end', id, time: new Date().toISOString(), ms, outcome, line: firstLine(line) });
      } catch (error) {
        this.#report(error);
        place.remarks?.add(`The audit log has no record of how the last evaluation ended (${reasonOf(error)}).`);
      }
    };
  }

  /** Records it around `work`; `endingOf` reads the end from what it gave. */
  async watch<T>(place: Place, operation: string, text: string, work: () => Promise<T>, endingOf: (given: T) => Ending): Promise<T> {
    const end = this.begin(place, operation, text);
    try {
      const given = await work();
      end(endingOf(given));
      return given;
    } catch (error) {
      end({ outcome: error instanceof ImageEnded ? 'lost' : 'error', line: messageOf(error) });
      throw error;
    }
  }

  /** A request to an image that is no evaluation. */
  async asking<T extends object>(place: Place, operation: OperationName, fields: object, work: () => Promise<T>): Promise<T> {
    if (this.#sink === undefined || operations[operation].quiet === true) return work();
    return this.watch(place, operation, JSON.stringify(fields), work, answerEnding);
  }
}

export function outcomeEnding(outcome: Outcome): Ending {
  switch (outcome.status) {
    case 'ok':
    case 'error':
      return { outcome: outcome.status, line: inBrief(outcome) };
    case 'memory':
      return { outcome: 'error', line: `memory ran out in ${outcome.where}` };
    case 'lost':
      return { outcome: 'lost', line: outcome.reason };
    case 'stopped':
      return { outcome: 'interrupted', line: outcome.goesOn ? `${outcome.why}; what it started goes on` : outcome.why };
  }
}

/** Images answer requests in their own shapes; what failed in all of them is one of these. */
function answerEnding(answer: object): Ending {
  const { failed, fault, thrown, text, value, view } = answer as Readonly<Record<string, unknown>>;
  const problem = value === undefined ? (thrown ?? fault) : undefined;
  const line = wordsOf(problem) ?? wordsOf(text) ?? wordsOf(value ?? view) ?? '';
  return { outcome: failed === true || problem !== undefined ? 'error' : 'ok', line };
}

function wordsOf(part: unknown): string | undefined {
  if (typeof part === 'string') return part;
  const { message, text } = (part ?? {}) as { readonly message?: unknown; readonly text?: unknown };
  return [message, text].find((one) => typeof one === 'string') as string | undefined;
}

function firstLine(text: string): string {
  return (/^[^\n\r]*/.exec(text.trimStart())?.[0] ?? '').slice(0, maxLine);
}

/** The code of the system alone: its message names the file, which is no business of a caller. */
function reasonOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? messageOf(error);
}
