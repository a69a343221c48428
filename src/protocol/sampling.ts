// Sampling: a server asks the client's model for a message.
import type { EmptyResult, JSONObject, MetaObject, OpenObject, Request, ResultMetaObject, Role } from './base.ts';
import type { AudioContent, ContentBlock, ImageContent, TextContent } from './content.ts';
import type { TaskAugmentedRequestParams } from './tasks.ts';
import type { Tool } from './tool.ts';

export interface CreateMessageRequestParams extends TaskAugmentedRequestParams {
  readonly messages: readonly SamplingMessage[];
  readonly maxTokens: number;
  readonly modelPreferences?: ModelPreferences;
  readonly systemPrompt?: string;
  /** anything but `none` is deprecated since 2025-11-25 and needs the capability `sampling.context` */
  readonly includeContext?: 'none' | 'thisServer' | 'allServers';
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  readonly metadata?: JSONObject;
  /** since 2025-11-25 */
  readonly tools?: readonly Tool[];
  /** since 2025-11-25 */
  readonly toolChoice?: ToolChoice;
}

/** In 2026-07-28 only inside `inputRequests`. */
export interface CreateMessageRequest extends Request {
  readonly method: 'sampling/createMessage';
  readonly params: CreateMessageRequestParams;
}

export interface CreateMessageResult extends EmptyResult, SamplingMessage {
  readonly _meta?: ResultMetaObject;
  readonly model: string;
  readonly stopReason?: 'endTurn' | 'stopSequence' | 'maxTokens' | 'toolUse' | (string & Record<never, never>);
}

export interface SamplingMessage {
  readonly role: Role;
  /** a list since 2025-11-25 */
  readonly content: SamplingMessageContentBlock | readonly SamplingMessageContentBlock[];
  /** since 2025-11-25 */
  readonly _meta?: MetaObject;
}

export type SamplingMessageContentBlock = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;

/** since 2025-11-25 */
export interface ToolUseContent {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: OpenObject;
  readonly _meta?: MetaObject;
}

/** since 2025-11-25 */
export interface ToolResultContent {
  readonly type: 'tool_result';
  readonly toolUseId: string;
  readonly content: readonly ContentBlock[];
  /** an object in 2025-11-25, any JSON value after */
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: MetaObject;
}

/** since 2025-11-25 */
export interface ToolChoice {
  readonly mode?: 'auto' | 'none' | 'required';
}

/** Priorities run from 0 to 1; the client may ignore all of this. */
export interface ModelPreferences {
  readonly hints?: readonly ModelHint[];
  readonly costPriority?: number;
  readonly speedPriority?: number;
  readonly intelligencePriority?: number;
}

export interface ModelHint {
  /** part of a model's name */
  readonly name?: string;
}
