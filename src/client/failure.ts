// Failures of a client, made so that one line says the cause and the rest says everything else.
import { errorCodes, type LocalErrorCode, VivariumError } from '../jsonrpc/error.ts';
import type { Channel, ChannelEnd, ChannelFailure } from '../protocol/channel.ts';
import type { Failure, Phase } from '../protocol/failure.ts';

/** The connection, or the session on it, is gone under a request. Never leaves this room. */
export class Lost extends Error {
  /** The request was certainly not carried out. */
  readonly unsent: boolean;
  readonly why: ChannelFailure | ChannelEnd;

  constructor(unsent: boolean, why: ChannelFailure | ChannelEnd) {
    super(why.message ?? 'The connection is closed');
    this.unsent = unsent;
    this.why = why;
  }
}

export interface About {
  readonly phase: Phase;
  readonly target: string;
  readonly since: number;
  readonly channel?: Channel | undefined;
}

export function fail(
  code: LocalErrorCode,
  cause: string,
  about: About,
  more: Partial<Failure> & { readonly error?: unknown } = {},
): VivariumError {
  const { error, ...rest } = more;
  const trace = about.channel?.trace?.();
  const failure: Failure = {
    phase: about.phase,
    target: about.target,
    cause,
    elapsedMs: Date.now() - about.since,
    ...(trace?.stderr !== undefined && trace.stderr.length > 0 && { stderr: trace.stderr }),
    ...(trace?.lastLine !== undefined && { lastLine: trace.lastLine }),
    ...rest,
  };
  const hint = failure.hint === undefined ? '' : ` (${failure.hint})`;
  return new VivariumError(code, `${cause}${hint}`, { failure, ...(error !== undefined && { cause: error }) });
}

/** The end of a channel in words: how a child exited and what it said last is nearly always the cause. */
export function endCause({ exitCode, exitSignal, message }: ChannelEnd, stderr: readonly string[] = []): string {
  // A channel that watched its child knows best which of its last words matter.
  const exited = typeof exitCode === 'number' || typeof exitSignal === 'string';
  if (message !== undefined) return exited && stderr.every((line) => line.trim() === '') ? `${message} without a word` : message;
  const last = stderr.filter((line) => line.trim() !== '').at(-1);
  const said = last === undefined ? ' without a word' : `, having said: ${last.trim()}`;
  if (typeof exitSignal === 'string') return `The server was ended by ${exitSignal}${said}`;
  if (typeof exitCode === 'number') return `The server exited with code ${exitCode}${said}`;
  return 'The server closed the connection';
}

/** What an HTTP status or a broken connection means for whoever wanted to connect. */
export function failureCause(failure: ChannelFailure): { readonly code: LocalErrorCode; readonly cause: string; readonly hint?: string } {
  const { kind, status, message, challenge } = failure;
  if (kind === 'authorization') {
    // A provider says best itself what is missing.
    const { cause } = failure;
    return cause instanceof VivariumError
      ? { code: cause.code, cause: cause.message }
      : { code: 'ERR_AUTH_FAILED', cause: `No token could be had: ${message}` };
  }
  if (kind !== 'status') return { code: kind === 'protocol' ? 'ERR_PROTOCOL' : 'ERR_CONNECT', cause: message };
  switch (status) {
    case 401:
      return challenge === undefined
        ? {
            code: 'ERR_AUTH_REQUIRED',
            cause: 'The server wants authorization and does not say which (401 without WWW-Authenticate)',
            hint: 'ask its operator for a token',
          }
        : {
            code: 'ERR_AUTH_REQUIRED',
            cause: 'The server wants authorization (401)',
            hint: 'give auth, such as oauth() from vivarium/auth/node',
          };
    case 403:
      return { code: 'ERR_FORBIDDEN', cause: `The server refuses this client (403): ${message}` };
    case 404:
      return { code: 'ERR_CONNECT', cause: 'There is no MCP endpoint at this URL (404)', hint: 'is the path right? It often ends in /mcp' };
    case 405:
      return { code: 'ERR_CONNECT', cause: 'This URL takes no messages (405)', hint: 'is the path right? It often ends in /mcp' };
    default:
      return { code: 'ERR_CONNECT', cause: `The server answered with status ${status}: ${message}` };
  }
}

/** The session, not the request, is what is refused: the server was started anew, or forgot it. */
export function isGone({ kind, status, error }: ChannelFailure): boolean {
  if (kind === 'network') return true;
  if (kind !== 'status') return false;
  if (status === 404 && error?.code !== errorCodes.methodNotFound) return true;
  // It speaks another revision than it did.
  if (status === 400 && error?.code === errorCodes.unsupportedVersion) return true;
  return status === 400 && /session|not initialized|protocol.?version/i.test(error?.message ?? '');
}
