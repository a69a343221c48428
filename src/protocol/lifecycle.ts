// The handshake of the legacy revisions, ping, and what each side says it can do.
import type {
  ClientCapabilities,
  EmptyResult,
  Implementation,
  JSONObject,
  Notification,
  NotificationParams,
  OpenObject,
  Request,
  RequestParams,
} from './base.ts';

/** up to 2025-11-25 */
export interface InitializeRequestParams extends RequestParams {
  readonly protocolVersion: string;
  readonly capabilities: ClientCapabilities;
  readonly clientInfo: Implementation;
}

/** up to 2025-11-25 */
export interface InitializeRequest extends Request {
  readonly method: 'initialize';
  readonly params: InitializeRequestParams;
}

/** up to 2025-11-25 */
export interface InitializeResult extends EmptyResult {
  readonly protocolVersion: string;
  readonly capabilities: ServerCapabilities;
  readonly serverInfo: Implementation;
  readonly instructions?: string;
}

/** up to 2025-11-25 */
export interface InitializedNotification extends Notification {
  readonly method: 'notifications/initialized';
  readonly params?: NotificationParams;
}

/** up to 2025-11-25 */
export interface PingRequest extends Request {
  readonly method: 'ping';
  readonly params?: RequestParams;
}

/** Members that are not listed here are kept as they came. */
export interface ServerCapabilities extends OpenObject {
  readonly tools?: OpenObject & { readonly listChanged?: boolean };
  readonly resources?: OpenObject & { readonly subscribe?: boolean; readonly listChanged?: boolean };
  readonly prompts?: OpenObject & { readonly listChanged?: boolean };
  /** since 2025-03-26 */
  readonly completions?: JSONObject;
  readonly logging?: JSONObject;
  /** 2025-11-25 only */
  readonly tasks?: OpenObject & {
    readonly list?: JSONObject;
    readonly cancel?: JSONObject;
    readonly requests?: OpenObject & {
      readonly tools?: OpenObject & { readonly call?: JSONObject };
    };
  };
  readonly experimental?: { readonly [name: string]: JSONObject };
  /** since 2026-07-28: settings by extension id */
  readonly extensions?: { readonly [id: string]: JSONObject };
}
