// Whom to judge: a command, a URL, or a server within this program; and how a connection to it is made.

import type { Revision } from '../../protocol/revision.ts';
import type { Transport } from '../model/requirement.ts';
import { isModern } from '../model/revision.ts';
import { withoutSecrets, wordsWithoutSecrets } from '../model/secrets.ts';
import { type CommandLine, commandPipe, type OpenPipe } from '../wire/pipe.ts';
import { connectHttp, openHttp } from './peer/http.ts';
import type { Peer, Presentation, Refused } from './peer/peer.ts';
import { connectSse } from './peer/sse.ts';
import { connectPipe, openPipe } from './peer/stdio.ts';

export type CheckTarget =
  | ({ readonly kind: 'command'; readonly label?: string } & CommandLine)
  | {
      readonly kind: 'url';
      readonly url: string;
      readonly label?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly transport?: 'http' | 'sse';
    }
  /** A server within this program, behind a pipe of the caller's making. */
  | { readonly kind: 'pipe'; readonly open: OpenPipe; readonly label: string };

export function isRefused(given: Peer | Refused): given is Refused {
  return 'reason' in given;
}

export function labelOf(target: CheckTarget): string {
  if (target.label !== undefined) return withoutSecrets(target.label);
  if (target.kind === 'url') return withoutSecrets(target.url);
  return target.kind === 'command' ? wordsWithoutSecrets([target.command, ...target.args]).join(' ') : '';
}

export function connectTo(target: CheckTarget, transport: Transport, presentation: Presentation): Promise<Peer | Refused> {
  const full = withHeaders(target, presentation);
  if (target.kind === 'url') return transport === 'sse' ? connectSse(target.url, full) : connectHttp(target.url, full);
  return connectPipe(pipeOf(target), full);
}

/** Nothing is said on it yet; HTTP+SSE cannot be held open without saying anything. */
export function beginAt(target: CheckTarget, presentation: Presentation): Peer {
  const full = withHeaders(target, presentation);
  return target.kind === 'url' ? openHttp(target.url, full) : openPipe(pipeOf(target), full);
}

function withHeaders(target: CheckTarget, presentation: Presentation): Presentation {
  if (target.kind !== 'url' || target.headers === undefined) return presentation;
  const secrets = [...(presentation.secrets ?? []), ...Object.keys(target.headers).map((name) => name.toLowerCase())];
  return { ...presentation, headers: { ...target.headers, ...presentation.headers }, secrets };
}

function pipeOf(target: Exclude<CheckTarget, { kind: 'url' }>): OpenPipe {
  return target.kind === 'pipe' ? target.open : commandPipe(target);
}

/** What to try on a target, newest first. */
export function transportsOf(target: CheckTarget): readonly Transport[] {
  if (target.kind !== 'url') return ['stdio'];
  return target.transport === undefined ? ['http', 'sse'] : [target.transport];
}

export function isServedBy(revision: Revision, transport: Transport): boolean {
  // An older revision may run over a newer transport, but modern revisions have no handshake with which to open HTTP+SSE.
  return transport !== 'sse' || !isModern(revision);
}
