// Who asked for what runs now, known wherever it leads to: the audit log names them without every function passing them on.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { AroundCall } from '../../server/core.ts';

export interface Caller {
  /** Of the authorization; undefined on stdio, where the client is the process that started the server. */
  readonly principal?: string;
  readonly transport: 'stdio' | 'http' | 'local socket';
  /** Name and version, as the client presents itself: anybody can present themselves as anything. */
  readonly client?: string;
  /** The method of the request and, after it, the tool, prompt or resource. */
  readonly request: string;
}

const maxName = 200;
const callers = new AsyncLocalStorage<Caller | undefined>();

/** Claims of whoever comes by the local socket. No token can hold them, because a symbol is not JSON. */
export const socketClaims: Readonly<Record<string, unknown>> = { transport: Symbol.for('vivarium: local socket') };

/** `single`: there is one client, on stdio. */
export function callerOf({ method, name, ctx }: AroundCall, single: boolean): Caller {
  const { principal, client } = ctx;
  const presented = client.info === undefined ? undefined : `${client.info.name} ${client.info.version}`;
  return {
    ...(principal !== undefined && { principal: bounded(principal.id) }),
    transport: principal?.claims?.['transport'] === socketClaims['transport'] ? 'local socket' : single ? 'stdio' : 'http',
    ...(presented !== undefined && { client: bounded(presented) }),
    request: bounded(name === undefined ? method : `${method} ${name}`),
  };
}

export function calledBy<T>(caller: Caller | undefined, work: () => T): T {
  return callers.run(caller, work);
}

export function currentCaller(): Caller | undefined {
  return callers.getStore();
}

function bounded(text: string): string {
  return text.length > maxName ? `${text.slice(0, maxName)}…` : text;
}
