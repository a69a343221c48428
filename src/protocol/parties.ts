// Everything each party may send, over all revisions; methods.ts knows which revision has which.
import type { EmptyResult, Result } from './base.ts';
import type { CompleteRequest, CompleteResult } from './completion.ts';
import type { DiscoverRequest, DiscoverResult } from './discover.ts';
import type { ElicitationCompleteNotification, ElicitRequest, ElicitResult } from './elicitation.ts';
import type { InputRequiredResult } from './input.ts';
import type { InitializedNotification, InitializeRequest, InitializeResult, PingRequest } from './lifecycle.ts';
import type { LoggingMessageNotification, SetLevelRequest } from './logging.ts';
import type { CancelledNotification, ProgressNotification } from './progress.ts';
import type { GetPromptRequest, GetPromptResult, ListPromptsRequest, ListPromptsResult, PromptListChangedNotification } from './prompts.ts';
import type {
  ListResourcesRequest,
  ListResourcesResult,
  ListResourceTemplatesRequest,
  ListResourceTemplatesResult,
  ReadResourceRequest,
  ReadResourceResult,
  ResourceListChangedNotification,
  ResourceUpdatedNotification,
  SubscribeRequest,
  UnsubscribeRequest,
} from './resources.ts';
import type { ListRootsRequest, ListRootsResult, RootsListChangedNotification } from './roots.ts';
import type { CreateMessageRequest, CreateMessageResult } from './sampling.ts';
import type { SubscriptionsAcknowledgedNotification, SubscriptionsListenRequest, SubscriptionsListenResult } from './subscriptions.ts';
import type {
  CancelTaskRequest,
  CancelTaskResult,
  CreateTaskResult,
  GetTaskPayloadRequest,
  GetTaskPayloadResult,
  GetTaskRequest,
  GetTaskResult,
  ListTasksRequest,
  ListTasksResult,
  TaskStatusNotification,
} from './tasks.ts';
import type { CallToolRequest, CallToolResult, ListToolsRequest, ListToolsResult, ToolListChangedNotification } from './tools.ts';

type TaskRequest = GetTaskRequest | GetTaskPayloadRequest | CancelTaskRequest | ListTasksRequest;
type TaskResult = CreateTaskResult | GetTaskResult | GetTaskPayloadResult | CancelTaskResult | ListTasksResult;

export type ClientRequest =
  | InitializeRequest
  | PingRequest
  | DiscoverRequest
  | ListToolsRequest
  | CallToolRequest
  | ListResourcesRequest
  | ListResourceTemplatesRequest
  | ReadResourceRequest
  | SubscribeRequest
  | UnsubscribeRequest
  | SubscriptionsListenRequest
  | ListPromptsRequest
  | GetPromptRequest
  | CompleteRequest
  | SetLevelRequest
  | TaskRequest;

export type ClientNotification =
  | InitializedNotification
  | CancelledNotification
  | ProgressNotification
  | RootsListChangedNotification
  | TaskStatusNotification;

export type ClientResult = Result | EmptyResult | CreateMessageResult | ListRootsResult | ElicitResult | TaskResult;

/** up to 2025-11-25; later a server asks through `InputRequiredResult` only */
export type ServerRequest = PingRequest | CreateMessageRequest | ListRootsRequest | ElicitRequest | TaskRequest;

export type ServerNotification =
  | CancelledNotification
  | ProgressNotification
  | LoggingMessageNotification
  | ToolListChangedNotification
  | ResourceListChangedNotification
  | ResourceUpdatedNotification
  | PromptListChangedNotification
  | SubscriptionsAcknowledgedNotification
  | ElicitationCompleteNotification
  | TaskStatusNotification;

export type ServerResult =
  | EmptyResult
  | InputRequiredResult
  | InitializeResult
  | DiscoverResult
  | ListToolsResult
  | CallToolResult
  | ListResourcesResult
  | ListResourceTemplatesResult
  | ReadResourceResult
  | SubscriptionsListenResult
  | ListPromptsResult
  | GetPromptResult
  | CompleteResult
  | TaskResult;
