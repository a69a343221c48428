// Tools: what a server lists, how a client calls one, and what comes back.
import type {
  CacheableResult,
  EmptyResult,
  JSONRPCResultResponse,
  Notification,
  NotificationParams,
  OpenObject,
  PaginatedRequest,
  PaginatedResult,
  Request,
} from './base.ts';
import type { ContentBlock } from './content.ts';
import type { InputRequiredResult, InputResponseRequestParams } from './input.ts';
import type { TaskAugmentedRequestParams } from './tasks.ts';
import type { Tool } from './tool.ts';

export interface ListToolsRequest extends PaginatedRequest {
  readonly method: 'tools/list';
}

export interface ListToolsResult extends PaginatedResult, CacheableResult {
  readonly tools: readonly Tool[];
}

/** since 2026-07-28 */
export interface ListToolsResultResponse extends JSONRPCResultResponse {
  readonly result: ListToolsResult;
}

export interface CallToolRequestParams extends InputResponseRequestParams, TaskAugmentedRequestParams {
  readonly name: string;
  readonly arguments?: OpenObject;
}

export interface CallToolRequest extends Request {
  readonly method: 'tools/call';
  readonly params: CallToolRequestParams;
}

export interface CallToolResult extends EmptyResult {
  readonly content: readonly ContentBlock[];
  /** since 2025-06-18; an object up to 2025-11-25, any JSON value after */
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** since 2026-07-28 */
export interface CallToolResultResponse extends JSONRPCResultResponse {
  readonly result: CallToolResult | InputRequiredResult;
}

export interface ToolListChangedNotification extends Notification {
  readonly method: 'notifications/tools/list_changed';
  readonly params?: NotificationParams;
}
