// A whole run against a client: each revision on each transport it can be led to, each scenario one start of it, and the report.

import type { Revision } from '../../protocol/revision.ts';
import { loadValidator } from '../../schema/json-schema.ts';
import { choose } from '../catalogue/catalogue.ts';
import type { CheckOptions } from '../model/options.ts';
import { outcomesOf } from '../model/outcome.ts';
import { all, type Requirement, type Transport } from '../model/requirement.ts';
import { isModern, traitsOf } from '../model/revision.ts';
import type { Seen } from '../model/rule.ts';
import { wordsWithoutSecrets } from '../model/secrets.ts';
import { asRecord, at, type Json } from '../model/value.ts';
import { createJudge, type Finding } from '../model/verdict.ts';
import { refusalsInWords } from '../report/refusals.ts';
import { type Report, type RevisionReport, revisionReport } from '../report/report.ts';
import { clientRules } from '../rules/client/index.ts';
import type { CommandLine } from '../wire/pipe.ts';
import type { Launcher } from './launch.ts';
import { play } from './play.ts';
import type { Known, Played, Scenario } from './scenario.ts';
import { scenarios } from './scenarios/index.ts';

export interface ClientOptions extends CheckOptions {
  /** Those that are tried: by what the command line has placeholders for, unless it is said. */
  readonly transports?: readonly Transport[];
  /** How many clients run at once: two, unless it is said. */
  readonly beside?: number;
  /** Those that are played beside the first; all, unless it is said. */
  readonly isPlayed?: (scenario: string) => boolean;
}

interface Led {
  readonly revision: Revision;
  readonly transport: Transport;
  readonly first: Played;
}

/** Judges a client, by being the server that it talks to. Never waits without end. */
export async function runClientCheck(client: CommandLine | Launcher, options: ClientOptions = {}): Promise<Report> {
  const began = performance.now();
  await loadValidator();
  const { revision = 'all' } = options;
  const wanted = all.filter((one) => revision === 'all' || revision === 'auto' || one === revision);
  const pairs = wanted.flatMap((one) =>
    transportsFor(client, options).flatMap((transport) => (isPair(one, transport) ? [{ revision: one, transport }] : [])),
  );
  const [plain] = scenarios;
  if (plain === undefined) throw new Error('there are no scenarios');
  const led: Led[] = [];
  const refused: { revision: Revision; transport: Transport; reason: string; played: Played }[] = [];
  for (const pair of [...pairs].reverse()) {
    if (options.signal?.aborted === true) break;
    options.onProgress?.({ revision: pair.revision, step: 'plain', done: 0, of: scenarios.length });
    const first = await playOne(plain, client, pair, options, { revisions: [], offered: [] });
    const reason = refusal(first);
    if (reason === undefined) led.push({ ...pair, first });
    else refused.push({ ...pair, reason, played: first });
    if (revision === 'auto' && led.length > 0) break;
  }
  const known = all.filter((one) => led.some((each) => each.revision === one));
  const runs: RevisionReport[] = [];
  const offered = [...led, ...refused].map((each) => each.revision);
  for (const one of led) runs.push(await runPair(client, one, { revisions: known, offered }, options));
  return {
    tool: 'vivarium check',
    target: typeof client === 'function' ? 'a client in this process' : wordsWithoutSecrets([client.command, ...client.args]).join(' '),
    party: 'client',
    server: clientInfo(led),
    offered: known,
    refused: refused.map(({ revision: one, transport, reason }) => ({ revision: one, transport, reason })),
    ...(led.length === 0 && { problem: problemOf(refused) }),
    runs,
    durationMs: Math.round(performance.now() - began),
  };
}

function transportsFor(client: CommandLine | Launcher, { transports }: ClientOptions): readonly Transport[] {
  if (transports !== undefined) return transports;
  if (typeof client === 'function') return ['stdio', 'http', 'sse'];
  const { args } = client;
  const [onPipe, atUrl] = ['{command}', '{url}'].map((word) => args.some((one) => one.includes(word)));
  return onPipe === true ? (atUrl === true ? ['stdio', 'http', 'sse'] : ['stdio']) : ['http', 'sse'];
}

function isPair(revision: Revision, transport: Transport): boolean {
  if (transport === 'stdio') return true;
  return traitsOf(revision).http === transport;
}

/** Why the client does not count as one of the revision: it never came to work in it. */
function refusal({ links, others, process }: Played): string | undefined {
  if (process.failure !== undefined) return process.failure;
  const works = links.some(({ ledger, conversation }) =>
    isModern(conversation.revision)
      ? ledger.questions.some(({ replies }) => at(replies[0]?.value, 'result') !== undefined)
      : ledger.questions.some(({ method }) => method !== 'initialize' && method !== 'ping') || ledger.notifications.length > 0,
  );
  if (works) return undefined;
  if (links.length + others.length === 0)
    return `the client never said anything (${process.stopped ? 'ended after waiting' : `exit code ${process.code}`})`;
  return 'the client does not speak it';
}

function playOne(
  scenario: Scenario,
  client: CommandLine | Launcher,
  pair: { revision: Revision; transport: Transport },
  options: ClientOptions,
  known: Known,
): Promise<Played> {
  return play(scenario, client, {
    ...pair,
    timeoutMs: options.timeout ?? 4_000,
    startTimeoutMs: options.startTimeout ?? 20_000,
    known,
    ...(options.signal !== undefined && { signal: options.signal }),
  });
}

async function runPair(
  client: CommandLine | Launcher,
  { revision, transport, first }: Led,
  known: Known,
  options: ClientOptions,
): Promise<RevisionReport> {
  const began = performance.now();
  const { level = 'may', only, skip } = options;
  const chosen = choose({ revision, party: 'client', level, ...(only && { only }), ...(skip && { skip }) });
  const queue = scenarios
    .slice(1)
    .filter((one) => options.isPlayed?.(one.name) !== false && applies(one, revision, transport, chosen, only !== undefined));
  const played: Played[] = [{ ...first, known }];
  const total = queue.length + 1;
  const lanes = Array.from({ length: options.beside ?? 2 }, async () => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
      if (options.signal?.aborted === true) return;
      options.onProgress?.({ revision, step: one.name, done: total - queue.length, of: total });
      played.push(await playOne(one, client, { revision, transport }, options, known));
    }
  });
  await Promise.all(lanes);
  const findings = played.flatMap(findingsOf);
  const capabilities = declaredIn(first);
  const outcomes = outcomesOf(chosen, findings, { party: 'client', revision, transport, capabilities, exercised: false });
  const requests = played.flatMap(({ links }) => links).reduce((sum, { ledger }) => sum + ledger.received.length, 0);
  return revisionReport({ revision, transport, requests, durationMs: Math.round(performance.now() - began) }, outcomes);
}

function applies(
  { name, judges, transports, revisions }: Scenario,
  revision: Revision,
  transport: Transport,
  chosen: readonly Requirement[],
  narrow: boolean,
): boolean {
  if (transports !== undefined && !transports.includes(transport)) return false;
  if (revisions !== undefined && !revisions.includes(revision)) return false;
  // What shows in passing shows in most of them: a few will do where little is asked for.
  const passive = !narrow || name === 'questions' || name === 'rounds' || name === 'silence';
  return chosen.some(({ id, judged }) => judges.includes(id) || (judged === 'rule' && passive));
}

function findingsOf(played: Played): Finding[] {
  const findings: Finding[] = [];
  const scenario = scenarios.find(({ name }) => name === played.scenario);
  const judge = createJudge(findings, played.scenario);
  const failure = played.notes.get('failure');
  if (failure !== undefined) {
    for (const id of scenario?.judges ?? []) judge.unsure(id, `the scenario "${played.scenario}" failed: ${String(failure)}`);
  }
  scenario?.judge?.(played, judge);
  if (scenario?.wild === true) return findings;
  for (const seen of played.links) for (const rule of clientRules) rule.apply(seen, judge);
  return findings;
}

function declaredIn({ links }: Played): Json {
  return links.map(({ declared }: Seen) => declared).find((one) => Object.keys(one).length > 0) ?? {};
}

function clientInfo(led: readonly Led[]): Report['server'] {
  for (const { first } of led) {
    for (const { ledger } of first.links) {
      for (const { params } of ledger.questions) {
        const { name, version } = asRecord(params['clientInfo'] ?? at(params, '_meta', 'io.modelcontextprotocol/clientInfo'));
        if (typeof name === 'string') return { name, version: typeof version === 'string' ? version : '' };
      }
    }
  }
  return { name: '', version: '' };
}

function problemOf(
  refused: readonly { revision: Revision; transport: Transport; reason: string; played: Played }[],
): NonNullable<Report['problem']> {
  const stderr = refused.map(({ played }) => played.process.stderr).find((text) => text !== '') ?? '';
  return { kind: 'unreachable', message: refusalsInWords(refused), stderr: stderr.slice(-2_000) };
}
