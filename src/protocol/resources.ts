// Resources: listing, reading, templates, and word of change.
import type {
  Annotated,
  BaseMetadata,
  CacheableResult,
  Icons,
  JSONRPCResultResponse,
  MetaObject,
  Notification,
  NotificationParams,
  PaginatedRequest,
  PaginatedResult,
  Request,
  RequestParams,
} from './base.ts';
import type { InputRequiredResult, InputResponseRequestParams } from './input.ts';
import type { BlobResourceContents, Resource, TextResourceContents } from './resource.ts';

export interface ResourceTemplate extends BaseMetadata, Icons, Annotated {
  /** RFC 6570 */
  readonly uriTemplate: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** since 2025-06-18 */
  readonly _meta?: MetaObject;
}

export interface ListResourcesRequest extends PaginatedRequest {
  readonly method: 'resources/list';
}

export interface ListResourcesResult extends PaginatedResult, CacheableResult {
  readonly resources: readonly Resource[];
}

/** since 2026-07-28 */
export interface ListResourcesResultResponse extends JSONRPCResultResponse {
  readonly result: ListResourcesResult;
}

export interface ListResourceTemplatesRequest extends PaginatedRequest {
  readonly method: 'resources/templates/list';
}

export interface ListResourceTemplatesResult extends PaginatedResult, CacheableResult {
  readonly resourceTemplates: readonly ResourceTemplate[];
}

/** since 2026-07-28 */
export interface ListResourceTemplatesResultResponse extends JSONRPCResultResponse {
  readonly result: ListResourceTemplatesResult;
}

export interface ResourceRequestParams extends RequestParams {
  readonly uri: string;
}

export interface ReadResourceRequestParams extends ResourceRequestParams, InputResponseRequestParams {}

export interface ReadResourceRequest extends Request {
  readonly method: 'resources/read';
  readonly params: ReadResourceRequestParams;
}

export interface ReadResourceResult extends CacheableResult {
  readonly contents: readonly (TextResourceContents | BlobResourceContents)[];
}

/** since 2026-07-28 */
export interface ReadResourceResultResponse extends JSONRPCResultResponse {
  readonly result: ReadResourceResult | InputRequiredResult;
}

/** up to 2025-11-25 */
export type SubscribeRequestParams = ResourceRequestParams;

/** up to 2025-11-25 */
export interface SubscribeRequest extends Request {
  readonly method: 'resources/subscribe';
  readonly params: SubscribeRequestParams;
}

/** up to 2025-11-25 */
export type UnsubscribeRequestParams = ResourceRequestParams;

/** up to 2025-11-25 */
export interface UnsubscribeRequest extends Request {
  readonly method: 'resources/unsubscribe';
  readonly params: UnsubscribeRequestParams;
}

export interface ResourceListChangedNotification extends Notification {
  readonly method: 'notifications/resources/list_changed';
  readonly params?: NotificationParams;
}

export interface ResourceUpdatedNotificationParams extends NotificationParams {
  /** may lie below the one subscribed to */
  readonly uri: string;
}

export interface ResourceUpdatedNotification extends Notification {
  readonly method: 'notifications/resources/updated';
  readonly params: ResourceUpdatedNotificationParams;
}
