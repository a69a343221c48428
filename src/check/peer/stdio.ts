// A client on a pipe: one message a line, written as given.

import { type Message, Recorder } from '../trace.ts';
import type { Json } from '../value.ts';
import { asRecord } from '../value.ts';
import { createLineReader } from '../wire/lines.ts';
import type { OpenPipe, Pipe } from '../wire/pipe.ts';
import { greet } from './greet.ts';
import { replyTo } from './manners.ts';
import {
  type Answer,
  answerFrom,
  type Greeting,
  isModern,
  isReplyTo,
  type Peer,
  type Presentation,
  type RawOptions,
  type SendOptions,
  withMeta,
} from './peer.ts';
import { createWaiting, type Waiting } from './waiting.ts';

/** A peer on a pipe can also end it, and see how the server ends. */
export interface PipePeer extends Peer {
  readonly pipe: Pipe;
  /** Bytes without any end of line, in pieces that are written one after another. */
  write(pieces: readonly (Buffer | string)[]): void;
  end(): void;
  /** How the server ended, if it did within that time. */
  exit(patience: number): Promise<string | undefined>;
}

export function openPipe(open: OpenPipe, presentation: Presentation): PipePeer {
  return new StdioPeer(open, presentation);
}

/** With the handshake of its revision; a string says why there is none. */
export async function connectPipe(
  open: OpenPipe,
  presentation: Presentation,
): Promise<PipePeer | { readonly refused: string; readonly peer: PipePeer }> {
  const peer = new StdioPeer(open, presentation);
  const greeting = await greet(peer, presentation);
  if (typeof greeting === 'string') {
    const why = peer.gone ?? greeting;
    await peer.close();
    return { refused: why, peer };
  }
  peer.greeting = greeting;
  return peer;
}

class StdioPeer implements PipePeer {
  readonly conversation: Recorder;
  readonly transport = 'stdio';
  readonly revision;
  readonly declared: Json;
  greeting: Greeting = { capabilities: {}, info: {}, instructions: undefined, revision: '', supported: undefined, result: {} };
  gone: string | undefined;
  readonly pipe: Pipe;
  readonly #waiting: Waiting;
  readonly #presentation: Presentation;
  #count = 0;
  #paced: Promise<void> = Promise.resolve();

  constructor(open: OpenPipe, presentation: Presentation) {
    this.#presentation = presentation;
    this.revision = presentation.revision;
    this.declared = presentation.capabilities;
    const recorder = new Recorder(presentation.name, 'stdio', presentation.revision);
    this.conversation = recorder;
    this.#waiting = createWaiting(recorder, presentation.patience);
    const lines = createLineReader((line, carriage) => {
      if (carriage) recorder.happen('bad-end-of-line', line.toString('utf8').slice(0, 200));
      for (const message of recorder.message('received', line)) this.#answer(message);
    });
    this.pipe = open({ stdout: (bytes) => lines.push(bytes), stderr: (bytes) => recorder.hearStderr(bytes) });
    void this.pipe.ended.then((how) => {
      const rest = lines.rest();
      if (rest.length > 0) recorder.happen('unfinished-line', rest.toString('utf8').slice(0, 400));
      recorder.happen('exit', how);
      this.gone = this.pipe.unstarted ?? `the server has gone (${how})`;
      this.#waiting.giveUp(this.gone);
    });
  }

  async request(method: string, params?: Json, options: SendOptions = {}): Promise<Answer> {
    this.#count += 1;
    const id = 'id' in options ? options.id : this.#count;
    const full = withMeta(params, this.#presentation, options);
    const message = { jsonrpc: '2.0', id, method, ...(full !== undefined && { params: full }) };
    return this.raw(JSON.stringify(message), { ...options, reply: id as string | number });
  }

  async notify(method: string, params?: Json, options: SendOptions = {}): Promise<Answer> {
    const full = isModern(this.revision) ? params : withMeta(params, this.#presentation, options);
    return this.raw(JSON.stringify({ jsonrpc: '2.0', method, ...(full !== undefined && { params: full }) }), options);
  }

  async raw(bytes: Buffer | string, options: RawOptions = {}): Promise<Answer> {
    await this.#pace();
    const line = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    const { reply } = options;
    const from = this.conversation.messages.length;
    const sent = this.conversation.message('sent', line, options.wild === true ? { wild: true } : {});
    if (options.wild === true) this.conversation.wild = true;
    if (this.gone !== undefined) return { sent, silence: this.gone };
    this.pipe.write(Buffer.concat([line, Buffer.from('\n')]));
    if (reply === undefined) return { sent };
    const { message, silence } = await this.#waiting.wait((one) => isReplyTo(one.value, reply), { from, patience: options.patience });
    return answerFrom(sent, message, silence);
  }

  write(pieces: readonly (Buffer | string)[]): void {
    this.conversation.wild = true;
    for (const piece of pieces) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
      this.pipe.write(bytes);
    }
    const all = Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
    this.conversation.message('sent', all, { wild: true });
  }

  async settle(): Promise<boolean> {
    const answer = await this.request(isModern(this.revision) ? 'server/discover' : 'ping');
    return answer.message !== undefined;
  }

  async see(wanted: (message: Message) => boolean, patience: number): Promise<Message | undefined> {
    const known = this.conversation.messages.find((one) => one.direction === 'received' && wanted(one));
    if (known !== undefined) return known;
    return (await this.#waiting.wait(wanted, { from: this.conversation.messages.length, patience, exact: true })).message;
  }

  end(): void {
    this.conversation.happen('end-of-input', '');
    this.pipe.end();
  }

  async exit(patience: number): Promise<string | undefined> {
    return within(this.pipe.ended, patience);
  }

  async close(patience = 500): Promise<void> {
    if (this.gone !== undefined) return;
    if (!this.conversation.happenings.some(({ what }) => what === 'end-of-input')) this.end();
    if ((await this.exit(patience)) !== undefined) return;
    this.conversation.happen('signal', 'SIGTERM');
    this.pipe.kill('SIGTERM');
    if ((await this.exit(1_000)) !== undefined) return;
    this.conversation.happen('signal', 'SIGKILL');
    this.pipe.kill('SIGKILL');
    await this.exit(1_000);
  }

  #answer(message: Message): void {
    if (this.#presentation.mute === true) return;
    const reply = replyTo(message.value, this.declared);
    if (reply === undefined || isModern(this.revision)) return;
    const bytes = Buffer.from(JSON.stringify(reply));
    this.conversation.message('sent', bytes);
    this.pipe.write(Buffer.concat([bytes, Buffer.from('\n')]));
  }

  #pace(): Promise<void> {
    const { pace } = this.#presentation;
    if (pace === 0) return Promise.resolve();
    const turn = this.#paced;
    this.#paced = turn.then(() => new Promise((resolve) => setTimeout(resolve, pace)));
    return turn;
  }
}

export function within<T>(promise: Promise<T>, patience: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), patience);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

export function isPipePeer(peer: Peer): peer is PipePeer {
  return peer.transport === 'stdio' && asRecord(peer as unknown)['pipe'] !== undefined;
}
