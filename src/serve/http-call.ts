// An HTTP request that was let in: where it arrived, who sent it, and the path that names the resource.
import type { Principal } from '../protocol/authorization.ts';
import type { EndpointHost } from './endpoint-host.ts';
import type { Exchange } from './exchange.ts';

export interface HttpCall<E extends EndpointHost = EndpointHost> {
  readonly endpoint: E;
  readonly exchange: Exchange;
  readonly principal: Principal;
  /** As the client wrote it, without the query. */
  readonly path: string;
}
