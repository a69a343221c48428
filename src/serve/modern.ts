// 2026-07-28 over HTTP: every request stands alone, says in headers what it says in its body, and ends with its stream.
import { type ErrorObject, errorCodes, faults } from '../jsonrpc/error.ts';
import type { Decoded, Params, ParsedRequest } from '../jsonrpc/message.ts';
import type { Principal } from '../protocol/authorization.ts';
import { decodeHeader, type HeaderParameters, headerNames, headerParameters, namedBy, sameValue } from '../protocol/headers.ts';
import { metaKeys, type Revision, type RevisionTraits, statelessRevisions, traitsOf } from '../protocol/revision.ts';
import type { Answer } from '../server/answer.ts';
import type { Core } from '../server/core.ts';
import { dispatch } from '../server/dispatch.ts';
import { envelopeFault } from '../server/requests.ts';
import { Session } from '../server/session.ts';
import type { Tool } from '../server/tool.ts';
import { breakOff, conclude } from './conclude.ts';
import type { Endpoint } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import type { HttpCall } from './http-call.ts';
import { overloaded } from './limits/overload.ts';
import { HttpReply } from './reply.ts';
import { fault, spoken, statusOf } from './status.ts';

export function modern(call: HttpCall<Endpoint>, message: Decoded): void {
  const { endpoint, exchange, principal } = call;
  const traits = traitsIn(exchange);
  switch (message.kind) {
    case 'request':
      return request(call, message, traits);
    case 'notification':
      endpoint.hearStray(principal, message);
      return endpoint.answer(exchange, 202, [], '');
    case 'response':
      return endpoint.refuse(exchange, 400, faults.invalidRequest('A client of 2026-07-28 sends no responses'), { traits });
    case 'batch':
      return endpoint.refuse(exchange, 400, faults.invalidRequest('A message must be an object; batches exist only in 2025-03-26'), {
        traits,
      });
    case 'refused':
      if (!message.answer) endpoint.core.report(message.error, 'message');
      return endpoint.refuse(exchange, 400, message.error, { id: message.id, traits });
  }
}

function request(call: HttpCall<Endpoint>, message: ParsedRequest, traits: RevisionTraits): void {
  const { endpoint, exchange, principal } = call;
  const { core } = endpoint;
  const wrong = requestFault(core, exchange, message, principal);
  if (wrong !== undefined) return endpoint.refuse(exchange, 400, wrong, { id: message.id, traits });
  const account = exchange.account ?? endpoint.callers.all;
  const listens = message.method === 'subscriptions/listen';
  const limit = account.refuses(1, exchange.weight) ?? (listens ? account.refusesStream() : undefined);
  if (limit !== undefined) return overloaded(endpoint, exchange, limit, { id: message.id, traits });
  const session = new Session(core, principal);
  session.streams = true;
  const reply = new HttpReply(call, 1);
  const finish = (answer: Answer | undefined): void => conclude(call, reply, answer, statusOf(answer?.error, true));
  const outcome = dispatch(session, message, reply);
  if (!(outcome instanceof Promise)) return finish(outcome);
  const untrack = endpoint.track(session, principal, message.id);
  // Here, and only here, hanging up is how a client cancels.
  reply.onGone = () => {
    session.cancel(message.id, undefined);
    session.close();
  };
  reply.wait();
  const ended = (answer: Answer | undefined): void => {
    untrack();
    if (answer === undefined && endpoint.draining)
      breakOff(reply, message.id, 503, fault(503, 'The server is closing'), ['retry-after', '1']);
    else finish(answer);
  };
  outcome.then(ended).catch((error: unknown) => {
    core.report(error, 'http');
    breakOff(reply, message.id, 500, faults.internal());
  });
}

/** Of a revision without handshake, whatever the headers say: this is how the answer to a request that cannot be read is written. */
function traitsIn(exchange: Exchange): RevisionTraits {
  const traits = spoken(exchange);
  return traits?.era === 'modern' ? traits : traitsOf(statelessRevisions[0] as Revision);
}

/** The checks of the specification, in its order; the first that fails is the answer. */
function requestFault(core: Core, exchange: Exchange, message: ParsedRequest, principal: Principal): ErrorObject | undefined {
  const { method, params } = message;
  const version = exchange.header(headerNames.version);
  const said = exchange.header(headerNames.method);
  if (version === undefined) return mismatch('MCP-Protocol-Version is missing');
  if (said === undefined) return mismatch('Mcp-Method is missing');
  const about = namedBy.get(method) ?? core.extensionMethods.get(method)?.mcpName;
  const name = about === undefined ? undefined : exchange.header(headerNames.name);
  if (about !== undefined && name === undefined) return mismatch('Mcp-Name is missing');
  const meta = params?.['_meta'];
  if (typeof meta !== 'object' || meta === null || Array.isArray(meta))
    return faults.invalidParams(`params._meta must hold ${metaKeys.protocolVersion} and ${metaKeys.clientCapabilities}`);
  const own = (meta as Params)[metaKeys.protocolVersion];
  if (own === undefined) return faults.invalidParams(`_meta lacks ${metaKeys.protocolVersion}`);
  if (own !== version) return mismatch('MCP-Protocol-Version differs from _meta');
  if (said !== method) return mismatch('Mcp-Method differs from method');
  if (name !== undefined) {
    const value = params?.[about as string];
    // What is no string is told so by the checks of the method.
    if (typeof value === 'string' && decodeHeader(name) !== value) return mismatch(`Mcp-Name differs from params.${about}`);
  }
  const differs = method === 'tools/call' ? parameterFault(core, exchange, params as Params, principal) : undefined;
  return differs ?? envelopeFault(core, meta as Params);
}

/** Worked out once for each tool; a changed schema is another tool. */
const annotations = new WeakMap<Tool, HeaderParameters>();

function parameterFault(core: Core, exchange: Exchange, params: Params, principal: Principal): ErrorObject | undefined {
  const tool = core.tools.get(params['name'] as string);
  if (tool?.input === undefined || tool.visibleTo?.(principal) === false) return undefined;
  let found = annotations.get(tool);
  if (found === undefined) {
    found = headerParameters(tool.input.json);
    annotations.set(tool, found);
  }
  for (const parameter of found.parameters) {
    if (!sameValue(parameter, params['arguments'], exchange.header(parameter.header))) {
      return mismatch(`${parameter.header} differs from the argument ${parameter.path.join('.')}`);
    }
  }
  return undefined;
}

function mismatch(details: string): ErrorObject {
  return { code: errorCodes.headerMismatch, message: 'Header mismatch', data: { details } };
}
