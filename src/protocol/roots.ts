// Roots: the places in the client's file system that a server may work in.
import type { EmptyResult, MetaObject, Notification, NotificationParams, Request, RequestParams } from './base.ts';

export interface Root {
  /** always `file://` */
  readonly uri: string;
  readonly name?: string;
  /** since 2025-06-18 */
  readonly _meta?: MetaObject;
}

/** In 2026-07-28 only inside `inputRequests`. */
export interface ListRootsRequest extends Request {
  readonly method: 'roots/list';
  readonly params?: RequestParams;
}

export interface ListRootsResult extends EmptyResult {
  readonly roots: readonly Root[];
}

/** up to 2025-11-25 */
export interface RootsListChangedNotification extends Notification {
  readonly method: 'notifications/roots/list_changed';
  readonly params?: NotificationParams;
}
