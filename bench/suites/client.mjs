// What does a client library cost when it calls the bare server, over HTTP and over stdio?
import path from 'node:path';
import { runScript } from '../load/children.mjs';
import { interleave } from '../measure/rounds.mjs';
import { bench, isBuilt, isChosen, ours } from '../targets.mjs';

const script = path.join(bench, 'load', 'client.mjs');
// `raw`, `undici`, `node-http` and `fetch` are not libraries but what one could be built on.
const yardsticks = ['raw', 'undici', 'node-http', 'fetch'];
const clients = {
  http: ['raw', ours, 'sdk-v2', 'undici', 'node-http', 'fetch', 'sdk-v2@2026', 'sdk-v1'],
  stdio: ['raw', ours, 'sdk-v2', 'sdk-v1'],
};

export async function client({ rounds, ms, node, peers, verbose, ...run }) {
  const chosen = [];
  for (const [kind, names] of Object.entries(clients)) {
    for (const name of names.filter((each) => yardsticks.includes(each) || isChosen(each, peers))) {
      if (name === ours && !isBuilt('client/index.js')) run.skip({ name, kind }, 'vivarium/client is not built, or not offered yet');
      else chosen.push({ name, kind });
    }
  }
  const measure = ({ name, kind }) => runScript({ name, node, verbose }, [script, name, kind, String(ms)]);
  const samples = await interleave(chosen, rounds, measure, run);
  return chosen.map(({ name, kind }, index) => ({ target: name, case: kind, samples: samples[index] }));
}
