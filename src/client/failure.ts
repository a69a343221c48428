// Failures of a client, made so that one line says the cause and the rest says everything else.
import { cut, errorCodes, type LocalErrorCode, VivariumError } from '../jsonrpc/error.ts';
import type { Channel, ChannelEnd, ChannelFailure, ChannelTrace, NetworkReason } from '../protocol/channel.ts';
import type { Failure, Phase } from '../protocol/failure.ts';
import { printable } from '../text/printable.ts';

/** A message is one line that can be read; what a server adds to it may be neither. */
const maxMessageLength = 1_000;

/** The connection, or the session on it, is gone under a request. Never leaves this room. */
export class Lost extends Error {
  /** The request was certainly not carried out. */
  readonly unsent: boolean;
  readonly why: ChannelFailure | ChannelEnd;

  constructor(unsent: boolean, why: ChannelFailure | ChannelEnd) {
    super('kind' in why ? why.message : endCause(why));
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
  const silent = lastWords(about, rest, trace);
  const failure: Failure = {
    phase: about.phase,
    target: about.target,
    cause: `${withReason(cause, error, trace)}${silent.words}`,
    elapsedMs: Math.round(performance.now() - about.since),
    ...(trace?.stderr !== undefined && trace.stderr.length > 0 && { stderr: trace.stderr }),
    ...(trace?.lastLine !== undefined && { lastLine: trace.lastLine }),
    ...(silent.hint !== undefined && { hint: silent.hint }),
    ...rest,
  };
  return new VivariumError(code, failureLine(failure), { failure, ...(error !== undefined && { cause: error }) });
}

/** The message of an error with this failure. A program that talks to several servers needs the target in its log. */
export function failureLine({ cause, hint, target }: Pick<Failure, 'cause' | 'hint' | 'target'>): string {
  const line = printable(cut(hint === undefined ? cause : `${cause}; ${hint}`, maxMessageLength));
  return cause.includes(target) ? line : `${line} [${cut(target)}]`;
}

/** What was lost says what was lost; why is known to whoever noticed it. */
function withReason(cause: string, error: unknown, trace: ChannelTrace | undefined): string {
  if (!(error instanceof Lost)) return cause;
  const { why } = error;
  const reason = 'kind' in why ? why.message : endCause(why, trace?.stderr);
  return cause.includes(reason) ? cause : `${cause}. ${reason}`;
}

/** A child that ended without a line on stderr may still have printed something: then it is no MCP server. */
function lastWords(
  { phase }: About,
  { exitCode, exitSignal }: Partial<Failure>,
  { stderr = [], lastLine }: ChannelTrace = {},
): { readonly words: string; readonly hint?: string } {
  const exited = typeof exitCode === 'number' || typeof exitSignal === 'string';
  if (!exited || stderr.some((line) => line.trim() !== '')) return { words: '' };
  if (phase === 'request' || lastLine === undefined || isMessage(lastLine)) return { words: ' without a word' };
  return { words: `, having printed: ${printable(cut(lastLine.trim()))}`, hint: 'is it an MCP server?' };
}

function isMessage(line: string): boolean {
  return /^\s*\{\s*"/.test(line);
}

/** The end of a channel in words: how a child exited and what it said last is nearly always the cause. */
export function endCause({ exitCode, exitSignal, message }: ChannelEnd, stderr: readonly string[] = []): string {
  // A channel that watched its child knows best which of its last words matter.
  if (message !== undefined) return message;
  const last = stderr.filter((line) => line.trim() !== '').at(-1);
  const said = last === undefined ? '' : `, having said: ${last.trim()}`;
  if (typeof exitSignal === 'string') return `The server was ended by ${exitSignal}${said}`;
  if (typeof exitCode === 'number') return `The server exited with code ${exitCode}${said}`;
  return 'The server closed the connection';
}

export function cancelled(signal: AbortSignal): VivariumError {
  return new VivariumError('ERR_CANCELLED', 'The request was cancelled', { cause: signal.reason });
}

/** What an HTTP status or a broken connection means for whoever wanted to connect. */
export function failureCause(
  failure: ChannelFailure,
  target: string,
): { readonly code: LocalErrorCode; readonly cause: string; readonly hint?: string } {
  const { kind, status, message, challenge, retryAfterMs } = failure;
  if (kind === 'authorization') {
    // A provider says best itself what is missing.
    const { cause } = failure;
    return cause instanceof VivariumError
      ? { code: cause.code, cause: cause.message }
      : { code: 'ERR_AUTH_FAILED', cause: `No token could be had: ${message}` };
  }
  // It never left, for a reason of ours: the other side broke no rule.
  if (kind === 'protocol' && failure.cause instanceof VivariumError) return { code: failure.cause.code, cause: message };
  if (kind === 'protocol') return { code: 'ERR_PROTOCOL', cause: message };
  if (kind === 'network') return { code: 'ERR_CONNECT', cause: message, ...certificateHint(failure.reason) };
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
            hint: 'give auth: staticToken(…) for a token you have, or oauth() from vivarium/auth/node',
          };
    case 403:
      return { code: 'ERR_FORBIDDEN', cause: message };
    case 404:
      return { code: 'ERR_CONNECT', cause: 'There is no MCP endpoint at this URL (404)', hint: pathHint(target) };
    case 405:
      return { code: 'ERR_CONNECT', cause: 'This URL takes no messages (405)', hint: pathHint(target) };
    default:
      return {
        code: 'ERR_CONNECT',
        cause: message,
        ...(retryAfterMs !== undefined && { hint: `try again in ${Math.ceil(retryAfterMs / 1000)} s` }),
      };
  }
}

function certificateHint(reason: NetworkReason | undefined): { readonly hint?: string } {
  switch (reason) {
    case 'untrusted-certificate':
      return { hint: 'give its authority as tls.ca of http() from vivarium/connect/http, or in NODE_EXTRA_CA_CERTS' };
    case 'certificate-dates':
      return { hint: 'has it been renewed, and is the clock here right?' };
    case 'certificate-name':
      return { hint: 'use the name it is for, or give tls.servername' };
    default:
      return {};
  }
}

function pathHint(target: string): string {
  return /\/mcp\/?(?:\?…)?$/.test(target) ? 'is the path right?' : 'is the path right? It often ends in /mcp';
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
