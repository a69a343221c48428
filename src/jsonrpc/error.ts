// The two kinds of failure that exist in this package: one that crosses the wire, one that never does.

/** Codes this package gives a name; any other code passes through untouched. */
export const errorCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
  urlElicitationRequired: -32042,
  forbidden: 403,
  tooMany: 429,
} as const;

export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Error objects by name, for code that answers without throwing. */
export const faults = {
  parseError: (details?: unknown): ErrorObject => fault(errorCodes.parseError, 'Parse error', details),
  invalidRequest: (details?: unknown): ErrorObject => fault(errorCodes.invalidRequest, 'Invalid Request', details),
  methodNotFound: (method: string): ErrorObject => fault(errorCodes.methodNotFound, 'Method not found', unsupported.join(cut(method))),
  invalidParams: (details: string, extra: object = {}): ErrorObject =>
    fault(errorCodes.invalidParams, 'Invalid params', { details, ...extra }),
  /** -32002 where the peer speaks a revision up to 2025-11-25, -32602 afterwards; the server picks by era. */
  resourceNotFound: (uri: string): ErrorObject => fault(errorCodes.resourceNotFound, 'Resource not found', { uri }),
  internal: (): ErrorObject => fault(errorCodes.internal, 'Internal error'),
  missingCapability: (requiredCapabilities: object): ErrorObject =>
    fault(errorCodes.missingCapability, 'Missing required client capability', { requiredCapabilities }),
  unsupportedVersion: (supported: readonly string[], requested: unknown): ErrorObject =>
    fault(errorCodes.unsupportedVersion, 'Unsupported protocol version', { supported, requested }),
  /** Over HTTP this becomes status 403 with a challenge; elsewhere it travels as it is. */
  forbidden: (scopes: readonly string[]): ErrorObject => fault(errorCodes.forbidden, 'Forbidden', { scopes }),
  /** A limit of the connection is reached; over HTTP the status says so too. */
  tooMany: (details: string): ErrorObject => fault(errorCodes.tooMany, 'Too many requests', { details }),
} as const;

/** Around the name of the method in the details of `faults.methodNotFound`. */
const unsupported = ["Method '", "' is not supported"] as const;

/** The method that `faults.methodNotFound` was made for, read back from its details; undefined for any other error. */
export function unsupportedMethod({ code, data }: ErrorObject): string | undefined {
  const [before, after] = unsupported;
  const isOurs = code === errorCodes.methodNotFound && typeof data === 'string' && data.startsWith(before) && data.endsWith(after);
  return isOurs ? data.slice(before.length, -after.length) : undefined;
}

function fault(code: number, message: string, data?: unknown): ErrorObject {
  return data === undefined ? { code, message } : { code, message, data };
}

/** What an error of this package is about, where its code has several meanings. Never sent. */
export type RpcReason = 'unknown-name';

/** An error that is sent to, or came from, the other side. */
export class RpcError extends Error {
  readonly code: number;
  // Declared, not defined: an error that is printed shows every member it has.
  declare readonly data: unknown;
  declare readonly reason: RpcReason | undefined;

  constructor(
    code: number,
    message: string,
    options: { readonly data?: unknown; readonly cause?: unknown; readonly reason?: RpcReason | undefined } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'RpcError';
    this.code = code;
    if (options.data !== undefined) this.data = options.data;
    if (options.reason !== undefined) this.reason = options.reason;
  }

  static from(error: ErrorObject, cause?: unknown): RpcError {
    return new RpcError(error.code, error.message, { data: error.data, cause });
  }

  static parseError(details?: unknown): RpcError {
    return RpcError.from(faults.parseError(details));
  }

  static invalidRequest(details?: unknown): RpcError {
    return RpcError.from(faults.invalidRequest(details));
  }

  static methodNotFound(method: string): RpcError {
    return RpcError.from(faults.methodNotFound(method));
  }

  static invalidParams(details: string, extra?: object): RpcError {
    return RpcError.from(faults.invalidParams(details, extra));
  }

  static resourceNotFound(uri: string): RpcError {
    return RpcError.from(faults.resourceNotFound(uri));
  }

  static internal(cause?: unknown): RpcError {
    return RpcError.from(faults.internal(), cause);
  }

  static missingCapability(requiredCapabilities: object): RpcError {
    return RpcError.from(faults.missingCapability(requiredCapabilities));
  }

  toObject(): ErrorObject {
    return fault(this.code, this.message, this.data);
  }
}

export const localErrorCodes = [
  'ERR_AUTH_FAILED',
  'ERR_AUTH_REQUIRED',
  'ERR_CANCELLED',
  'ERR_CLOSED',
  'ERR_CONFIG',
  'ERR_CONNECT',
  'ERR_DUPLICATE',
  'ERR_ERA',
  'ERR_FORBIDDEN',
  'ERR_INVALID_RESULT',
  'ERR_NOT_JSON',
  'ERR_OUTCOME_UNKNOWN',
  'ERR_PROTOCOL',
  'ERR_ROUNDS',
  'ERR_SCHEMA',
  'ERR_TIMEOUT',
  'ERR_TOO_LARGE',
  'ERR_UNSUPPORTED_BY_PEER',
  'ERR_UNSUPPORTED_BY_REVISION',
] as const;

export type LocalErrorCode = (typeof localErrorCodes)[number];

/** A failure on this side that is never sent: an author's mistake, a closed connection, a limit. */
export class VivariumError extends Error {
  readonly code: LocalErrorCode;
  /** What is known about a connection that failed: a `Failure`. */
  declare readonly failure: object | undefined;

  constructor(code: LocalErrorCode, message: string, options: { readonly cause?: unknown; readonly failure?: object } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'VivariumError';
    this.code = code;
    if (options.failure !== undefined) this.failure = options.failure;
  }
}

/** Text from outside that goes into a message of ours: bounded, so that an error is never larger than its cause. */
export function cut(text: string, max = 200): string {
  return text.length <= max ? text : `${text.slice(0, max)}…`;
}
