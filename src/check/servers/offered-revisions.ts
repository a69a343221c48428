// Which revisions a server offers on which transport, found out by asking for each.
import type { Revision } from '../../protocol/revision.ts';
import type { CheckOptions } from '../model/options.ts';
import { legacy, type Transport } from '../model/requirement.ts';
import { revisions } from '../model/revision.ts';
import { at } from '../model/value.ts';
import type { Pace } from '../wire/pace.ts';
import { fullCapabilities, type Peer, type Presentation, type Refused } from './peer/peer.ts';
import { type CheckTarget, connectTo, isRefused, isServedBy, transportsOf } from './target.ts';

/** With what all parts of one run share. */
export interface RunOptions extends CheckOptions {
  readonly pace: Pace;
}

export interface Offer {
  readonly transport: Transport;
  readonly revision: Revision;
  readonly peer: Peer;
}

export interface Refusal {
  readonly transport: Transport;
  readonly revision: Revision;
  readonly reason: string;
  readonly peer: Peer;
}

export interface Offers {
  readonly offers: readonly Offer[];
  readonly refusals: readonly Refusal[];
}

/** For any answer, and for the first one, which includes starting. */
export function timeoutsOf({ timeout = 5_000, startTimeout = 20_000 }: CheckOptions): Pick<Presentation, 'timeoutMs' | 'startTimeoutMs'> {
  return { timeoutMs: timeout, startTimeoutMs: startTimeout };
}

export function presentationOf(options: RunOptions, revision: Revision, name: string): Presentation {
  return {
    name,
    revision,
    capabilities: fullCapabilities(revision),
    ...timeoutsOf(options),
    headers: options.headers ?? {},
    secrets: Object.keys(options.headers ?? {}).map((name) => name.toLowerCase()),
    pace: options.pace,
  };
}

/** The connections it made are left open for the run. */
export async function findOffers(target: CheckTarget, options: RunOptions): Promise<Offers> {
  const refusals: Refusal[] = [];
  for (const transport of transportsOf(target)) {
    const found = await offersOn(target, transport, options, refusals);
    if (found.length > 0) return { offers: found, refusals };
    if (refusals.some(({ peer }) => isUnauthorized(peer))) break;
  }
  return { offers: [], refusals };
}

async function offersOn(target: CheckTarget, transport: Transport, options: RunOptions, refusals: Refusal[]): Promise<Offer[]> {
  const { revision: wanted = 'auto' } = options;
  const offers: Offer[] = [];
  const attempt = async (revision: Revision, startTimeoutMs?: number): Promise<Refused | undefined> => {
    const presentation = presentationOf(options, revision, 'main');
    const given = await connectTo(target, transport, { ...presentation, ...(startTimeoutMs !== undefined && { startTimeoutMs }) });
    if (!isRefused(given)) {
      offers.push({ transport, revision, peer: given });
      return undefined;
    }
    refusals.push({ transport, revision, reason: given.message, peer: given.peer });
    return given;
  };
  if (wanted !== 'auto') {
    const tried = wanted === 'all' ? revisions : [wanted];
    // Two at a time: each may be a process.
    for (const pair of pairs(tried.filter((one) => isServedBy(one, transport)))) await Promise.all(pair.map((one) => attempt(one)));
    return offers.sort((one, other) => other.revision.localeCompare(one.revision));
  }
  const newest = revisions.at(-1) as Revision;
  const { timeoutMs, startTimeoutMs } = presentationOf(options, newest, 'main');
  const first = isServedBy(newest, transport) ? await attempt(newest, Math.min(soon, startTimeoutMs)) : undefined;
  if (first === undefined && offers.length > 0) return offers;
  const began = performance.now();
  const refused = await attempt(legacy.at(-1) as Revision);
  if (first !== undefined && first.reason === 'timeout' && (refused === undefined || refused.reason !== 'timeout')) {
    refusals.splice(
      refusals.findIndex(({ peer }) => peer === first.peer),
      1,
    );
    const older = offers.splice(0);
    // As long as it took to answer just now, and what any other answer may take: no server says nothing for twice the whole time.
    if ((await attempt(newest, Math.min(performance.now() - began + timeoutMs, startTimeoutMs))) === undefined) {
      await Promise.all(older.map(({ peer }) => peer.close()));
      return offers;
    }
    offers.push(...older);
  }
  const counter = refused === undefined ? undefined : counterOffer(refused.peer);
  if (counter !== undefined) await attempt(counter);
  return offers;
}

/**
 * Milliseconds for the first question of the newest revision: an older server may not even say that it does not know it. One that
 * says nothing may also be slow to start, perhaps only this once, so it is asked again as soon as it has answered an older question.
 */
const soon = 5_000;

/** The revision with which a server answered another. */
function counterOffer({ conversation }: Peer): Revision | undefined {
  for (const { direction, value } of conversation.messages) {
    const version = direction === 'received' ? at(value, 'result', 'protocolVersion') : undefined;
    const known = revisions.find((one) => one === version);
    if (known !== undefined) return known;
  }
  return undefined;
}

export function isUnauthorized({ conversation }: Peer): boolean {
  return conversation.exchanges.some(({ response }) => response?.status === 401);
}

function pairs<T>(list: readonly T[]): T[][] {
  const made: T[][] = [];
  for (let index = 0; index < list.length; index += 2) made.push(list.slice(index, index + 2));
  return made;
}
