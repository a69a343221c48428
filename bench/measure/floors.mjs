// The promises: below these figures a part is not done. Each is judged by quartiles over paired rounds.
import { ours } from '../targets.mjs';
import { paired, quartiles } from './rounds.mjs';

const roundsForVerdict = 9;

/**
 * How a promise is read. `gain`: how many times less we need than the other (at least the floor). `cost`: our share of
 * what the other needs (at most the floor). `over`: what we need beyond the other. `value`: our own figure.
 */
const forms = {
  gain: { combine: (mine, other) => other / mine, met: (measured, floor) => measured >= floor, sign: '>=' },
  cost: { combine: (mine, other) => mine / other, met: (measured, floor) => measured <= floor, sign: '<=' },
  over: { combine: (mine, other) => mine - other, met: (measured, floor) => measured <= floor, sign: '<=' },
  value: { combine: (mine) => mine, met: (measured, floor) => measured <= floor, sign: '<=' },
};

const call = (suite, where, v2Floor, bareFloor, bareCase = where) => [
  { path: `${where}, CPU of a call`, suite, case: where, metric: 'cpu_us', form: 'gain', against: 'sdk-v2', floor: v2Floor },
  {
    path: `${where}, CPU of a call`,
    suite,
    case: where,
    metric: 'cpu_us',
    form: 'gain',
    against: 'bare',
    againstCase: bareCase,
    floor: bareFloor,
  },
];

const list = (suite, where, metric) => [
  { path: `tools/list of 1,000 (${suite}), CPU`, suite, case: where, metric, form: 'gain', against: 'sdk-v2', floor: 60 },
  { path: `tools/list of 1,000 (${suite}), CPU`, suite, case: where, metric, form: 'gain', against: 'bare', floor: 1 },
];

const large = (where) => [
  { path: `${where}, CPU`, suite: 'large', case: where, metric: 'cpu_ms', form: 'cost', against: 'sdk-v2', floor: 0.8 },
  { path: `${where}, CPU`, suite: 'large', case: where, metric: 'cpu_ms', form: 'cost', against: 'bare', floor: 1.15 },
];

const flat = (kind) => ({
  path: `${kind}, a call among 10,000 tools, CPU`,
  suite: 'growth',
  case: `${kind}, 10004 tools`,
  metric: 'call_cpu_us',
  form: 'cost',
  against: ours,
  againstCase: `${kind}, 4 tools`,
  floor: 1.3,
});

const clientCall = (kind, v2Floor, rawFloor) => [
  {
    path: `client, ${kind}, CPU of a call`,
    suite: 'client',
    case: kind,
    metric: 'cpu_us',
    form: 'gain',
    against: 'sdk-v2',
    floor: v2Floor,
  },
  { path: `client, ${kind}, CPU of a call`, suite: 'client', case: kind, metric: 'cpu_us', form: 'gain', against: 'raw', floor: rawFloor },
];

const tail = (kind) => ({
  path: `${kind}, p99 of 48 connections`,
  suite: 'http',
  case: kind,
  metric: 'p99_ms',
  form: 'cost',
  against: 'sdk-v2',
  floor: 0.2,
});

const stream = { suite: 'http', case: 'http-stateful', target: `${ours}+sse`, metric: 'cpu_us', form: 'gain' };

const liveCode = (what) => ({ path: `live, ${what}`, suite: 'live', case: what, metric: 'ms', form: 'cost', against: 'bare', floor: 1.1 });

const nextAnswer = (where, target) =>
  ['ms', 'other_ms'].map((metric) => ({
    path: `live, ${target.split(':')[1] ?? 'javascript'}, next answer ${where}${metric === 'ms' ? '' : ', in another session'}, ms`,
    suite: 'live',
    case: where,
    target,
    metric,
    form: 'value',
    floor: 1_000,
  }));

export const floors = [
  ...call('stdio', 'stdio', 7, 0.55),
  { path: 'stdio, one in flight, median', suite: 'stdio', case: 'stdio', metric: 'one_p50_us', form: 'cost', against: 'sdk-v2', floor: 1 },
  {
    path: 'stdio, one in flight, median, µs',
    suite: 'stdio',
    case: 'stdio',
    metric: 'one_p50_us',
    form: 'over',
    against: 'bare',
    floor: 20,
  },
  ...call('http', 'http', 15, 0.75),
  ...call('http', 'http-2026', 15, 0.75),
  ...call('http', 'http-stateful', 10, 0.75, 'http'),
  { path: 'http, event stream, CPU of a call', ...stream, against: 'sdk-v2+sse', floor: 8 },
  { path: 'http, event stream, CPU of a call', ...stream, against: 'bare', againstCase: 'http', floor: 0.6 },
  tail('http'),
  tail('http-2026'),
  tail('http-stateful'),
  { path: 'in process, CPU of a call', suite: 'inproc', case: 'dispatch', metric: 'cpu_us', form: 'gain', against: 'sdk-v2', floor: 20 },
  {
    path: 'client and server in memory, CPU',
    suite: 'inproc',
    case: 'client and server',
    metric: 'cpu_us',
    form: 'gain',
    against: 'sdk-v2',
    floor: 10,
  },
  {
    path: 'cold start, CPU to the first answer',
    suite: 'cold',
    case: 'cold',
    metric: 'cpu_ms',
    form: 'cost',
    against: 'sdk-v2',
    floor: 0.45,
  },
  {
    path: 'cold start, CPU to the first answer',
    suite: 'cold',
    case: 'cold',
    metric: 'cpu_ms',
    form: 'cost',
    against: 'bare',
    floor: 1.25,
  },
  { path: 'idle session, KB of heap', suite: 'memory', case: 'sessions', metric: 'heap_kb_per_session', form: 'value', floor: 6 },
  ...list('growth', 'stdio, 1004 tools', 'list_cpu_us'),
  ...list('shapes', 'tools/list 1000', 'cpu_us'),
  flat('stdio'),
  flat('http'),
  flat('http-2026'),
  ...clientCall('http', 15, 0.5),
  ...clientCall('stdio', 3, 0.6),
  ...large('result 1 MB, http'),
  ...large('echo 1 MB, stdio'),
  ...['list, our server', 'list, server-everything'].map((where) => ({
    path: `one-shot ${where}, CPU`,
    suite: 'command',
    case: where,
    metric: 'cpu_ms',
    form: 'cost',
    against: 'bare',
    floor: 1.5,
  })),
  ...['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'].map((revision) => ({
    path: `check, all of ${revision} on a quick stdio server, ms`,
    suite: 'check',
    case: revision,
    metric: 'ms',
    form: 'value',
    floor: 5_000,
  })),
  { path: 'install, MB', suite: 'install', case: 'whole', metric: 'mb', form: 'cost', against: 'sdk-v2', floor: 0.5, exact: true },
  { path: 'install, MB', suite: 'install', case: 'whole', metric: 'mb', form: 'value', floor: 12, exact: true },
  { path: 'install, packages', suite: 'install', case: 'whole', metric: 'packages', form: 'value', floor: 15, exact: true },
  { path: 'live, session ready', suite: 'live', case: 'session ready', metric: 'ms', form: 'cost', against: 'bare', floor: 2 },
  {
    path: 'live, SBCL session ready',
    suite: 'live',
    case: 'session ready',
    target: `${ours}:lisp`,
    metric: 'ms',
    form: 'cost',
    against: 'bare:lisp',
    floor: 2.5,
  },
  {
    path: 'live, MCP in an evaluation',
    suite: 'live',
    case: 'MCP in an evaluation',
    metric: 'ms',
    form: 'cost',
    against: 'bare',
    floor: 1.5,
  },
  ...['after an interrupt', 'after a lost image'].flatMap((where) =>
    [ours, `${ours}:lisp`, `${ours}:smalltalk`, `${ours}:squeak`].flatMap((target) => nextAnswer(where, target)),
  ),
  liveCode('synchronous code'),
  liveCode('awaiting code'),
  { path: 'live, CPU of a resting image, %', suite: 'live', case: 'resting', metric: 'cpu_percent', form: 'value', floor: 0.5 },
];

/** One row per promise of the suites that ran: what was measured, the floor, and the verdict. */
export function judge({ suites, options }) {
  const asked = floors.filter(({ suite }) => suites[suite]);
  return asked.map((promise) => ({ ...describe(promise), ...verdict(promise, suites[promise.suite].cells, options.rounds) }));
}

function describe({ path, against, form, floor }) {
  return { path, against: against ?? '–', reads: form, floor: `${forms[form].sign} ${floor}` };
}

function verdict(promise, cells, rounds) {
  const { metric, form, against, floor, exact } = promise;
  const mine = find(cells, promise.target ?? ours, promise.case)?.samples[metric];
  const other = against && find(cells, against, promise.againstCase ?? promise.case)?.samples[metric];
  if (!mine) return { verdict: 'not measured' };
  if (against && !other) return { verdict: `not measured (no ${against})` };
  const { combine, met } = forms[form];
  const measured = against ? paired(mine, other, combine) : quartiles(mine);
  if (measured.rounds === 0) return { verdict: 'not measured' };
  const isMet = met(measured.median, floor);
  const isTrial = !exact && Math.min(rounds, measured.rounds) < roundsForVerdict;
  const isClose = measured.q1 <= floor && floor <= measured.q3 && !exact;
  const word = `${isMet ? 'met' : 'NOT met'}${isClose ? ', floor within quartiles' : ''}${isTrial ? ` (trial: under ${roundsForVerdict} rounds)` : ''}`;
  return { ...measured, isMet: isMet && !isTrial, verdict: word };
}

const find = (cells, target, name) => cells.find((cell) => cell.target === target && cell.case === name);
