// MCP over a local socket, both ends: the server's in `vivarium live`, the client's in `vivarium eval`.
import { createConnection, type Socket } from 'node:net';
import { Inbox } from '../../../connect/inbox.ts';
import { Outbox } from '../../../connect/stdio-outbox.ts';
import { VivariumError } from '../../../jsonrpc/error.ts';
import { LineSplitter } from '../../../jsonrpc/lines.ts';
import { socketClaims } from '../../../live/access/caller.ts';
import { type OpenDoor, openDoor } from '../../../live/access/local-socket.ts';
import type { Channel, ChannelEnd, Connector, Sending } from '../../../protocol/channel.ts';
import { Pipe } from '../../../serve/pipe.ts';
import type { Principal } from '../../../server/context.ts';
import { coreOf } from '../../../server/core.ts';
import type { Server } from '../../../server/server.ts';
import { printable } from '../../terminal/terminal.ts';

const maxBytes = 64 * 1024 * 1024;
/** For calls that run when the person has gone. */
const farewellMs = 500;

/** Lets `vivarium eval` in, as the principal of this id. A server that nobody can visit is still one. */
export async function welcome(server: Server, project: string, id = 'local'): Promise<OpenDoor | undefined> {
  try {
    return await openDoor(project, (socket) => serveSocket(server, socket, { id, scopes: [], claims: socketClaims }));
  } catch (error) {
    process.stderr.write(`vivarium eval will not find this server: ${printable((error as Error).message)}\n`);
    return undefined;
  }
}

function serveSocket(server: Server, socket: Socket, principal: Principal): void {
  const pipe = new Pipe(
    coreOf(server),
    { write: (text) => socket.write(text), flow: (on) => void (on ? socket.resume() : socket.pause()) },
    // One for all who come this way: what a person defines is there the next time.
    { principal, sessionId: 'local' },
  );
  socket.on('data', (chunk) => pipe.receive(chunk)).on('drain', () => pipe.drained());
  socket.on('error', () => undefined).once('close', () => pipe.close());
  socket.once('end', () => void pipe.finish(farewellMs).then(() => socket.end()));
}

export function localSocket(path: string): Connector {
  return {
    target: path,
    open: () =>
      new Promise((resolve, reject) => {
        const socket = createConnection(path);
        const refused = (cause: Error): void => reject(new VivariumError('ERR_CONNECT', `Nobody listens at ${path}`, { cause }));
        socket.once('error', refused).once('connect', () => {
          socket.off('error', refused);
          resolve(channelOn(socket));
        });
      }),
  };
}

function channelOn(socket: Socket): Channel {
  const inbox = new Inbox();
  const outbox = new Outbox(socket, maxBytes, () => undefined);
  let wanted = false;
  const lines = new LineSplitter(
    {
      line: (text) => {
        for (const message of inbox.read(text) ?? []) inbox.deliver(message);
      },
      // What our own server sends is neither.
      fault: () => socket.destroy(),
    },
    maxBytes,
  );
  socket.on('data', (chunk) => lines.push(chunk));
  const closed = new Promise<ChannelEnd>((resolve) => {
    socket.once('close', () => {
      const message = 'The server has ended';
      outbox.fail(message);
      resolve({ wanted, ...(!wanted && { message }) });
    });
  });
  const close = async (): Promise<void> => {
    wanted = true;
    inbox.close();
    socket.destroy();
    await closed;
  };
  return {
    kind: 'pipe',
    closed,
    close,
    send: (message: object, sending?: Sending) => outbox.put(message, sending),
    receive: (listener) => inbox.receive(listener),
    junk: (listener) => inbox.junk(listener),
    trace: () => inbox.trace(),
    [Symbol.asyncDispose]: close,
  };
}
