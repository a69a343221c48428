// Servers whose process ends by itself, for want of a database or a network: what they then do not answer shows nothing.
import type { Conversation } from '../model/trace.ts';
import type { Peer } from './peer/peer.ts';
import { isPipePeer } from './peer/stdio.ts';

interface Lived {
  readonly conversation: Pick<Conversation, 'happenings'>;
}

/** How many milliseconds a process lived that ended without being told to. */
function lifeOf({ conversation: { happenings } }: Lived): number | undefined {
  const [first] = happenings.filter(({ what }) => what === 'exit' || what === 'end-of-input' || what === 'signal');
  return first?.what === 'exit' ? first.at : undefined;
}

const longest = 20_000;

/**
 * How many milliseconds it lives when it is asked for nothing, if not for ever: one more is begun, and left alone for twice as long as
 * the others lived.
 */
export async function lifeAlone(peers: readonly Peer[], open: () => Promise<Peer>): Promise<number | undefined> {
  const lives = peers.flatMap((peer) => lifeOf(peer) ?? []);
  if (lives.length === 0) return undefined;
  const idle = await open();
  if (isPipePeer(idle)) await idle.exit(Math.min(2 * Math.max(...lives), longest));
  const life = lifeOf(idle);
  await idle.close();
  return life;
}

/** Whether its time was up: one that lived much shorter than it lives alone was ended by what it was asked. */
export function isSpent(peer: Lived, alone: number | undefined): boolean {
  const life = lifeOf(peer);
  return life !== undefined && alone !== undefined && alone <= 2 * life;
}

export const endedAlone = 'the server ends by itself, also when nothing is asked of it';
