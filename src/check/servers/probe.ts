// What a probe is: something asked of the server in order to see one or more requirements kept or broken.
import type { Revision } from '../../protocol/revision.ts';
import type { CheckOptions } from '../model/options.ts';
import type { Transport } from '../model/requirement.ts';
import type { RequirementId } from '../model/requirement-id.ts';
import type { CallTerms, Surface, ToolCall } from '../model/surface.ts';
import { brief, type Json } from '../model/value.ts';
import type { Evidence, Judge } from '../model/verdict.ts';
import type { Answer, Peer, Presentation } from './peer/peer.ts';

export interface Probe {
  readonly name: string;
  /** Every id it may judge: those it leaves unjudged are not verified. */
  readonly judges: readonly RequirementId[];
  readonly transports?: readonly Transport[];
  /** The revisions it can be asked in; all when absent. */
  readonly revisions?: readonly Revision[];
  /** The capability of the server it needs, as a path: `resources.subscribe`. */
  readonly capability?: string;
  /** Also runs against a server that refuses every request without a token. */
  readonly beforeAuthorization?: boolean;
  /** True: opens its own connections and may run in parallel. 'other': uses the shared connection for malformed input, one at a time. */
  readonly apart?: boolean | 'other';
  run(context: ProbeContext): Promise<void>;
}

export interface ProbeContext {
  readonly transport: Transport;
  readonly revision: Revision;
  readonly isModern: boolean;
  /** Shared by all probes that send well-formed messages. */
  readonly peer: Peer;
  readonly capabilities: Json;
  readonly surface: Surface;
  readonly calls: readonly ToolCall[];
  readonly terms: CallTerms;
  /** Besides the one of the run. */
  readonly tokens: NonNullable<CheckOptions['tokens']>;
  readonly judge: Judge;
  readonly timeoutMs: number;
  /** For the first answer of a connection, which may include starting. */
  readonly startTimeoutMs: number;
  /** What the user gave: the address over HTTP. */
  readonly url: string | undefined;
  /** Another connection, with its handshake; undefined when the server does not take part. It is closed when the probe is over. */
  connect(name: string, options?: ConnectOptions): Promise<Peer | undefined>;
  /** Shared by all probes that send malformed input. */
  other(): Promise<Peer | undefined>;
  /** Another connection, before its handshake. */
  begin(name: string, options?: ConnectOptions): Peer;
}

export type ConnectOptions = Partial<Pick<Presentation, 'capabilities' | 'headers' | 'manner' | 'revision' | 'timeoutMs'>>;

/** What was sent and what came back. */
export function shown(...answers: readonly Answer[]): Evidence[] {
  return answers.flatMap(({ sent, message, exchange }): Evidence[] => {
    if (message !== undefined) return [...sent, message];
    return exchange === undefined ? [...sent] : [exchange];
  });
}

/** A call of the server's own code may take any time, so a timeout alone proves nothing. */
export function isSlow({ message }: Answer, { gone }: Peer): boolean {
  return message === undefined && gone === undefined;
}

export const slow = 'the call takes longer than an answer is waited for';

/** In words, for a message: what a request got. */
export function inWords({ error, result, silence, exchange, message }: Answer): string {
  const status = exchange?.response === undefined ? '' : `HTTP ${exchange.response.status}, `;
  if (error !== undefined) return `${status}error ${brief(error.code)} ${brief(error.message)}`;
  if (result !== undefined) return `${status}result ${brief(result)}`;
  if (message !== undefined) return `${status}${brief(message.value)}`;
  return `${status}${silence?.message ?? 'nothing'}`;
}
