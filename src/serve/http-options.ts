// What may be set about an HTTP endpoint, and what holds when it is not.
import { VivariumError } from '../jsonrpc/error.ts';
import type { Authorizer } from '../protocol/authorization.ts';
import type { EventLimits, Store } from '../store/store.ts';
import type { TapEvent } from './serving.ts';

export interface SessionOptions {
  /** A session nobody used for so long ends; an open stream or a running call keeps it. Default: 1,800,000. */
  readonly idleMs?: number;
  /** One more is refused with 503. Default: 10,000. */
  readonly max?: number;
}

/** What one caller may hold at a time: a principal where there is `auth`, else a session or a connection. */
export interface CallerOptions {
  /** Calls that run. One more is refused with 429. Default: 1,024, or `maxRunning` where that is more. */
  readonly maxRunning?: number;
  /** Event streams it listens to. Default: 512. */
  readonly maxStreams?: number;
  /** Default: 1,000. */
  readonly maxSessions?: number;
  /** Memory that its requests, sessions and unread answers take. Default: 32 MiB, or 8 times `maxBodyBytes` where that is more. */
  readonly maxBytes?: number;
}

/** The rules of an endpoint, the same behind node:http and fetch. */
export interface HttpRules {
  /** Who may call, from `vivarium/auth`. Without it everyone may, and nothing may have scopes. */
  readonly auth?: Authorizer;
  /** Names under which this server is reached, with or without a port; `*` for any. Default: loopback names, where it listens on loopback. */
  readonly allowedHosts?: readonly string[];
  /** Web origins whose pages may call. Default: loopback origins where the hosts are; none elsewhere. */
  readonly allowedOrigins?: readonly string[];
  /** Web origins that get CORS headers, and are allowed; `*` for any, never with credentials. Default: none. */
  readonly cors?: readonly string[];
  /** Also offers HTTP+SSE of 2024-11-05, at `/sse` and `/messages`. Default: false. */
  readonly sse?: boolean;
  /** False serves the 2025 revisions without sessions. */
  readonly sessions?: SessionOptions | false;
  /** What is kept of a stream that can be resumed; false keeps nothing. Default: 1,000 events, 600,000 ms, 1 MiB. */
  readonly events?: Partial<EventLimits> | false;
  /** Where sessions and streams are kept. Default: memory. */
  readonly store?: Store;
  /** Default: 4 MiB. */
  readonly maxBodyBytes?: number;
  /** What one caller may hold at a time; more is refused with 429. */
  readonly perCaller?: CallerOptions;
  /** Calls that run at a time, of all callers together; one more is refused with 503. Default: 8,192. */
  readonly maxTotalRunning?: number;
  /** Memory that all callers together may hold; more is refused with 503. Default: 256 MiB. */
  readonly maxTotalBytes?: number;
  /** Event streams open at a time. Default: 4,096. */
  readonly maxStreams?: number;
  /** Calls running in one session at a time; one more is refused with 429. Default: 1,024. */
  readonly maxRunning?: number;
  /** Bytes that may wait for a slow reader before it is cut off. Default: 4 MiB. */
  readonly maxUnreadBytes?: number;
  /** A reader that takes nothing for so long is cut off. Default: 30,000. */
  readonly stallMs?: number;
  /** Silence on a stream, or before an answer, is broken by a comment after so long. Default: 15,000. */
  readonly keepAliveMs?: number;
  /** How long clients of 2025-11-25 wait before they resume a stream. Default: 1,000. */
  readonly retryMs?: number;
  /** How long running calls may go on when the endpoint closes. Default: 10,000. */
  readonly drainMs?: number;
  /** Serves requests without a handshake, as 2025-03-26. Default: false. */
  readonly lenient?: boolean;
  /** `always` answers every call with an event stream; otherwise only what must be sent before the answer begins one. */
  readonly stream?: 'when-needed' | 'always';
  /** Sees every message as it is on the wire. */
  readonly tap?: (event: TapEvent) => void;
  /** The URL clients know, where that differs from what the request says: behind a proxy. */
  readonly publicUrl?: string;
}

const names: Readonly<Record<keyof HttpRules, true>> = {
  auth: true,
  allowedHosts: true,
  allowedOrigins: true,
  cors: true,
  sse: true,
  sessions: true,
  events: true,
  store: true,
  maxBodyBytes: true,
  perCaller: true,
  maxTotalRunning: true,
  maxTotalBytes: true,
  maxStreams: true,
  maxRunning: true,
  maxUnreadBytes: true,
  stallMs: true,
  keepAliveMs: true,
  retryMs: true,
  drainMs: true,
  lenient: true,
  stream: true,
  tap: true,
  publicUrl: true,
};

/** A misspelt limit would be no limit. `more` are options of whoever listens. */
export function checkNames(options: object, more: readonly string[] = []): void {
  const odd = Object.keys(options).find((name) => !Object.hasOwn(names, name) && !more.includes(name));
  if (odd !== undefined) {
    const there = [...Object.keys(names), ...more].sort().join(', ');
    throw new VivariumError('ERR_CONFIG', `There is no option "${odd}": ${there} are those there are`);
  }
}

export interface Settings {
  readonly auth: Authorizer | undefined;
  readonly sse: boolean;
  readonly sessions: Required<SessionOptions> | undefined;
  readonly events: EventLimits | undefined;
  readonly maxBodyBytes: number;
  readonly perCaller: Required<CallerOptions>;
  readonly maxTotalRunning: number;
  readonly maxTotalBytes: number;
  readonly maxStreams: number;
  readonly maxRunning: number;
  readonly maxUnreadBytes: number;
  readonly stallMs: number;
  readonly keepAliveMs: number;
  readonly retryMs: number;
  readonly drainMs: number;
  readonly lenient: boolean;
  readonly always: boolean;
  readonly publicUrl: string | undefined;
  readonly tap: ((event: TapEvent) => void) | undefined;
}

export function settle(rules: HttpRules): Settings {
  const { sessions, events, publicUrl, stream = 'when-needed' } = rules;
  if (sessions !== undefined && sessions !== false) checkMembers('sessions', sessions, ['idleMs', 'max']);
  if (events !== undefined && events !== false) checkMembers('events', events, ['maxCount', 'maxAgeMs', 'maxBytes']);
  if (stream !== 'when-needed' && stream !== 'always') {
    throw new VivariumError('ERR_CONFIG', `stream is "when-needed" or "always", not ${JSON.stringify(stream)}`);
  }
  return {
    auth: rules.auth,
    sse: rules.sse ?? false,
    sessions:
      sessions === false
        ? undefined
        : {
            idleMs: positive('sessions.idleMs', sessions?.idleMs, 1_800_000),
            max: positive('sessions.max', sessions?.max, 10_000),
          },
    events:
      events === false
        ? undefined
        : {
            maxCount: positive('events.maxCount', events?.maxCount, 1_000),
            maxAgeMs: positive('events.maxAgeMs', events?.maxAgeMs, 600_000),
            maxBytes: positive('events.maxBytes', events?.maxBytes, 1024 * 1024),
          },
    ...limits(rules),
    maxUnreadBytes: positive('maxUnreadBytes', rules.maxUnreadBytes, 4 * 1024 * 1024),
    stallMs: positive('stallMs', rules.stallMs, 30_000),
    keepAliveMs: positive('keepAliveMs', rules.keepAliveMs, 15_000),
    retryMs: positive('retryMs', rules.retryMs, 1_000),
    drainMs: positive('drainMs', rules.drainMs, 10_000, 0),
    lenient: rules.lenient ?? false,
    always: stream === 'always',
    tap: rules.tap,
    publicUrl: publicUrl === undefined ? undefined : checkedUrl(publicUrl),
  };
}

const mebibyte = 1024 * 1024;

/** A limit for one caller above that for all would be none: it is a mistake, or follows when only the other was given. */
function limits(
  rules: HttpRules,
): Pick<Settings, 'maxBodyBytes' | 'perCaller' | 'maxTotalRunning' | 'maxTotalBytes' | 'maxStreams' | 'maxRunning'> {
  const { perCaller: given = {}, sessions } = rules;
  checkMembers('perCaller', given, ['maxRunning', 'maxStreams', 'maxSessions', 'maxBytes']);
  const maxBodyBytes = positive('maxBodyBytes', rules.maxBodyBytes, 4 * mebibyte);
  const maxRunning = positive('maxRunning', rules.maxRunning, 1_024);
  const maxStreams = positive('maxStreams', rules.maxStreams, 4_096);
  const maxSessions = sessions === false ? maxStreams : positive('sessions.max', sessions?.max, 10_000);
  const callerRunning = positive(
    'perCaller.maxRunning',
    given.maxRunning,
    Math.min(Math.max(1_024, maxRunning), rules.maxTotalRunning ?? longest),
  );
  const callerBytes = positive(
    'perCaller.maxBytes',
    given.maxBytes,
    Math.min(Math.max(32 * mebibyte, 8 * maxBodyBytes), rules.maxTotalBytes ?? longest),
  );
  const maxTotalRunning = positive('maxTotalRunning', rules.maxTotalRunning, Math.max(8_192, callerRunning));
  const maxTotalBytes = positive('maxTotalBytes', rules.maxTotalBytes, Math.max(256 * mebibyte, callerBytes));
  const perCaller = {
    maxRunning: within('perCaller.maxRunning', callerRunning, 'maxTotalRunning', maxTotalRunning),
    maxStreams: within(
      'perCaller.maxStreams',
      positive('perCaller.maxStreams', given.maxStreams, Math.min(512, maxStreams)),
      'maxStreams',
      maxStreams,
    ),
    maxSessions: within(
      'perCaller.maxSessions',
      positive('perCaller.maxSessions', given.maxSessions, Math.min(1_000, maxSessions)),
      'sessions.max',
      maxSessions,
    ),
    maxBytes: within('perCaller.maxBytes', callerBytes, 'maxTotalBytes', maxTotalBytes),
  };
  if (rules.maxBodyBytes !== undefined) within('maxBodyBytes', maxBodyBytes, 'perCaller.maxBytes', perCaller.maxBytes);
  if (rules.maxRunning !== undefined) within('maxRunning', maxRunning, 'maxTotalRunning', maxTotalRunning);
  return { maxBodyBytes, perCaller, maxTotalRunning, maxTotalBytes, maxStreams, maxRunning };
}

function within(name: string, value: number, bound: string, most: number): number {
  if (value <= most) return value;
  throw new VivariumError('ERR_CONFIG', `${name} is ${value}, more than ${bound} (${most}): lower it, or raise ${bound}`);
}

function checkMembers(option: string, given: object, members: readonly string[]): void {
  const odd = Object.keys(given).find((name) => !members.includes(name));
  if (odd !== undefined) throw new VivariumError('ERR_CONFIG', `${option} has no "${odd}": it has ${members.join(', ')}`);
}

const longest = 2 ** 31 - 1;

function positive(name: string, value: number | undefined, fallback: number, least = 1): number {
  if (value === undefined) return fallback;
  if (Number.isInteger(value) && value >= least && value <= longest) return value;
  throw new VivariumError(
    'ERR_CONFIG',
    `${name} must be an integer from ${least} to ${longest}, got ${value}; leave it out for ${fallback}`,
  );
}

function checkedUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.hash === '' && url.search === '') return given;
  throw new VivariumError('ERR_CONFIG', `publicUrl must be the whole URL of the endpoint, got ${given}: write https://api.example/mcp`);
}
