// Servers whose process ends by itself, for want of a database or a network: what they then do not answer shows nothing.
import type { Peer } from './peer/peer.ts';
import { isPipePeer } from './peer/stdio.ts';

/** How many milliseconds a process lived that ended without being told to. */
export function lifeOf({ conversation: { happenings } }: Peer): number | undefined {
  const [first] = happenings.filter(({ what }) => what === 'exit' || what === 'end-of-input' || what === 'signal');
  return first?.what === 'exit' ? first.at : undefined;
}

const longest = 20_000;

/** Whether it ends as soon when it is asked for nothing: one more is begun, and left alone for twice as long as the others lived. */
export async function endsAlone(peers: readonly Peer[], open: () => Promise<Peer>): Promise<boolean> {
  const lives = peers.flatMap((peer) => lifeOf(peer) ?? []);
  if (lives.length === 0) return false;
  const idle = await open();
  if (isPipePeer(idle)) await idle.exit(Math.min(2 * Math.max(...lives), longest));
  const isOver = lifeOf(idle) !== undefined;
  await idle.close();
  return isOver;
}

export const endedAlone = 'the server ends by itself, also when nothing is asked of it';
