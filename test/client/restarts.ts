// A server over HTTP that can be ended and begun anew on the same port, having forgotten everything.
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Revision } from 'vivarium';
import { type HttpServing, type ListenOptions, serveHttp } from 'vivarium/serve/node';
import { Server } from 'vivarium/server';

export interface Restartable {
  readonly url: string;
  readonly sseUrl: string;
  server(): Server;
  /** How often each tool ran, over all lives. */
  readonly runs: Record<string, number>;
  restart(revisions?: readonly Revision[]): Promise<void>;
  stop(): Promise<void>;
}

function createNotes(runs: Record<string, number>, revisions?: readonly Revision[]): Server {
  const server = new Server({ name: 'notes', version: '1.0.0', onError: () => undefined, ...(revisions !== undefined && { revisions }) });
  const count = (name: string): string => {
    runs[name] = (runs[name] ?? 0) + 1;
    return `${name} ${runs[name]}`;
  };
  server.tool('write', {}, () => count('write'));
  server.tool('read', { annotations: { readOnlyHint: true } }, () => count('read'));
  server.tool('log', {}, (_, ctx) => {
    ctx.log('debug', 'a detail');
    ctx.log('error', 'a fault');
    return 'logged';
  });
  server.tool('touch', {}, () => {
    server.resourceUpdated('note:///a');
    return 'touched';
  });
  server.resource('note:///{id}', { name: 'note' }, ({ id }) => `text of ${id}`);
  return server;
}

export async function restartable(revisions?: readonly Revision[], options: ListenOptions = {}): Promise<Restartable> {
  const runs: Record<string, number> = {};
  const rules = { ...options, signals: false };
  let server = createNotes(runs, revisions);
  let serving: HttpServing | undefined = await serveHttp(server, { ...rules, port: 0 });
  const { url, port } = serving;
  const stop = async (): Promise<void> => {
    const ending = serving;
    serving = undefined;
    await ending?.close();
    // By the time this is refused, the ends of all connections have been read: what follows is a call between two lives.
    await refused(port);
  };
  onTestFinished(stop);
  return {
    url,
    sseUrl: url.replace(/\/mcp$/, '/sse'),
    runs,
    server: () => server,
    stop,
    async restart(now = revisions) {
      await stop();
      server = createNotes(runs, now);
      serving = await serveHttp(server, { ...rules, port });
    },
  };
}

async function refused(port: number): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('close', () => resolve()).on('error', () => undefined);
      socket.on('connect', () => socket.destroy());
    });
  }
}
