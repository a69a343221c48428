// How long does `vivarium check` take for the whole catalogue of one revision, on a server that answers at once?
import path from 'node:path';
import { interleave } from '../measure/rounds.mjs';
import { bench, isBuilt, ours } from '../targets.mjs';

const revisions = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

/** Everything counts: starting the server as often as it takes, and the waits in which nothing is to come. */
export async function check({ rounds, node, ...run }) {
  if (!isBuilt('check/index.js')) return run.skip({ name: ours, kind: 'check' }, 'not built') ?? [];
  const { runCheck } = await import('vivarium/check');
  const target = { kind: 'command', command: node, args: [path.join(bench, 'load', 'quick.mjs')] };
  const items = revisions.map((revision) => ({ name: ours, kind: revision, revision }));
  const measure = async ({ revision }) => {
    const report = await runCheck(target, { revision, allowSideEffects: true });
    const [first] = report.runs;
    if (first === undefined) throw new Error(report.problem?.message ?? 'no run');
    return { ms: report.durationMs, messages: first.requests, requirements: first.outcomes.length };
  };
  const samples = await interleave(items, rounds, measure, run);
  return items.map(({ name, kind }, index) => ({ target: name, case: kind, samples: samples[index] }));
}
