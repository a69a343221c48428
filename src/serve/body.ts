// The body of a request: its size, its bytes, its JSON, each refused with the status that belongs to it.
import { faults, VivariumError } from '../jsonrpc/error.ts';
import { type Decoded, decodeMessage, decodeValue } from '../jsonrpc/message.ts';
import { weightOf } from '../jsonrpc/weight.ts';
import type { Endpoint } from './endpoint.ts';
import type { BodyFault, Exchange } from './exchange.ts';
import { overloaded } from './limits/overload.ts';
import { closing, fault, spoken } from './status.ts';

const maxDepth = 256;

export function readMessage(endpoint: Endpoint, exchange: Exchange, then: (message: Decoded, text: string) => void): void {
  const { maxBodyBytes, perCaller } = endpoint.settings;
  exchange.read(maxBodyBytes, (body) => {
    if (body === 'too-much') {
      const limit = exchange.account?.refuses(0, maxBodyBytes) ?? 'bytes';
      return overloaded(endpoint, exchange, limit, { traits: spoken(exchange), close: true });
    }
    if (body === 'too-large') {
      const error = fault(413, `The body is larger than ${maxBodyBytes} bytes: raise maxBodyBytes`);
      return endpoint.refuse(exchange, 413, error, { traits: spoken(exchange), close: true });
    }
    if (body === 'taken') {
      const hint = 'The body was read before it reached this handler: leave it, or pass it on as request.body';
      return endpoint.failed(exchange, new VivariumError('ERR_CONFIG', hint));
    }
    if (body === 'not-utf8') {
      return endpoint.refuse(exchange, 400, faults.parseError('Not valid UTF-8'), { traits: spoken(exchange) });
    }
    try {
      const text = typeof body === 'string' ? body : JSON.stringify(body.value);
      exchange.weight = weightOf(text);
      if (exchange.weight > perCaller.maxBytes) {
        const error = fault(413, `The body takes more than ${perCaller.maxBytes} bytes of memory: raise perCaller.maxBytes`);
        return endpoint.refuse(exchange, 413, error, { traits: spoken(exchange), close: true });
      }
      if (endpoint.settings.tap !== undefined) endpoint.show('in', text);
      const message = decode(body);
      if (endpoint.draining && (message.kind === 'request' || message.kind === 'batch')) {
        return closing(endpoint, exchange, message.kind === 'request' ? message.id : undefined);
      }
      then(message, text);
    } catch (error) {
      endpoint.failed(exchange, error);
    }
  });
}

function decode(body: Exclude<string | { readonly value: unknown }, BodyFault>): Decoded {
  return typeof body === 'string' ? decodeMessage(body, maxDepth) : decodeValue(body.value, maxDepth);
}
