// Tasks as the core of 2025-11-25 has them: requests whose results are fetched later, in either direction.
import type {
  EmptyResult,
  Notification,
  NotificationParams,
  OpenObject,
  PaginatedRequest,
  PaginatedResult,
  Request,
  RequestParams,
  ResultFields,
} from './base.ts';

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

export interface Task {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly statusMessage?: string;
  /** ISO 8601 */
  readonly createdAt: string;
  /** ISO 8601 */
  readonly lastUpdatedAt: string;
  /** milliseconds from creation, `null` without limit */
  readonly ttl: number | null;
  /** milliseconds */
  readonly pollInterval?: number;
}

/** What a requestor adds to its parameters to get a task instead of the result. */
export interface TaskMetadata {
  readonly ttl?: number;
}

export interface TaskAugmentedRequestParams extends RequestParams {
  /** 2025-11-25 only */
  readonly task?: TaskMetadata;
}

export interface CreateTaskResult extends EmptyResult {
  readonly task: Task;
}

export interface GetTaskRequest extends Request {
  readonly method: 'tasks/get';
  readonly params: RequestParams & { readonly taskId: string };
}

export type GetTaskResult = EmptyResult & Task;

export interface GetTaskPayloadRequest extends Request {
  readonly method: 'tasks/result';
  readonly params: RequestParams & { readonly taskId: string };
}

/** The result of the request that became the task. */
export interface GetTaskPayloadResult extends ResultFields, OpenObject {}

export interface CancelTaskRequest extends Request {
  readonly method: 'tasks/cancel';
  readonly params: RequestParams & { readonly taskId: string };
}

export type CancelTaskResult = EmptyResult & Task;

export interface ListTasksRequest extends PaginatedRequest {
  readonly method: 'tasks/list';
}

export interface ListTasksResult extends PaginatedResult {
  readonly tasks: readonly Task[];
}

export type TaskStatusNotificationParams = NotificationParams & Task;

export interface TaskStatusNotification extends Notification {
  readonly method: 'notifications/tasks/status';
  readonly params: TaskStatusNotificationParams;
}
