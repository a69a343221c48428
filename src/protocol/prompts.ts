// Prompts: templates of messages that a user picks by name.
import type {
  BaseMetadata,
  CacheableResult,
  EmptyResult,
  Icons,
  JSONRPCResultResponse,
  MetaObject,
  Notification,
  NotificationParams,
  PaginatedRequest,
  PaginatedResult,
  Request,
  Role,
} from './base.ts';
import type { ContentBlock } from './content.ts';
import type { InputRequiredResult, InputResponseRequestParams } from './input.ts';

export interface Prompt extends BaseMetadata, Icons {
  readonly description?: string;
  readonly arguments?: readonly PromptArgument[];
  /** since 2025-06-18 */
  readonly _meta?: MetaObject;
}

export interface PromptArgument extends BaseMetadata {
  readonly description?: string;
  readonly required?: boolean;
}

export interface PromptMessage {
  readonly role: Role;
  readonly content: ContentBlock;
}

export interface ListPromptsRequest extends PaginatedRequest {
  readonly method: 'prompts/list';
}

export interface ListPromptsResult extends PaginatedResult, CacheableResult {
  readonly prompts: readonly Prompt[];
}

/** since 2026-07-28 */
export interface ListPromptsResultResponse extends JSONRPCResultResponse {
  readonly result: ListPromptsResult;
}

export interface GetPromptRequestParams extends InputResponseRequestParams {
  readonly name: string;
  readonly arguments?: { readonly [name: string]: string };
}

export interface GetPromptRequest extends Request {
  readonly method: 'prompts/get';
  readonly params: GetPromptRequestParams;
}

export interface GetPromptResult extends EmptyResult {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
}

/** since 2026-07-28 */
export interface GetPromptResultResponse extends JSONRPCResultResponse {
  readonly result: GetPromptResult | InputRequiredResult;
}

export interface PromptListChangedNotification extends Notification {
  readonly method: 'notifications/prompts/list_changed';
  readonly params?: NotificationParams;
}
