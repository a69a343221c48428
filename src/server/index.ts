// vivarium/server
export { RpcError, VivariumError } from '../jsonrpc/error.ts';
export { audio, image } from '../protocol/constructors.ts';
export type { InputOf, OutputOf } from '../schema/infer.ts';
export { jsonSchema } from '../schema/schema.ts';
export type { BaseContext, ClientFeature, ClientIdentity, Context, Principal } from './context.ts';
export type { ErrorInfo, ServerOptions } from './options.ts';
export { type ResultOptions, result, ToolError } from './result.ts';
export { type Definition, defineTool, type Registered, Server } from './server.ts';
export type { ToolDetails, ToolHandler, ToolOptions, WholeResult } from './tool-options.ts';
