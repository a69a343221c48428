// One revision of one server: every probe that applies, then every rule over all that was seen.

import type { Revision } from '../../protocol/revision.ts';
import { loadValidator } from '../../schema/json-schema.ts';
import { openLedger } from '../model/ledger.ts';
import { isAtLeast, levelIn, type Requirement } from '../model/requirement.ts';
import { isModern } from '../model/revision.ts';
import type { Surface } from '../model/surface.ts';
import { fullness, graceMs, type Message } from '../model/trace.ts';
import { at } from '../model/value.ts';
import { createJudge, type Finding } from '../model/verdict.ts';
import { rules } from '../rules/server/index.ts';
import { type Offer, presentationOf, type RunOptions, timeoutsOf } from './offered-revisions.ts';
import type { Peer, Presentation } from './peer/peer.ts';
import type { ConnectOptions, Probe, ProbeContext } from './probe.ts';
import { probes } from './probes/index.ts';
import { endedAlone, isSpent, lifeAlone } from './short-lived.ts';
import { callable, readSurface } from './surface.ts';
import { beginAt, type CheckTarget, connectTo, isRefused } from './target.ts';

export interface Examination {
  readonly findings: readonly Finding[];
  readonly peers: readonly Peer[];
  /** Every tool was called. */
  readonly exercised: boolean;
  /** Each of them was answered, too, and nothing was ever asked of the client. */
  readonly neverAsks: boolean;
}

/** Of probes with connections of their own. */
const maxParallelProbes = 2;

export async function examine(
  target: CheckTarget,
  offer: Offer,
  chosen: readonly Requirement[],
  options: RunOptions,
  isClosed = false,
): Promise<Examination> {
  const { revision, transport, peer } = offer;
  const findings: Finding[] = [];
  const peers: Peer[] = [peer];
  const wanted = new Set(chosen.map(({ id }) => id));
  const applicable = probes.filter(
    (probe) => applies(probe, offer) && (!isClosed || probe.beforeAuthorization === true) && probe.judges.some((id) => wanted.has(id)),
  );
  const total = applicable.length + 2;
  let done = 0;
  const tell = (step: string) => {
    done += 1;
    options.onProgress?.({ revision, step, done, of: total });
  };
  tell('lists');
  const surface = isClosed ? { tools: [], resources: [], templates: [], prompts: [] } : await readSurface(peer);
  // Load the validators first: rules compile schemas synchronously.
  await Promise.all([loadValidator('2020-12'), loadValidator('draft-07')]);
  if (!isClosed) options.onSurface?.(surface);
  const terms = { arguments: options.arguments ?? new Map(), allowSideEffects: options.allowSideEffects ?? false };
  const shared: Omit<ProbeContext, 'judge' | 'connect' | 'begin' | 'other'> = {
    transport,
    revision,
    isModern: isModern(revision),
    peer,
    capabilities: peer.greeting.capabilities,
    surface,
    calls: callable(surface, terms),
    terms,
    tokens: options.tokens ?? {},
    ...timeoutsOf(options),
    url: target.kind === 'url' ? target.url : undefined,
  };

  let other: Peer | undefined;
  const askedOf = new Map<Finding, readonly Peer[]>();
  const musts = new Set(chosen.filter((one) => isAtLeast(levelIn(one, revision), 'must')).map(({ id }) => id));
  const isBroken = () => findings.some(({ kind, id }) => kind === 'broken' && musts.has(id));

  async function ask(probe: Probe): Promise<void> {
    const isStopped = options.signal?.aborted === true;
    if (isStopped || (options.bail === true && isBroken())) {
      const message = isStopped ? 'the run was interrupted' : 'the run ended at a broken MUST before (--bail)';
      for (const id of probe.judges) findings.push({ id, kind: 'unsure', message, evidence: [] });
      return;
    }
    const missing = missingCapability(probe, shared.capabilities);
    if (missing !== undefined) {
      for (const id of probe.judges) findings.push({ id, kind: 'inapplicable', message: missing, evidence: [] });
      return;
    }
    if (probe.apart === undefined && peer.gone !== undefined) {
      // The cause was judged already; do not count the remaining probes as failures.
      for (const id of probe.judges) findings.push({ id, kind: 'unsure', message: `the connection has ended: ${peer.gone}`, evidence: [] });
      return;
    }
    const own: Peer[] = [];
    const lent = new Set<Peer>();
    const found: Finding[] = [];
    const open = async (name: string, more?: ConnectOptions): Promise<[Peer, Peer | undefined]> => {
      const given = await connectTo(target, transport, present(name, more));
      const made = isRefused(given) ? given.peer : given;
      peers.push(made);
      return [made, isRefused(given) ? undefined : given];
    };
    const present = (name: string, more: ConnectOptions = {}): Presentation => ({ ...presentationOf(options, revision, name), ...more });
    const context: ProbeContext = {
      ...shared,
      judge: createJudge(found),
      async connect(name, more) {
        const [made, connected] = await open(name, more);
        own.push(made);
        return connected;
      },
      async other() {
        // Restart a server that did not survive the previous malformed input.
        if (other === undefined || other.gone !== undefined) [, other] = await open('anything');
        if (other !== undefined) lent.add(other);
        return other;
      },
      begin(name, more) {
        const made = beginAt(target, present(name, more));
        peers.push(made);
        own.push(made);
        return made;
      },
    };
    try {
      await probe.run(context);
    } catch (error) {
      const reason = `the probe "${probe.name}" failed: ${error instanceof Error ? error.message : String(error)}`;
      for (const id of probe.judges) found.push({ id, kind: 'unsure', message: reason, evidence: [] });
    }
    const used = probe.apart === undefined ? [peer] : [...own, ...lent];
    const excuse = used.some(isEndedByOthers) ? endedByOthers : used.some(({ conversation }) => conversation.isFull) ? fullness : undefined;
    for (const one of found) {
      const finding = excuse === undefined ? one : withoutBlame(one, excuse);
      findings.push(finding);
      askedOf.set(finding, used);
    }
    await Promise.all(own.map((one) => one.close()));
    tell(probe.name);
  }

  const queue = applicable.filter(({ apart }) => apart === true);
  const lanes = Array.from({ length: maxParallelProbes }, async () => {
    for (let probe = queue.shift(); probe !== undefined; probe = queue.shift()) await ask(probe);
  });
  const last = async () => {
    for (const probe of applicable.filter(({ apart }) => apart === 'other')) await ask(probe);
    await other?.close();
  };
  const first = async () => {
    for (const probe of applicable.filter(({ apart }) => apart === undefined)) await ask(probe);
  };
  await Promise.all([first(), ...lanes, last()]);
  // While the first one still runs, as it did beside the others: some end because they are not the only one.
  const alone = await lifeAlone(peers, async () => {
    const given = await connectTo(target, transport, presentationOf(options, revision, 'idle'));
    return isRefused(given) ? given.peer : given;
  });
  await peer.close(graceMs);
  tell('rules');
  const excused = (one: Finding, of: readonly Peer[]) => (of.some((each) => isSpent(each, alone)) ? withoutBlame(one, endedAlone) : one);
  const asked = findings.map((one) => excused(one, askedOf.get(one) ?? []));
  const watched = peers.flatMap((one) => applyRules(one).map((each) => excused(each, [one])));
  const exercised = shared.calls.length === surface.tools.length;
  return { findings: [...asked, ...watched], peers, exercised, neverAsks: exercised && asksNothing(peers, surface) };
}

/** By its requests, by results that require input, or by the error of 2025-11-25 that names pages. */
function asksNothing(peers: readonly Peer[], { tools }: Surface): boolean {
  const called = new Set<unknown>();
  for (const { conversation } of peers) {
    const { requests, questions } = openLedger(conversation);
    if (questions.some(({ method }) => method !== 'ping')) return false;
    for (const { method, params, message, replies } of requests) {
      const isAsking = ({ value }: Message) =>
        at(value, 'result', 'resultType') === 'input_required' || at(value, 'error', 'code') === -32042;
      if (replies.some(isAsking)) return false;
      if (method === 'tools/call' && message.wild !== true && replies.length > 0) called.add(params['name']);
    }
  }
  return tools.every(({ name }) => called.has(name));
}

/** For example by another instance of a server that allows only one. */
function isEndedByOthers({ conversation: { happenings } }: Peer): boolean {
  const isOurs = happenings.some(({ what }) => what === 'signal');
  return !isOurs && happenings.some(({ what, signal }) => what === 'exit' && (signal === 'SIGKILL' || signal === 'SIGTERM'));
}

const endedByOthers = 'somebody else ended the server while it was asked';

function withoutBlame(finding: Finding, excuse: string): Finding {
  if (finding.kind !== 'broken') return finding;
  return { ...finding, kind: 'unsure', message: excuse, evidence: [] };
}

function applyRules({ conversation, greeting, declared }: Peer): Finding[] {
  const findings: Finding[] = [];
  const seen = { conversation, ledger: openLedger(conversation), greeting: greeting.revision === '' ? undefined : greeting, declared };
  for (const rule of rules) {
    try {
      rule.apply(seen, createJudge(findings, conversation.name));
    } catch (error) {
      const reason = `what was seen could not be judged: ${error instanceof Error ? error.message : String(error)}`;
      for (const id of rule.judges) findings.push({ id, kind: 'unsure', message: reason, evidence: [] });
    }
  }
  return findings;
}

function applies(probe: Probe, { transport, revision }: { readonly transport: Offer['transport']; readonly revision: Revision }): boolean {
  if (probe.transports !== undefined && !probe.transports.includes(transport)) return false;
  return probe.revisions === undefined || probe.revisions.includes(revision);
}

function missingCapability({ capability }: Probe, capabilities: ProbeContext['capabilities']): string | undefined {
  if (capability === undefined) return undefined;
  const value = at(capabilities, ...capability.split('.'));
  return value === undefined || value === false ? `the server does not offer ${capability}` : undefined;
}
