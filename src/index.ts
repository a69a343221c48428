// The front door: what most programs need, by name.
import { type Client, connect as connectTo } from './client/index.ts';
import { checkOptions } from './client/options.ts';
import { asUrl, type Command, type ConnectOptions, checkReachable, checkUrlOptions, type Target } from './client/target.ts';
import type { Channel, Connector } from './protocol/channel.ts';

export type {
  CallOptions,
  Client,
  ClientEvents,
  ClientOptions,
  Failure,
  Handlers,
  RequestOptions,
  ToolResult,
  Verdict,
} from './client/index.ts';
export { modelView } from './client/model-view.ts';
export type { Command, ConnectOptions, Target } from './client/target.ts';
export { errorCodes, RpcError, VivariumError } from './jsonrpc/error.ts';
export { audio, image } from './protocol/constructors.ts';
export { type Era, type Revision, revisions } from './protocol/revision.ts';
export type * from './protocol/types.ts';
export { jsonSchema } from './schema/schema.ts';
export { Server } from './server/server.ts';
export { result, ToolError } from './server/tool.ts';

/**
 * Connects to any server: finds out what it speaks, and looks after the connection.
 *
 * @example
 * await using client = await connect({ command: 'npx', args: ['-y', 'some-server'] });
 */
export async function connect(target: Target, options: ConnectOptions = {}): Promise<Client> {
  checkOptions(options, ['auth', 'headers']);
  const { auth: _auth, headers: _headers, ...rest } = options;
  return connectTo(await asConnector(target, options), rest);
}

/** What reaches a server is loaded only when it is used. */
async function asConnector(target: Target, options: ConnectOptions): Promise<Connector | Channel> {
  if (typeof target === 'string' || target instanceof URL) {
    const url = asUrl(target);
    const { auth, headers } = options;
    const { http } = await import('./connect/http.ts');
    return http(url, { ...(auth !== undefined && { auth }), ...(headers !== undefined && { headers }) });
  }
  if (typeof target !== 'object' || target === null || !('command' in target)) {
    checkReachable(target);
    checkUrlOptions(target, options);
    return target;
  }
  checkUrlOptions(target, options);
  const { stdio } = await import('./connect/stdio.ts');
  return stdio(target satisfies Command);
}
