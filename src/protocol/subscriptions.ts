// The long-lived request of 2026-07-28 on which a server tells of changes.
import type {
  EmptyResult,
  JSONRPCResultResponse,
  Notification,
  NotificationParams,
  OpenObject,
  Request,
  RequestId,
  RequestMetaObject,
  RequestParams,
  ResultMetaObject,
} from './base.ts';

/** Extensions add members of their own. */
export interface SubscriptionFilter extends OpenObject {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  /** URIs of the resources to watch */
  readonly resourceSubscriptions?: readonly string[];
}

export interface SubscriptionsListenRequestParams extends RequestParams {
  readonly _meta: RequestMetaObject;
  readonly notifications: SubscriptionFilter;
}

export interface SubscriptionsListenRequest extends Request {
  readonly method: 'subscriptions/listen';
  readonly params: SubscriptionsListenRequestParams;
}

export interface SubscriptionsListenResultMetaObject extends ResultMetaObject {
  /** the id of the listen request that this ends */
  readonly 'io.modelcontextprotocol/subscriptionId': RequestId;
}

export interface SubscriptionsListenResult extends EmptyResult {
  readonly resultType: 'complete';
  readonly _meta: SubscriptionsListenResultMetaObject;
}

export interface SubscriptionsListenResultResponse extends JSONRPCResultResponse {
  readonly result: SubscriptionsListenResult;
}

export interface SubscriptionsAcknowledgedNotificationParams extends NotificationParams {
  /** the part of the filter that the server honours */
  readonly notifications: SubscriptionFilter;
}

export interface SubscriptionsAcknowledgedNotification extends Notification {
  readonly method: 'notifications/subscriptions/acknowledged';
  readonly params: SubscriptionsAcknowledgedNotificationParams;
}
