// What does a live image cost: to begin, for each evaluation, and for the user's own code in it?
import path from 'node:path';
import { runScript } from '../load/children.mjs';
import { interleave } from '../measure/rounds.mjs';
import { bench, isBuilt, isChosen, ours } from '../targets.mjs';

const script = path.join(bench, 'load', 'live.mjs');
/** `bare` is what could not be avoided: `node -e 0` (`bare:lisp`: `sbcl` that quits at once), a stdio server that echoes, the same code in a plain Node. */
/** Further languages of the image, where they can be had: what each costs to begin, for an evaluation, and at rest. */
const languages = [`${ours}:smalltalk`, `${ours}:lisp`, `${ours}:squeak`];
const cases = {
  'session ready': ['bare', 'bare:lisp', ours, ...languages],
  'first answer': ['bare', 'bare:lisp', ours, 'node-repl-mcp', ...languages],
  evaluate: ['bare', ours, 'node-repl-mcp', ...languages],
  'MCP in an evaluation': ['bare', ours],
  'synchronous code': ['bare', ours],
  'awaiting code': ['bare', ours],
  interrupt: [ours, ...languages],
  'after an interrupt': [ours, ...languages],
  'after a lost image': [ours, ...languages],
  resting: [ours, ...languages],
  // By what is in the image: small objects, and files that changed.
  'reload, 1 file, 0 MB': [ours],
  'reload, 1 file, 100 MB': [ours],
  'reload, 1 file, 400 MB': [ours],
  'reload, 50 files, 0 MB': [ours],
};

export async function live({ rounds, ms, node, peers, verbose, ...run }) {
  const chosen = [];
  for (const [what, names] of Object.entries(cases)) {
    for (const name of names.filter((each) => each.startsWith('bare') || isChosen(each, peers))) {
      if (name.startsWith(ours) && !isBuilt('live/index.js')) run.skip({ name, kind: what }, 'vivarium/live is not built');
      else chosen.push({ name, kind: what });
    }
  }
  const measure = ({ name, kind }) => runScript({ name, node, verbose }, [script, name, kind, String(ms)]);
  const samples = await interleave(chosen, rounds, measure, run);
  return chosen.map(({ name, kind }, index) => ({ target: name, case: kind, samples: samples[index] }));
}
