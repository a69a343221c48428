// Log messages from server to client, and how a client of the legacy revisions sets their level.
import type { LoggingLevel, Notification, NotificationParams, Request, RequestParams } from './base.ts';

/** up to 2025-11-25 */
export interface SetLevelRequestParams extends RequestParams {
  readonly level: LoggingLevel;
}

/** up to 2025-11-25; later the level is a key of each request's `_meta` */
export interface SetLevelRequest extends Request {
  readonly method: 'logging/setLevel';
  readonly params: SetLevelRequestParams;
}

export interface LoggingMessageNotificationParams extends NotificationParams {
  readonly level: LoggingLevel;
  readonly logger?: string;
  readonly data: unknown;
}

export interface LoggingMessageNotification extends Notification {
  readonly method: 'notifications/message';
  readonly params: LoggingMessageNotificationParams;
}
