// --history: every run kept as a line of a file, and compared with those before it.
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { type HistoryRecord, historyRecord, readHistory, trendsOf } from '../check/history.ts';
import type { CheckOptions } from '../check/options.ts';
import type { Report } from '../check/report.ts';
import { type Arguments, CommandError, exitCodes } from './command.ts';

export interface HistoryUse {
  /** The reports, with their trends where a history is kept. */
  compare(reports: readonly Report[]): readonly Report[];
  /** Adds them to the file. */
  keep(): void;
}

const largest = 256 * 1024 * 1024;

/** Refused before anything is started: a file that is no history. */
export function historyUse({ values }: Arguments, options: CheckOptions): HistoryUse {
  const file = values['history'];
  if (typeof file !== 'string') return { compare: (reports) => reports, keep: () => undefined };
  const before = recordsIn(file);
  let now: readonly HistoryRecord[] = [];
  return {
    compare(reports) {
      const at = new Date().toISOString();
      now = reports.map((report) => historyRecord(report, at, choiceOf(options)));
      return reports.map((report, index) => {
        const record = now[index];
        return record === undefined ? report : { ...report, trends: trendsOf(before, record) };
      });
    },
    keep() {
      // What an editor or an earlier run left unended stays a line of its own.
      const isEnded = before.length === 0 || readFileSync(file, 'utf8').endsWith('\n');
      try {
        appendFileSync(file, `${isEnded ? '' : '\n'}${now.map((record) => `${JSON.stringify(record)}\n`).join('')}`);
      } catch (cause) {
        throw new CommandError(exitCodes.usage, `The run is not kept: ${(cause as Error).message}`, { cause });
      }
    },
  };
}

function recordsIn(file: string): readonly HistoryRecord[] {
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? {};
  if (size === undefined) return [];
  if (size > largest) throw new CommandError(exitCodes.usage, `${file} is larger than 256 MiB; begin another`);
  const records = readHistory(textOf(file));
  if ('problem' in records) throw new CommandError(exitCodes.usage, `${file} ${records.problem}`);
  return records;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CommandError(exitCodes.usage, `${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** Undefined for everything: what was chosen otherwise is a history of its own. */
function choiceOf({ level = 'may', only, skip }: CheckOptions): string | undefined {
  if (level === 'may' && only === undefined && skip === undefined) return undefined;
  return JSON.stringify({ level, ...(only !== undefined && { only }), ...(skip !== undefined && { skip }) });
}
