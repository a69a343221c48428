// The front door: what most programs need, by name.
export { errorCodes, RpcError, VivariumError } from './jsonrpc/error.ts';
export { audio, image } from './protocol/constructors.ts';
export { type Era, type Revision, revisions } from './protocol/revision.ts';
export type * from './protocol/types.ts';
export { jsonSchema } from './schema/schema.ts';
export { Server } from './server/server.ts';
export { result, ToolError } from './server/tool.ts';
