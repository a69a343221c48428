// Word about a request under way: how far it has come, and that nobody waits for it any more.
import type { Notification, NotificationParams, ProgressToken, RequestId } from './base.ts';

export interface ProgressNotificationParams extends NotificationParams {
  readonly progressToken: ProgressToken;
  /** larger in every notification than in the one before */
  readonly progress: number;
  readonly total?: number;
  /** since 2025-03-26 */
  readonly message?: string;
}

export interface ProgressNotification extends Notification {
  readonly method: 'notifications/progress';
  readonly params: ProgressNotificationParams;
}

export interface CancelledNotificationParams extends NotificationParams {
  /** optional in 2025-11-25 only */
  readonly requestId?: RequestId;
  readonly reason?: string;
}

export interface CancelledNotification extends Notification {
  readonly method: 'notifications/cancelled';
  readonly params: CancelledNotificationParams;
}
