// The guest over every transport: in this process where the transport allows it, as a child for stdio.
import { onTestFinished } from 'vitest';
import type { Revision } from 'vivarium';
import { serveMemory } from 'vivarium/serve/memory';
import { serveHttp } from 'vivarium/serve/node';
import type { ServerOptions } from 'vivarium/server';
import type { Client, ClientOptions } from '../../src/client/index.ts';
import { createGuest, type Guest } from '../fixtures/rude-guest.mjs';
import { connect, fetchHttp } from './doors.ts';
import { fixture } from './rude.ts';

export type Way = 'memory' | 'stdio' | 'http' | 'sse' | 'fetch' | 'fetch sse';
export const ways: readonly Way[] = ['memory', 'stdio', 'http', 'sse', 'fetch', 'fetch sse'];
export const all: readonly Revision[] = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];

/** HTTP+SSE is of the first revision, and Streamable HTTP came after it. */
export function fits(way: Way, revision: Revision): boolean {
  if (isSse(way)) return revision === '2024-11-05';
  return way === 'memory' || way === 'stdio' || revision !== '2024-11-05';
}

export function isSse(way: Way): boolean {
  return way === 'sse' || way === 'fetch sse';
}

export interface Visit {
  readonly client: Client;
  /** Where it is in this process. */
  readonly guest: Guest | undefined;
}

export async function visit(way: Way, server: Partial<ServerOptions>, options: ClientOptions = {}): Promise<Visit> {
  const { target, guest } = await open(way, server);
  const client = await connect(target, options);
  onTestFinished(() => client.close());
  return { client, guest };
}

export async function open(
  way: Way,
  options: Partial<ServerOptions>,
): Promise<{ target: Parameters<typeof connect>[0]; guest: Guest | undefined }> {
  if (way === 'stdio') {
    return { target: { command: process.execPath, args: [fixture('rude-guest.mjs'), JSON.stringify(options)] }, guest: undefined };
  }
  const guest = createGuest(options);
  if (way === 'memory') return { target: serveMemory(guest), guest };
  const serving = await serveHttp(guest, { port: 0, signals: false, drainMs: 0, sse: isSse(way) });
  onTestFinished(() => serving.close());
  const url = isSse(way) ? serving.url.replace(/\/mcp$/, '/sse') : serving.url;
  return { target: way.startsWith('fetch') ? fetchHttp(url) : url, guest };
}
