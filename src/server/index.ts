// vivarium/server
export { RpcError, VivariumError } from '../jsonrpc/error.ts';
export { audio, image } from '../protocol/constructors.ts';
export type { InputOf, OutputOf } from '../schema/infer.ts';
export { jsonSchema } from '../schema/schema.ts';
export type { Completer, CompletionContext } from './completion.ts';
export type {
  BaseContext,
  ClientFeature,
  ClientIdentity,
  Context,
  Elicitation,
  Elicited,
  Log,
  Principal,
  ResourceContext,
} from './context.ts';
export type { Around, AroundCall } from './core.ts';
export type { Extension, ExtensionCall, ExtensionHost, Trait } from './extension.ts';
export type { AskingOptions, ErrorInfo, ServerOptions } from './options.ts';
export type { PromptDetails, PromptHandler, PromptOptions, PromptReturn } from './prompt.ts';
export type { ResourceDetails, ResourceHandler, ResourceOptions, ResourceReturn } from './resource.ts';
export { type Definition, definePrompt, defineResource, defineTool, type Registered, Server } from './server.ts';
export { type ResultOptions, result, ToolError } from './tool.ts';
export type { ToolDetails, ToolHandler, ToolOptions, WholeResult } from './tool-options.ts';
export type { Variables } from './uri-template/variables.ts';
