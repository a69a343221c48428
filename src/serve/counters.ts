// What an endpoint counts, as an object and as text for Prometheus.
import { type LimitName, limitNames } from './limits/limits.ts';

export interface HttpStats {
  readonly requests: number;
  /** By HTTP status. */
  readonly answers: Readonly<Record<string, number>>;
  /** Calls that run now. */
  readonly running: number;
  readonly sessions: number;
  readonly sessionsOpened: number;
  readonly sessionsEnded: number;
  readonly streams: number;
  readonly streamsOpened: number;
  readonly streamsResumed: number;
  readonly events: number;
  /** What was refused because of a limit, by the name of the limit; `unread` counts answers that were not kept any longer. */
  readonly refused: Readonly<Record<LimitName, number>>;
  /** Bytes that callers hold now: requests, sessions, answers nobody has taken. */
  readonly heldBytes: number;
  /** Readers that took nothing for too long. */
  readonly cutOff: number;
  /** Progress that was not sent because the reader did not keep up. */
  readonly skipped: number;
  /** Answers whose client had gone and could not come back for them. */
  readonly lost: number;
}

export class Counters {
  requests = 0;
  readonly answers: Map<number, number> = new Map();
  readonly refused: Record<LimitName, number> = Object.fromEntries(limitNames.map((name) => [name, 0])) as Record<LimitName, number>;
  sessionsOpened = 0;
  sessionsEnded = 0;
  streamsOpened = 0;
  streamsResumed = 0;
  events = 0;
  cutOff = 0;
  skipped = 0;
  lost = 0;

  refuse(limit: LimitName): void {
    this.refused[limit]++;
  }

  answered(status: number): void {
    this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
  }
}

const metrics: readonly (readonly [key: keyof HttpStats, name: string, type: 'counter' | 'gauge', help: string])[] = [
  ['requests', 'requests_total', 'counter', 'HTTP requests received'],
  ['running', 'calls_running', 'gauge', 'Calls that run now'],
  ['sessions', 'sessions', 'gauge', 'Sessions that are open'],
  ['sessionsOpened', 'sessions_opened_total', 'counter', 'Sessions opened'],
  ['sessionsEnded', 'sessions_ended_total', 'counter', 'Sessions ended by their client'],
  ['streams', 'streams', 'gauge', 'Event streams that are open'],
  ['streamsOpened', 'streams_opened_total', 'counter', 'Event streams opened'],
  ['streamsResumed', 'streams_resumed_total', 'counter', 'Event streams resumed after a cut'],
  ['heldBytes', 'held_bytes', 'gauge', 'Bytes that callers hold now'],
  ['events', 'events_total', 'counter', 'Events sent'],
  ['cutOff', 'readers_cut_off_total', 'counter', 'Readers cut off because they took nothing'],
  ['skipped', 'progress_skipped_total', 'counter', 'Progress not sent because the reader did not keep up'],
  ['lost', 'answers_lost_total', 'counter', 'Answers whose client had gone'],
];

/** The text format of Prometheus. */
export function toPrometheus(stats: HttpStats, prefix = 'vivarium_http_'): string {
  const lines = metrics.flatMap(([key, name, type, help]) => [
    `# HELP ${prefix}${name} ${help}`,
    `# TYPE ${prefix}${name} ${type}`,
    `${prefix}${name} ${stats[key]}`,
  ]);
  lines.push(`# HELP ${prefix}answers_total HTTP answers by status`, `# TYPE ${prefix}answers_total counter`);
  for (const [status, count] of Object.entries(stats.answers)) lines.push(`${prefix}answers_total{status="${status}"} ${count}`);
  lines.push(`# HELP ${prefix}refused_total Refusals by the limit that was reached`, `# TYPE ${prefix}refused_total counter`);
  for (const [limit, count] of Object.entries(stats.refused)) lines.push(`${prefix}refused_total{limit="${limit}"} ${count}`);
  return `${lines.join('\n')}\n`;
}
