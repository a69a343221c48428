// vivarium/client: for connectors and channels, wherever JavaScript runs.
import { RpcError, VivariumError } from '../jsonrpc/error.ts';
import type { Channel, Connector } from '../protocol/channel.ts';
import { type Client, connectWith } from './client.ts';
import type { ClientOptions } from './options.ts';
import { checkReachable } from './target.ts';

export type { AuthProvider } from '../protocol/authorization.ts';
export type { Channel, Connector } from '../protocol/channel.ts';
export type { Failure } from '../protocol/failure.ts';
export type { CallOptions, Client, ToolResult } from './client.ts';
export { modelView } from './model-view.ts';
export type {
  ClientEvents,
  ClientExtension,
  ClientOptions,
  HandlerContext,
  Handlers,
  Progress,
  RequestOptions,
  Timeouts,
  Verdict,
  Warning,
} from './options.ts';
export { RpcError, VivariumError };

/** A connector can be opened again, which is what recovery needs; a channel is used up when it ends. */
export async function connect(target: Connector | Channel, options?: ClientOptions): Promise<Client> {
  checkReachable(target);
  return connectWith(isConnector(target) ? target : once(target), options);
}

function isConnector(target: Connector | Channel): target is Connector {
  return 'open' in target;
}

function once(channel: Channel): Connector {
  let used = false;
  return {
    target: 'a channel',
    open() {
      if (used)
        return Promise.reject(
          new VivariumError('ERR_CONNECT', 'The channel has ended, and there is no way to open it again: give a connector'),
        );
      used = true;
      return Promise.resolve(channel);
    },
  };
}
