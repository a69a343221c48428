// --history: every run kept as a line of a file, and compared with those before it.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { type HistoryRecord, historyRecord, type Report, readHistory, trendsOf } from '../../../check/cli.ts';
import { type Arguments, CommandError, exitCodes } from '../../args/command.ts';
import { list } from '../../args/flag-values.ts';
import { readText } from '../../args/read-file.ts';
import { mustBeWritable } from '../../terminal/output.ts';

export interface HistoryUse {
  /** The reports, with their trends where a history is kept. */
  compare(reports: readonly Report[]): readonly Report[];
  /** Adds them to the file. */
  keep(): void;
}

/** Refused before anything is started: a file that is no history, or could not be written. */
export function historyUse(args: Arguments): HistoryUse {
  const file = args.values['history'];
  if (typeof file !== 'string') return { compare: (reports) => reports, keep: () => undefined };
  mustBeWritable(file);
  const before = recordsIn(file);
  let now: readonly HistoryRecord[] = [];
  return {
    compare(reports) {
      const at = new Date().toISOString();
      now = reports.map((report) => historyRecord(report, at, choiceOf(args)));
      return reports.map((report, index) => {
        const record = now[index];
        return record === undefined ? report : { ...report, trends: trendsOf(before, record) };
      });
    },
    keep() {
      // Terminate a last line without a newline before appending.
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
  if (!existsSync(file)) return [];
  const records = readHistory(readText(file, { mostMiB: 256, hint: 'Begin another' }));
  if ('problem' in records) throw new CommandError(exitCodes.usage, `${file} ${records.problem}`);
  return records;
}

/** The selection flags, undefined for none: runs with different selections are separate histories. */
function choiceOf({ values, lists }: Arguments): string | undefined {
  const chosen = ['only', 'skip', 'section'].flatMap((name) => {
    const given = [...new Set((lists[name] ?? []).flatMap(list))].sort();
    return given.length === 0 ? [] : [`${name} ${given.join(',')}`];
  });
  const { level = 'may' } = values;
  return level === 'may' && chosen.length === 0 ? undefined : [`level ${String(level)}`, ...chosen].join('; ');
}
