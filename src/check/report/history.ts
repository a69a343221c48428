// Runs kept a line each in a file, and what has become better or worse since the last of them.

import { asRecord, isRecord } from '../model/value.ts';
import type { Change, Report, RevisionReport, State, Trend } from './report.ts';

/** One run of one target: only what a later one is compared with. */
export interface HistoryRecord {
  readonly version: 1;
  /** When, in ISO 8601. */
  readonly at: string;
  readonly target: string;
  readonly party: Report['party'];
  readonly server: Report['server'];
  /** What was chosen to be judged, where that was not everything: other choices are not compared. */
  readonly choice?: string;
  /** Why there was no run. */
  readonly problem?: string;
  readonly runs: readonly HistoryRun[];
  readonly durationMs: number;
}

interface HistoryRun {
  readonly revision: string;
  readonly transport: string;
  readonly score: number;
  readonly passed: number;
  /** Ids of what was broken, recommended and not met, and not verified. */
  readonly failed: readonly string[];
  readonly warned: readonly string[];
  readonly open: readonly string[];
}

const maxPoints = 20;

export function historyRecord(report: Report, at: string, choice?: string): HistoryRecord {
  const { target, party, server, problem, durationMs } = report;
  return {
    version: 1,
    at,
    target,
    party,
    server,
    ...(choice !== undefined && { choice }),
    ...(problem !== undefined && { problem: problem.kind }),
    runs: report.runs.map(runOf),
    durationMs,
  };
}

/** Says which line is none: a file that holds something else is not written to. */
export function readHistory(text: string): readonly HistoryRecord[] | { readonly problem: string } {
  const records: HistoryRecord[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const record = recordIn(line);
    if (record === undefined) return { problem: `has a line ${index + 1} that is no record of a run` };
    records.push(record);
  }
  return records;
}

/** Of each revision of the report, with those of the records that are about the same thing; none where nothing was reached. */
export function trendsOf(records: readonly HistoryRecord[], now: HistoryRecord): readonly Trend[] {
  const own = records.filter(({ target, party, choice }) => target === now.target && party === now.party && choice === now.choice);
  return now.runs.map((run) => {
    const before = own.flatMap(({ at, runs }) =>
      runs.filter(({ revision, transport }) => revision === run.revision && transport === run.transport).map((one) => ({ at, run: one })),
    );
    const last = before.at(-1);
    const changes = last === undefined ? [] : changesBetween(last.run, run);
    return {
      revision: run.revision,
      transport: run.transport,
      ...(last !== undefined && { since: last.at }),
      better: changes.filter(({ was, is }) => weight[is] < weight[was]),
      worse: changes.filter(({ was, is }) => weight[is] > weight[was]),
      points: [...before, { at: now.at, run }]
        .slice(-maxPoints)
        .map(({ at, run: { score, failed, warned } }) => ({ at, score, failed: failed.length, warned: warned.length })),
    };
  });
}

const weight: Readonly<Record<State, number>> = { fine: 0, open: 1, warned: 2, failed: 3 };

function changesBetween(was: HistoryRun, is: HistoryRun): readonly Change[] {
  const [before, after] = [statesOf(was), statesOf(is)];
  return [...new Set([...after.keys(), ...before.keys()])]
    .map((id) => ({ id, was: before.get(id) ?? 'fine', is: after.get(id) ?? 'fine' }))
    .sort((one, other) => weight[other.is] - weight[one.is] || weight[other.was] - weight[one.was]);
}

function statesOf({ failed, warned, open }: HistoryRun): ReadonlyMap<string, State> {
  const all = (ids: readonly string[], state: State) => ids.map((id): [string, State] => [id, state]);
  return new Map([...all(open, 'open'), ...all(warned, 'warned'), ...all(failed, 'failed')]);
}

function runOf({ revision, transport, score, tally, outcomes }: RevisionReport): HistoryRun {
  const of = (wanted: string) => outcomes.filter(({ verdict }) => verdict === wanted).map(({ id }) => id);
  return { revision, transport, score, passed: tally.passed, failed: of('failed'), warned: of('warned'), open: of('not-verified') };
}

function recordIn(line: string): HistoryRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const { version, at, target, party, runs } = asRecord(value);
  const isRecord = version === 1 && typeof at === 'string' && typeof target === 'string' && (party === 'server' || party === 'client');
  return isRecord && Array.isArray(runs) && runs.every(isRun) ? (value as HistoryRecord) : undefined;
}

function isRun(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { revision, transport, score, failed, warned, open } = value;
  const isIds = (list: unknown) => Array.isArray(list) && list.every((id) => typeof id === 'string');
  return typeof revision === 'string' && typeof transport === 'string' && typeof score === 'number' && [failed, warned, open].every(isIds);
}
