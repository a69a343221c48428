// Statuses, headers and names that the rooms of an endpoint share.
import { type ErrorObject, errorCodes } from '../jsonrpc/error.ts';
import type { RequestId } from '../jsonrpc/message.ts';
import { headerNames } from '../protocol/headers.ts';
import { isRevision, type RevisionTraits, traitsOf } from '../protocol/revision.ts';
import type { EndpointHost } from './endpoint-host.ts';
import type { Exchange, Fields } from './exchange.ts';

export const jsonFields: Fields = ['content-type', 'application/json'];

/** Failures of HTTP have its numbers as codes: those of JSON-RPC are taken. */
export function fault(status: number, message: string, data?: object): ErrorObject {
  return data === undefined ? { code: status, message } : { code: status, message, data };
}

/** Calls end, and none begins; what helps them to end is still heard. */
export function closing(endpoint: EndpointHost, exchange: Exchange, id?: RequestId): void {
  endpoint.refuse(exchange, 503, fault(503, 'The server is closing'), { id, traits: spoken(exchange), fields: ['retry-after', '1'] });
}

/** The status that goes with an error of a call. */
export function statusOf(error: ErrorObject | undefined, isModernCall: boolean): number {
  if (error === undefined) return 200;
  switch (error.code) {
    case errorCodes.parseError:
    case errorCodes.invalidRequest:
    case errorCodes.headerMismatch:
    case errorCodes.missingCapability:
    case errorCodes.unsupportedVersion:
      return 400;
    case errorCodes.methodNotFound:
      return isModernCall ? 404 : 200;
    default:
      return 200;
  }
}

/** The revision a client says it speaks, for errors that come before anything is read. */
export function spoken(exchange: Exchange): RevisionTraits | undefined {
  const version = exchange.header(headerNames.version);
  return isRevision(version) ? traitsOf(version) : undefined;
}

export function randomName(bytes = 5): string {
  let name = '';
  for (const byte of crypto.getRandomValues(new Uint8Array(bytes))) name += byte.toString(16).padStart(2, '0');
  return name;
}
