// Two judges, one server: where the official suite and `vivarium check` judge the same thing, they say the same, of a server that is
// sound and of servers that are not.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { catalogue, type Outcome, runCheck } from 'vivarium/check';
import { metaKeys } from 'vivarium/protocol';
import { notRun } from '../../scripts/prepare.mjs';
import { type Around, type Arrival, httpTarget } from '../check/http-target.ts';
import { json, methodOf } from '../check/servers/mutants/http-mutant.ts';
import { webMutants } from '../check/servers/mutants/table.ts';
import { counterparts } from './counterparts.ts';
import { createFixture } from './fixture.ts';
import { type Check, checksOf } from './suite.ts';

type Body = Record<string, unknown>;
type Revision = '2025-11-25' | '2026-07-28';

/** Of the mutants on which our judge is tried, the one that breaks this. */
function mutant(id: string): () => Around {
  const found = webMutants.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no mutant breaks ${id}`);
  return found.around;
}

/** Changes a result, where it comes as JSON. */
const changing =
  (is: (arrival: Arrival) => boolean, change: (result: Body, arrival: Arrival) => Body): (() => Around) =>
  () =>
  async (arrival, next) => {
    const response = await next();
    if (!is(arrival) || response.headers.get('content-type') !== 'application/json') return response;
    const message = (await response.json()) as { id: unknown; result?: Body };
    if (message.result === undefined) return json(message, response.status);
    const headers = Object.fromEntries([...response.headers].filter(([name]) => name !== 'content-length'));
    return json({ ...message, result: change(message.result, arrival) }, response.status, headers);
  };
const on =
  (method: string) =>
  (arrival: Arrival): boolean =>
    methodOf(arrival) === method;
const first = (list: unknown, change: (one: Body) => Body): unknown =>
  (list as Body[]).map((one, index) => (index === 0 ? change(one) : one));
const without =
  (name: string) =>
  ({ [name]: _, ...rest }: Body): Body =>
    rest;

/** One after the other. */
const both =
  (one: () => Around, other: () => Around): (() => Around) =>
  () => {
    const [outer, inner] = [one(), other()];
    return (arrival, next) => outer(arrival, async () => inner(arrival, next));
  };

let turn = 0;
const rotated = (list: Body[]): Body[] => {
  turn += 1;
  return [...list.slice(turn % list.length), ...list.slice(0, turn % list.length)];
};

/** By what is wrong with it; nothing with the first of each revision. */
const servers: readonly (readonly [revision: Revision, does: string, around: () => Around])[] = [
  ['2025-11-25', 'is sound', () => (_, next) => next()],
  [
    '2025-11-25',
    'does not end sessions, and answers ping with something',
    both(
      mutant('http/session/ended'),
      changing(on('ping'), (result) => ({ ...result, pong: true })),
    ),
  ],
  ['2025-11-25', 'has a blank in session ids', mutant('http/session/visible-ascii')],
  [
    '2025-11-25',
    'serves every host and origin',
    () =>
      ({ headers }, next) => {
        headers.delete('origin');
        headers.set('host', '127.0.0.1');
        return next();
      },
  ],
  [
    '2025-11-25',
    'has a tool without a schema, and completions without values',
    both(
      changing(on('tools/list'), (result) => ({ ...result, tools: first(result['tools'], without('inputSchema')) })),
      changing(on('completion/complete'), () => ({ completion: {} })),
    ),
  ],
  ['2026-07-28', 'is sound', () => (_, next) => next()],
  ['2026-07-28', 'gives no hints for caches', changing(on('tools/list'), without('ttlMs'))],
  ['2026-07-28', 'lets lists expire in the past', changing(on('tools/list'), (result) => ({ ...result, ttlMs: -1 }))],
  ['2026-07-28', 'answers unknown methods with 200', mutant('http/method-not-found')],
  [
    '2026-07-28',
    'does not compare versions',
    () => (arrival, next) => {
      const version = ((arrival.value['params'] as Body | undefined)?.['_meta'] as Body | undefined)?.[metaKeys.protocolVersion];
      if (typeof version === 'string') arrival.headers.set('mcp-protocol-version', version);
      return next();
    },
  ],
  ['2026-07-28', 'does not read Mcp-Method', mutant('http/headers/mismatch')],
  [
    '2026-07-28',
    'lists tools in another order each time, and does not say who it is',
    both(
      changing(on('tools/list'), (result) => ({ ...result, tools: rotated(result['tools'] as Body[]) })),
      changing(on('server/discover'), without('_meta')),
    ),
  ],
];

const folder = mkdtempSync(join(tmpdir(), 'agreement-'));
const known = new Set<string>();
const sums = { compared: 0, agreed: 0, broken: 0, servers: 0 };
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  console.log(
    `${Object.keys(counterparts).length} checks have a counterpart; on ${sums.servers} servers ${sums.compared} verdicts could be compared, ` +
      `${sums.agreed} agree, ${sums.broken} of them that something is broken`,
  );
});

describe.skipIf(notRun('node-24'))('of a server that', () => {
  it.each(servers)('in %s %s both judges say the same', { timeout: 120_000 }, async (revision, does, around) => {
    const { target, close } = await httpTarget(createFixture, {
      around: around(),
      rules: { allowedHosts: ['localhost', '127.0.0.1'] },
    });
    if (target.kind !== 'url') throw new Error('no URL');
    const url = target.url.replace('127.0.0.1', 'localhost');
    const [official, { runs }] = await Promise.all([
      checksOf(url, revision, join(folder, `${revision} ${does}`)),
      runCheck({ ...target, url }, { revision, allowSideEffects: true, level: 'should' }),
    ]);
    await close();
    const [ours] = runs;
    const differing: string[] = [];
    for (const [id, ids] of Object.entries(counterparts)) {
      const theirs = verdictOfSuite([...official.values()].flat().filter((one) => one.id === id));
      const own = verdictOfCheck((ours?.outcomes ?? []).filter((one) => ids.includes(one.id)));
      if (theirs === undefined || own === undefined) continue;
      sums.compared += 1;
      if (theirs !== own) differing.push(`${id}: ${theirs}, and ${ids.join(' ')}: ${own}`);
      else {
        sums.agreed += 1;
        if (own === 'broken') sums.broken += 1;
      }
    }
    sums.servers += 1;
    for (const { id } of [...official.values()].flat()) known.add(id);
    expect(differing).toEqual([]);
  });

  it('has checks and requirements for all that is compared', () => {
    expect(Object.keys(counterparts).filter((id) => !known.has(id))).toEqual([]);
    const ours = new Set<string>(catalogue.map(({ id }) => id));
    expect(
      Object.values(counterparts)
        .flat()
        .filter((id) => !ours.has(id)),
    ).toEqual([]);
    // Otherwise it would be the silence of both that agrees.
    expect(sums.broken).toBeGreaterThanOrEqual(servers.length - 2);
  });
});

/** Undefined where nothing was judged. */
function verdictOfSuite(checks: readonly Check[]): 'kept' | 'broken' | undefined {
  const judged = checks.filter(({ status }) => status === 'SUCCESS' || status === 'FAILURE' || status === 'WARNING');
  if (judged.length === 0) return undefined;
  return judged.every(({ status }) => status === 'SUCCESS') ? 'kept' : 'broken';
}

function verdictOfCheck(outcomes: readonly Outcome[]): 'kept' | 'broken' | undefined {
  if (outcomes.some(({ verdict }) => verdict === 'failed' || verdict === 'warned')) return 'broken';
  return outcomes.some(({ verdict }) => verdict === 'passed') ? 'kept' : undefined;
}
