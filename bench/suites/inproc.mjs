// What does dispatch itself cost inside one process, with no bytes on any wire?
import path from 'node:path';
import { runScript } from '../load/children.mjs';
import { interleave } from '../measure/rounds.mjs';
import { bench, isBuilt, isChosen, ours } from '../targets.mjs';

const script = path.join(bench, 'load', 'in-process.mjs');
const dispatchers = ['bare', ours, 'sdk-v2', 'lean', 'mcp-lite', 'tmcp', 'sdk-v1', 'sdk-v2+fetch', 'sdk-v2+fetch-2026'];
const pairs = [ours, 'sdk-v2', 'sdk-v1'];

/** Case `dispatch`: a message in, an answer out. Case `client and server`: the library's own client calls its own server in memory. */
export async function inproc({ rounds, ms, node, peers, verbose, ...run }) {
  const items = [
    ...dispatchers.map((name) => ({ name, kind: 'dispatch', built: isBuilt('serve/memory.js') })),
    ...pairs.map((name) => ({ name, kind: 'client and server', built: isBuilt('client/index.js') })),
  ].filter(({ name }) => isChosen(name, peers));
  const chosen = items.filter((item) => {
    if (item.name !== ours || item.built) return true;
    run.skip(item, 'not built, or not offered yet');
    return false;
  });
  const measure = ({ name, kind }) => runScript({ name, node, verbose }, [script, kind, name, String(ms)]);
  const samples = await interleave(chosen, rounds, measure, run);
  return chosen.map(({ name, kind }, index) => ({ target: name, case: kind, samples: samples[index] }));
}
