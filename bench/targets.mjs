// Which servers are compared: our own and the peers, each with the kinds of transport it offers.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const bench = path.dirname(fileURLToPath(import.meta.url));
export const ours = 'vivarium';

// Answers as an event stream where the library would otherwise send JSON.
const eventStream = { JSON_RESPONSE: '0' };

// The first three are compared with each other in the verdicts: neighbours in the list are neighbours in time.
const offers = [
  { name: 'bare', kinds: ['stdio', 'http', 'http-2026'] },
  { name: ours, file: 'server.mjs', kinds: ['stdio', 'http', 'http-stateful', 'http-2026'] },
  { name: 'sdk-v2', kinds: ['stdio', 'http', 'http-stateful', 'http-2026'] },
  { name: `${ours}+sse`, file: 'server.mjs', kinds: ['http-stateful'], env: eventStream },
  { name: 'sdk-v2+sse', file: 'servers/sdk-v2.mjs', kinds: ['http-stateful'], env: eventStream },
  { name: 'sdk-v2@2026', file: 'servers/sdk-v2.mjs', kinds: ['stdio'], era: '2026' },
  { name: 'sdk-v1', kinds: ['stdio', 'http', 'http-stateful'] },
  { name: 'sdk-v1+sse', file: 'servers/sdk-v1.mjs', kinds: ['http', 'http-stateful'], env: eventStream },
  { name: 'lean', kinds: ['stdio', 'http', 'http-stateful', 'http-2026'] },
  { name: 'tmcp', kinds: ['stdio', 'http-stateful', 'http-2026'] },
  { name: 'mcp-lite', kinds: ['http', 'http-stateful'] },
  { name: 'fastmcp', kinds: ['stdio', 'http', 'http-stateful'] },
];

export const kinds = ['stdio', 'http', 'http-stateful', 'http-2026'];

/** `sdk-v2` in a list of peers stands for its variants too. */
export const isChosen = (name, peers) => !peers || name.startsWith(ours) || peers.includes(name.split(/[+@]/)[0]);

/** Variants (event stream, other era) take part only in the suites that ask about them. */
export const isVariant = (target) => /[+@]/.test(target.name);

export function listTargets({ node, peers, verbose, kinds: wanted = kinds }) {
  const chosen = offers.filter(({ name }) => isChosen(name, peers));
  return wanted.flatMap((kind) =>
    chosen
      .filter((offer) => offer.kinds.includes(kind))
      .map(({ name, file = `servers/${name}.mjs`, env, era }) => ({
        name,
        kind,
        command: [node, path.join(bench, file), kind],
        env,
        era,
        verbose,
      })),
  );
}

export const peerNames = offers.map(({ name }) => name).filter((name) => !name.startsWith(ours) && !/[+@]/.test(name));

/** Whether a subpath of the package is built, e.g. `client` for `vivarium/client`. */
export const isBuilt = (subpath) => existsSync(path.join(bench, '..', 'dist', subpath));
