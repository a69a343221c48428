// A raw wire to a server in this process: the real framing and dispatch, with bytes under the test's control.
import { VivariumError } from '../jsonrpc/error.ts';
import { Pipe, type PipeOptions } from '../serve/pipe.ts';
import { coreOf, soon } from '../server/core.ts';
import { equip } from '../server/requests.ts';
import type { Server } from '../server/server.ts';
import { type Transcript, TranscriptRecorder } from './transcript.ts';

export interface Wire {
  /** An object is sent as one message; a string or bytes exactly as they are, so the newline is yours to write. */
  send(message: object | string | Uint8Array): void;
  /** The next message the server has sent or will send. */
  next(): Promise<object>;
  /** Sends a request and gives back its answer; what else arrives meanwhile stays for `next`. */
  request(method: string, params?: object): Promise<{ readonly id: string | number; readonly result?: unknown; readonly error?: unknown }>;
  /** Settles when no call runs any more; gives everything received and not yet taken. */
  quiet(): Promise<readonly object[]>;
  readonly transcript: Transcript;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Opens a raw connection to a server, as a pipe would. */
export function createWire(server: Server, options: PipeOptions = {}): Wire {
  return new MemoryWire(server, options);
}

class MemoryWire implements Wire {
  readonly transcript: TranscriptRecorder = new TranscriptRecorder();
  readonly #pipe: Pipe;
  readonly #received: object[] = [];
  readonly #waiting: {
    readonly wants: (message: object) => boolean;
    readonly take: (message: object) => void;
    readonly give: (up: Error) => void;
  }[] = [];
  readonly #decoder = new TextDecoder();
  #partial = '';
  #nextId = 1;
  #closed = false;

  constructor(server: Server, options: PipeOptions) {
    const core = coreOf(server);
    // As in memory: what a process loads after its first answer is here at once.
    equip(core);
    this.#pipe = new Pipe(
      core,
      {
        write: (text) => {
          for (const line of text.split('\n')) if (line !== '') this.#arrive(line);
          return true;
        },
        flow: () => undefined,
      },
      options,
    );
  }

  send(message: object | string | Uint8Array): void {
    if (this.#closed) throw new VivariumError('ERR_CLOSED', 'The wire is closed');
    const bytes =
      message instanceof Uint8Array
        ? message
        : new TextEncoder().encode(typeof message === 'string' ? message : `${JSON.stringify(message)}\n`);
    // A line is written down when it is whole, however many pieces it came in.
    const lines = (this.#partial + this.#decoder.decode(bytes, { stream: true })).split('\n');
    this.#partial = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') this.transcript.add('client', line);
    this.#pipe.receive(bytes);
  }

  next(): Promise<object> {
    return this.#take(() => true);
  }

  async request(method: string, params?: object): Promise<{ id: string | number; result?: unknown; error?: unknown }> {
    const id = this.#nextId++;
    this.send({ jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) });
    return (await this.#take((message) => (message as { id?: unknown }).id === id && !('method' in message))) as { id: number };
  }

  async quiet(): Promise<readonly object[]> {
    await this.#pipe.idle();
    // Changes of lists are announced at the end of a turn.
    await new Promise<void>((resolve) => soon(resolve));
    await this.#pipe.idle();
    return this.#received.splice(0);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#pipe.finish(2_000);
    for (const { give } of this.#waiting.splice(0)) give(new VivariumError('ERR_CLOSED', 'The wire is closed'));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #take(wants: (message: object) => boolean): Promise<object> {
    const at = this.#received.findIndex(wants);
    if (at !== -1) return Promise.resolve(this.#received.splice(at, 1)[0] as object);
    if (this.#closed) return Promise.reject(new VivariumError('ERR_CLOSED', 'The wire is closed'));
    return new Promise((take, give) => this.#waiting.push({ wants, take, give }));
  }

  #arrive(line: string): void {
    this.transcript.add('server', line);
    const message = JSON.parse(line) as object;
    const at = this.#waiting.findIndex(({ wants }) => wants(message));
    if (at === -1) this.#received.push(message);
    else this.#waiting.splice(at, 1)[0]?.take(message);
  }
}
