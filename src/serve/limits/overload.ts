// What is said to whoever reaches a limit: which one, and when to come back.
import type { EndpointHost, Refusing } from '../endpoint-host.ts';
import type { Exchange } from '../exchange.ts';
import type { Settings } from '../http-options.ts';
import { fault } from '../status.ts';
import type { LimitName } from './limits.ts';

/** A client needs one, and another while it reconnects. */
export const maxSessionStreams = 16;

interface Overload {
  /** 429 to a caller at its own limit, 503 to everyone at a common one. */
  readonly status: 429 | 503;
  readonly retryAfter: string;
  message(settings: Settings): string;
}

function own(retryAfter: string, message: (settings: Settings) => string): Overload {
  return { status: 429, retryAfter, message };
}

function common(retryAfter: string, message: (settings: Settings) => string): Overload {
  return { status: 503, retryAfter, message };
}

const overloads: Readonly<Record<LimitName, Overload>> = {
  caller_running: own(
    '1',
    ({ perCaller }) =>
      `Too many calls running: at most ${perCaller.maxRunning} per caller, and 128 per connection for callers without a token`,
  ),
  caller_bytes: own(
    '1',
    ({ perCaller }) => `Too much memory in use: a caller's requests, sessions and unread answers may take ${perCaller.maxBytes} bytes`,
  ),
  caller_streams: own('5', ({ perCaller }) => `Too many streams open: at most ${perCaller.maxStreams} per caller`),
  caller_sessions: own('30', ({ perCaller }) => `Too many sessions open: at most ${perCaller.maxSessions} per caller; end one with DELETE`),
  session_running: own('1', ({ maxRunning }) => `Too many calls running: at most ${maxRunning} per session`),
  session_streams: own('5', () => `Too many streams open: at most ${maxSessionStreams} per session`),
  running: common('1', ({ maxTotalRunning }) => `The server is busy: it runs at most ${maxTotalRunning} calls at a time`),
  bytes: common('1', () => 'The server is busy: no memory is left for this request'),
  streams: common('5', ({ maxStreams }) => `The server is busy: at most ${maxStreams} streams may be open`),
  sessions: common('30', ({ sessions, maxStreams }) => `The server is busy: at most ${sessions?.max ?? maxStreams} sessions may be open`),
  admissions: common('1', () => 'The server is busy: too many requests are waiting for authorization'),
  unread: own('1', () => 'Earlier answers have not been read'),
};

export function overloaded(endpoint: EndpointHost, exchange: Exchange, limit: LimitName, more: Refusing = {}): void {
  endpoint.counters.refuse(limit);
  const { status, retryAfter, message } = overloads[limit];
  endpoint.refuse(exchange, status, fault(status, message(endpoint.settings)), { ...more, fields: ['retry-after', retryAfter] });
}

/** The same for a message that came on its own way, and is answered on another. */
export function overloadFault(endpoint: EndpointHost, limit: LimitName): ReturnType<typeof fault> {
  endpoint.counters.refuse(limit);
  const { status, message } = overloads[limit];
  return fault(status, message(endpoint.settings));
}
