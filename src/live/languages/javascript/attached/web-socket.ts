// A client of WebSocket, no more than the inspector of Node on this machine needs: Node 20 has none of its own.
import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import type { Socket } from 'node:net';

export interface WebSocketEvents {
  message(text: string): void;
  /** Told once, with the reason in words. */
  closed(reason: string): void;
}

export interface OpenSocket {
  send(text: string): void;
  close(): void;
}

const openMs = 3_000;
/** A longer message is no answer to anything we ask. */
const maxBytes = 64 * 1024 * 1024;
const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const opcodes = { continued: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export function openWebSocket(url: URL, events: WebSocketEvents): Promise<OpenSocket> {
  const key = randomBytes(16).toString('base64');
  const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': key };
  return new Promise((resolve, reject) => {
    const asked = request(`http://${url.host}${url.pathname}`, { headers, timeout: openMs, agent: false });
    const fail = (why: string): void => {
      asked.destroy();
      reject(new Error(`The inspector at ${url.host} cannot be reached: ${why}`));
    };
    asked.once('timeout', () => fail('it does not answer'));
    asked.on('error', (error) => fail(error.message));
    asked.once('response', ({ statusCode }) => fail(`it answered ${statusCode}`));
    asked.once('upgrade', ({ headers: answered }, socket: Socket, first) => {
      if (answered['sec-websocket-accept'] !== createHash('sha1').update(`${key}${guid}`).digest('base64'))
        return fail('it is something else');
      socket.setTimeout(0);
      resolve(new Talk(socket, first, events));
    });
    asked.end();
  });
}

class Talk implements OpenSocket {
  readonly #socket: Socket;
  readonly #events: WebSocketEvents;
  #rest: Buffer;
  #parts: Buffer[] = [];
  #length = 0;
  #over = false;

  constructor(socket: Socket, first: Buffer, events: WebSocketEvents) {
    this.#socket = socket;
    this.#events = events;
    this.#rest = first;
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    socket.once('close', () => this.#end('the program ended, or closed its inspector'));
    if (first.length > 0) this.#receive(Buffer.alloc(0));
  }

  send(text: string): void {
    this.#frame(opcodes.text, Buffer.from(text));
  }

  close(): void {
    if (this.#over) return;
    this.#over = true;
    this.#frame(opcodes.close, Buffer.alloc(0));
    this.#socket.end();
    // One that does not answer is not waited for.
    setTimeout(() => this.#socket.destroy(), 500).unref();
  }

  #end(reason: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#socket.destroy();
    this.#events.closed(reason);
  }

  /** Whole and masked, as a client must. */
  #frame(opcode: number, data: Buffer): void {
    if (this.#socket.destroyed) return;
    const mask = randomBytes(4);
    const short = data.length < 126;
    const middle = data.length < 65_536;
    const head = Buffer.alloc(short ? 2 : middle ? 4 : 10);
    head[0] = 0x80 | opcode;
    head[1] = 0x80 | (short ? data.length : middle ? 126 : 127);
    if (!short) middle ? head.writeUInt16BE(data.length, 2) : head.writeBigUInt64BE(BigInt(data.length), 2);
    const masked = Buffer.from(data);
    for (let at = 0; at < masked.length; at++) masked[at] = (masked[at] as number) ^ (mask[at & 3] as number);
    this.#socket.write(Buffer.concat([head, mask, masked]));
  }

  #receive(bytes: Buffer): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    for (;;) {
      if (this.#over || this.#rest.length < 2) return;
      const [first = 0, second = 0] = this.#rest;
      const wide = second & 0x7f;
      const from = wide < 126 ? 2 : wide === 126 ? 4 : 10;
      if (this.#rest.length < from) return;
      const length = wide < 126 ? wide : wide === 126 ? this.#rest.readUInt16BE(2) : Number(this.#rest.readBigUInt64BE(2));
      // Servers do not mask, and have agreed to no extension.
      if ((first & 0x70) !== 0 || (second & 0x80) !== 0) return this.#end('it does not speak as an inspector does');
      if (length + this.#length > maxBytes) return this.#end('it sent more than can be taken');
      if (this.#rest.length < from + length) return;
      const data = this.#rest.subarray(from, from + length);
      this.#rest = this.#rest.subarray(from + length);
      this.#took(first & 0x0f, (first & 0x80) !== 0, data);
    }
  }

  #took(opcode: number, last: boolean, data: Buffer): void {
    if (opcode === opcodes.ping) return this.#frame(opcodes.pong, data);
    if (opcode === opcodes.pong) return;
    if (opcode === opcodes.close) return this.#end('the program closed its inspector');
    this.#parts.push(data);
    this.#length += data.length;
    if (!last) return;
    const text = Buffer.concat(this.#parts).toString();
    this.#parts = [];
    this.#length = 0;
    this.#events.message(text);
  }
}
