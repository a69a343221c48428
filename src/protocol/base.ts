// What every message is made of: ids, metadata, the JSON-RPC envelopes, and the members many features share.

export type JSONValue = string | number | boolean | null | JSONObject | JSONArray;
export interface JSONObject {
  readonly [key: string]: JSONValue;
}
export type JSONArray = readonly JSONValue[];

/** Members whose names are not ours to know. */
export interface OpenObject {
  readonly [member: string]: unknown;
}

export type RequestId = string | number;
export type ProgressToken = string | number;
export type Cursor = string;
export type Role = 'user' | 'assistant';

/** Any key may occur; those with a reserved prefix are listed here and in the interfaces below. */
export interface MetaObject extends OpenObject {
  /** since 2026-07-28 */
  readonly traceparent?: string;
  /** since 2026-07-28 */
  readonly tracestate?: string;
  /** since 2026-07-28 */
  readonly baggage?: string;
  /** 2025-11-25 only */
  readonly 'io.modelcontextprotocol/related-task'?: RelatedTaskMetadata;
}

export interface RequestMetaObject extends MetaObject {
  readonly progressToken?: ProgressToken;
  /** since 2026-07-28, required there */
  readonly 'io.modelcontextprotocol/protocolVersion'?: string;
  /** since 2026-07-28, required there */
  readonly 'io.modelcontextprotocol/clientCapabilities'?: ClientCapabilities;
  /** since 2026-07-28 */
  readonly 'io.modelcontextprotocol/clientInfo'?: Implementation;
  /** since 2026-07-28 */
  readonly 'io.modelcontextprotocol/logLevel'?: LoggingLevel;
}

export interface NotificationMetaObject extends MetaObject {
  /** since 2026-07-28: the id of the listen request on whose stream this arrives */
  readonly 'io.modelcontextprotocol/subscriptionId'?: RequestId;
}

export interface ResultMetaObject extends MetaObject {
  /** since 2026-07-28 */
  readonly 'io.modelcontextprotocol/serverInfo'?: Implementation;
}

export interface RequestParams {
  /** required since 2026-07-28 */
  readonly _meta?: RequestMetaObject;
}

export interface NotificationParams {
  readonly _meta?: NotificationMetaObject;
}

export interface Request {
  /** left out of requests that travel inside `inputRequests` */
  readonly jsonrpc?: '2.0';
  /** left out of requests that travel inside `inputRequests` */
  readonly id?: RequestId;
  readonly method: string;
  readonly params?: RequestParams | (RequestParams & OpenObject);
}

export interface Notification {
  readonly jsonrpc?: '2.0';
  readonly id?: never;
  readonly method: string;
  readonly params?: NotificationParams | (NotificationParams & OpenObject);
}

/** Absent means `complete`; extensions add their own. */
export type ResultType = 'complete' | 'input_required' | (string & Record<never, never>);

export interface ResultFields {
  readonly _meta?: ResultMetaObject;
  /** since 2026-07-28, required there */
  readonly resultType?: ResultType;
}

/** Any result, also one this library has no name for. */
export type Result = ResultFields | (ResultFields & OpenObject);

/** Nothing but what all finished results share, which is why they extend it. */
export interface EmptyResult extends ResultFields {
  readonly resultType?: 'complete';
}

export interface JSONRPCRequest extends Request {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
}

export interface JSONRPCNotification extends Notification {
  readonly jsonrpc: '2.0';
}

export interface JSONRPCResultResponse {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly result: Result;
  readonly error?: never;
}

export interface JSONRPCErrorResponse {
  readonly jsonrpc: '2.0';
  /** `null` up to 2025-06-18, absent since 2025-11-25, when the request's id could not be read */
  readonly id?: RequestId | null;
  readonly error: ErrorObject;
  readonly result?: never;
}

/** up to 2025-06-18, now `JSONRPCErrorResponse` */
export type JSONRPCError = JSONRPCErrorResponse;

export type JSONRPCResponse = JSONRPCResultResponse | JSONRPCErrorResponse;
export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse;

/** 2025-03-26 only */
export type JSONRPCBatchRequest = readonly (JSONRPCRequest | JSONRPCNotification)[];
/** 2025-03-26 only */
export type JSONRPCBatchResponse = readonly JSONRPCResponse[];

/** The specification's `Error`, under a name that hides no global. */
export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface ParseError extends ErrorObject {
  readonly code: -32700;
}

export interface InvalidRequestError extends ErrorObject {
  readonly code: -32600;
}

export interface MethodNotFoundError extends ErrorObject {
  readonly code: -32601;
}

export interface InvalidParamsError extends ErrorObject {
  readonly code: -32602;
}

export interface InternalError extends ErrorObject {
  readonly code: -32603;
}

export interface PaginatedRequestParams extends RequestParams {
  readonly cursor?: Cursor;
}

export interface PaginatedRequest extends Request {
  readonly params?: PaginatedRequestParams;
}

export interface PaginatedResult extends EmptyResult {
  readonly nextCursor?: Cursor;
}

export interface CacheableResult extends EmptyResult {
  /** since 2026-07-28, required there */
  readonly ttlMs?: number;
  /** since 2026-07-28, required there */
  readonly cacheScope?: 'public' | 'private';
}

export interface BaseMetadata {
  readonly name: string;
  /** since 2025-06-18 */
  readonly title?: string;
}

/** since 2025-11-25 */
export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  /** `48x48`, or `any` for a picture that scales */
  readonly sizes?: readonly string[];
  readonly theme?: 'light' | 'dark';
}

export interface Icons {
  /** since 2025-11-25 */
  readonly icons?: readonly Icon[];
}

export interface Implementation extends BaseMetadata, Icons {
  readonly version: string;
  /** since 2025-11-25 */
  readonly description?: string;
  /** since 2025-11-25 */
  readonly websiteUrl?: string;
}

export interface Annotations {
  readonly audience?: readonly Role[];
  /** from 0, dispensable, to 1, required */
  readonly priority?: number;
  /** since 2025-06-18, ISO 8601 */
  readonly lastModified?: string;
}

export interface Annotated {
  readonly annotations?: Annotations;
}

/** Members that are not listed here are kept as they came. */
export interface ClientCapabilities extends OpenObject {
  readonly roots?: OpenObject & {
    /** up to 2025-11-25 */
    readonly listChanged?: boolean;
  };
  readonly sampling?: OpenObject & {
    /** since 2025-11-25 */
    readonly context?: JSONObject;
    /** since 2025-11-25 */
    readonly tools?: JSONObject;
  };
  /** since 2025-06-18; empty means forms only */
  readonly elicitation?: OpenObject & {
    /** since 2025-11-25 */
    readonly form?: JSONObject;
    /** since 2025-11-25 */
    readonly url?: JSONObject;
  };
  /** 2025-11-25 only */
  readonly tasks?: OpenObject & {
    readonly list?: JSONObject;
    readonly cancel?: JSONObject;
    readonly requests?: OpenObject & {
      readonly sampling?: OpenObject & { readonly createMessage?: JSONObject };
      readonly elicitation?: OpenObject & { readonly create?: JSONObject };
    };
  };
  readonly experimental?: { readonly [name: string]: JSONObject };
  /** since 2026-07-28: settings by extension id */
  readonly extensions?: { readonly [id: string]: JSONObject };
}

/** From least to most severe. */
export type LoggingLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/** The value of the `_meta` key that ties a message to a task. */
export interface RelatedTaskMetadata {
  readonly taskId: string;
}
