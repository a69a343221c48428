// For images that cannot inherit a file descriptor: they connect to a port on loopback, with a token that is valid once.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { Duplex, PassThrough } from 'node:stream';

/** Environment variables of the image. */
export const portVariable = 'VIVARIUM_PORT';
export const tokenVariable = 'VIVARIUM_TOKEN';

const maxTokenLine = 1_000;
const maxWaiting = 16;
/** A client that sends no token within this time is disconnected. */
const introduceMs = 5_000;

/** The private channel; it can be written to before the image has connected. */
export interface ConnectBack {
  readonly wire: Duplex;
  readonly token: string;
  /** Resolves with the port. */
  readonly listening: Promise<number>;
  /** Called when the image has disconnected. */
  onHangUp: () => void;
  close(): void;
}

export function listenForImage(): ConnectBack {
  const token = randomBytes(24).toString('base64url');
  const toImage = new PassThrough();
  const fromImage = new PassThrough();
  const waiting = new Set<Socket>();
  let found: Socket | undefined;
  const server: Server = createServer((socket) => {
    // 'close' follows, and is handled.
    socket.on('error', () => undefined);
    if (found !== undefined) return void socket.destroy();
    // Disconnect the oldest: idle clients must not keep the image out.
    if (waiting.size >= maxWaiting) for (const oldest of [...waiting].slice(0, 1)) oldest.destroy();
    waiting.add(socket);
    socket.once('close', () => waiting.delete(socket));
    introduced(socket, token, (rest) => {
      if (found !== undefined) return void socket.destroy();
      found = socket;
      server.close();
      for (const other of waiting) if (other !== socket) other.destroy();
      socket.setNoDelay(true);
      fromImage.write(rest);
      socket.pipe(fromImage);
      toImage.pipe(socket);
      socket.once('close', () => calling.onHangUp());
    });
  });
  const listening = new Promise<number>((resolve, reject) => {
    // Accepting one connection can fail later; the next may succeed.
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
  listening.catch(() => undefined);
  const calling: ConnectBack = {
    wire: Duplex.from({ readable: fromImage, writable: toImage }) as Duplex,
    token,
    listening,
    onHangUp: () => undefined,
    close() {
      if (server.listening) server.close();
      for (const socket of waiting) socket.destroy();
      found?.destroy();
    },
  };
  // It must not keep the process alive.
  server.unref();
  return calling;
}

/** The first line is `{"token":"..."}`; `known` gets the bytes after it. */
function introduced(socket: Socket, token: string, known: (rest: Buffer) => void): void {
  let said: Buffer = Buffer.alloc(0);
  const late = setTimeout(() => socket.destroy(), introduceMs);
  const listen = (bytes: Buffer): void => {
    said = Buffer.concat([said, bytes]);
    const end = said.indexOf(10);
    if (end < 0 && said.length <= maxTokenLine) return;
    clearTimeout(late);
    socket.off('data', listen);
    if (end < 0 || !isToken(said.subarray(0, end).toString(), token)) return void socket.destroy();
    socket.pause();
    known(said.subarray(end + 1));
  };
  socket.on('data', listen);
  socket.once('close', () => clearTimeout(late));
}

function isToken(line: string, token: string): boolean {
  try {
    const given = Buffer.from(String((JSON.parse(line) as { token?: unknown } | null)?.token));
    const wanted = Buffer.from(token);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  } catch {
    return false;
  }
}
