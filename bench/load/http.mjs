// An HTTP/1.1 keep-alive connection on a raw socket: cheap enough that the server under test stays the bottleneck.
import { connect } from 'node:net';

const inHead = 0;
const inBody = 1;
const inChunkSize = 2;
const inChunk = 3;
const afterChunk = 4;
const afterLastChunk = 5;

export class HttpConnection {
  #state = inHead;
  #left = 0;
  #status = 0;
  #head = '';
  #body = [];
  #bytes = 0;
  #unread;
  #keepBody;
  #callback;

  constructor(port, { keepBody = false } = {}) {
    this.#keepBody = keepBody;
    this.dead = false;
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.on('data', (data) => this.#feed(data));
    this.socket.on('error', (error) => this.#die(String(error)));
    this.socket.on('close', () => this.#die('closed'));
  }

  get busy() {
    return this.#callback !== undefined;
  }

  ready() {
    return new Promise((resolve, reject) => {
      this.socket.once('connect', resolve);
      this.socket.once('error', reject);
    });
  }

  /** One request at a time; callback(status, head, body, bytes), with status -1 when the connection is gone. */
  send(text, callback) {
    if (this.dead) return callback(-1, 'dead', undefined, 0);
    this.#callback = callback;
    this.socket.write(text);
  }

  request(text) {
    return new Promise((resolve) => this.send(text, (status, head, body, bytes) => resolve({ status, head, body, bytes })));
  }

  /** Drops the answer under way: it will never be reported. */
  forget() {
    this.#callback = undefined;
  }

  close() {
    this.socket.destroy();
  }

  #die(why) {
    this.dead = true;
    const callback = this.#callback;
    this.#callback = undefined;
    callback?.(-1, why, undefined, 0);
  }

  #finish() {
    const callback = this.#callback;
    const status = this.#status;
    const head = this.#head;
    const bytes = this.#bytes;
    const body = this.#keepBody ? Buffer.concat(this.#body) : undefined;
    this.#callback = undefined;
    this.#state = inHead;
    this.#body = [];
    this.#bytes = 0;
    callback?.(status, head, body, bytes);
  }

  #feed(data) {
    const chunk = this.#unread ? Buffer.concat([this.#unread, data]) : data;
    this.#unread = undefined;
    let at = 0;
    while (at < chunk.length) {
      const next = this.#step(chunk, at);
      if (next === -1) {
        this.#unread = chunk.subarray(at);
        return;
      }
      at = next;
    }
  }

  /** Consumes one piece from `at` and returns where the next begins, or -1 when more bytes are needed. */
  #step(chunk, at) {
    switch (this.#state) {
      case inHead:
        return this.#readHead(chunk, at);
      case inBody:
      case inChunk: {
        const size = Math.min(this.#left, chunk.length - at);
        if (this.#keepBody) this.#body.push(Buffer.from(chunk.subarray(at, at + size)));
        this.#bytes += size;
        this.#left -= size;
        if (this.#left === 0 && this.#state === inBody) this.#finish();
        else if (this.#left === 0) this.#state = afterChunk;
        return at + size;
      }
      case inChunkSize: {
        const end = chunk.indexOf('\r\n', at);
        if (end === -1) return -1;
        this.#left = Number.parseInt(chunk.latin1Slice(at, end), 16);
        this.#state = this.#left === 0 ? afterLastChunk : inChunk;
        return end + 2;
      }
      default:
        if (chunk.length - at < 2) return -1;
        if (this.#state === afterLastChunk) this.#finish();
        else this.#state = inChunkSize;
        return at + 2;
    }
  }

  #readHead(chunk, at) {
    const end = chunk.indexOf('\r\n\r\n', at);
    if (end === -1) return -1;
    this.#head = chunk.latin1Slice(at, end);
    this.#status = Number(this.#head.slice(9, 12));
    const length = /\ncontent-length: *(\d+)/i.exec(this.#head);
    this.#left = length ? Number(length[1]) : 0;
    if (this.#left > 0) this.#state = inBody;
    else if (!length && /\ntransfer-encoding: *chunked/i.test(this.#head)) this.#state = inChunkSize;
    else this.#finish();
    return end + 4;
  }
}
