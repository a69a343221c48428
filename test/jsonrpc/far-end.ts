// The far end of a pipe, under a test's control: how full it is, when bytes flow, what was written and in how many pieces.
import type { Server } from 'vivarium/server';
import { Pipe, type PipeEnd } from '../../src/serve/pipe.ts';
import { coreOf } from '../../src/server/core.ts';
import { serve } from '../../src/server/requests.ts';
import { clientInfo, type Message } from '../matrix/link.ts';

export class FarEnd implements PipeEnd {
  readonly pipe: Pipe;
  readonly writes: string[] = [];
  readonly flows: boolean[] = [];
  /** What `write` says: false is a reader who is full. */
  room = true;
  flowing = true;
  readonly #waiting: Uint8Array[] = [];
  #resuming = false;

  constructor(server: Server) {
    const core = coreOf(server);
    core.serve ??= serve;
    this.pipe = new Pipe(core, this);
  }

  write(text: string): boolean {
    this.writes.push(text);
    return this.room;
  }

  flow(on: boolean): void {
    this.flows.push(on);
    this.flowing = on;
    if (on) this.#resume();
  }

  /** As a stream does it: a chunk is delivered while bytes flow, and waits while they do not. */
  feed(chunk: Uint8Array | string): void {
    const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
    if (this.flowing && this.#waiting.length === 0) this.pipe.receive(bytes);
    else this.#waiting.push(bytes);
  }

  feedMessages(...messages: object[]): void {
    this.feed(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  }

  /** Messages written since the last time. */
  take(): Message[] {
    return this.writes
      .splice(0)
      .join('')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }

  initialize(protocolVersion = '2025-11-25'): void {
    this.feedMessages({
      jsonrpc: '2.0',
      id: 'initialize',
      method: 'initialize',
      params: { protocolVersion, capabilities: {}, clientInfo },
    });
    const [answer] = this.take();
    if (answer?.result?.protocolVersion !== protocolVersion) throw new Error(`No handshake: ${JSON.stringify(answer)}`);
  }

  #resume(): void {
    if (this.#resuming) return;
    this.#resuming = true;
    setImmediate(() => {
      this.#resuming = false;
      while (this.flowing && this.#waiting.length > 0) this.pipe.receive(this.#waiting.shift() as Uint8Array);
    });
  }
}
