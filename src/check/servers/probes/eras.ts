// Whether a server of 2026-07-28 serves clients with a handshake as well.

import type { Peer } from '../peer/peer.ts';
import type { ProbeContext } from '../probe.ts';

const known = new WeakMap<Peer, Promise<boolean>>();

/** LedgerRequest once for a run. */
export function isDualEra({ peer, begin }: ProbeContext): Promise<boolean> {
  const before = known.get(peer);
  if (before !== undefined) return before;
  const asked = ask(begin('older client'));
  known.set(peer, asked);
  return asked;
}

async function ask(peer: Peer): Promise<boolean> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'vivarium-check', version: '1.0.0' } };
  const headers = { 'mcp-protocol-version': undefined, 'mcp-method': undefined, 'mcp-name': undefined };
  const { result } = await peer.request('initialize', params, { meta: null, headers, wild: true });
  return result !== undefined;
}
