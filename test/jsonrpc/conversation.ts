// A conversation on a raw wire in one revision: bytes go in as they are, messages come out judged.
import type { Revision } from 'vivarium';
import { metaKeys } from 'vivarium/protocol';
import type { Server } from 'vivarium/server';
import { createWire, type Wire } from 'vivarium/testing';
import { clientInfo, type Message } from '../matrix/link.ts';
import { judgeMessage } from '../matrix/schemas.ts';

export type Received = Message | Message[];

export interface ConversationOptions {
  readonly maxMessageBytes?: number;
}

/** The server knows the revision when this is done; without one nothing is said before the test speaks, and nothing is judged. */
export async function converse(server: Server, revision?: Revision, options: ConversationOptions = {}): Promise<Conversation> {
  const talk = new Conversation(createWire(server, options), revision);
  if (talk.modern) await talk.alive();
  else if (revision !== undefined) await talk.handshake();
  return talk;
}

export class Conversation {
  readonly wire: Wire;
  readonly revision: Revision | undefined;
  readonly #methods = new Map<unknown, string>();
  #nextId = 1_000_000;

  constructor(wire: Wire, revision: Revision | undefined) {
    this.wire = wire;
    this.revision = revision;
  }

  get modern(): boolean {
    return this.revision === '2026-07-28';
  }

  /** How this revision writes the id of an error whose request it could not read. */
  get noId(): { readonly id?: null } {
    return this.revision === undefined || this.revision < '2025-11-25' ? { id: null } : {};
  }

  async handshake(): Promise<void> {
    await this.ask('initialize', { protocolVersion: this.revision, capabilities: {}, clientInfo });
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  /** A request as this revision writes it. */
  request(id: string | number, method: string, params: object = {}, meta: object = {}): object {
    const _meta = {
      ...(this.modern && {
        [metaKeys.protocolVersion]: this.revision,
        [metaKeys.clientInfo]: clientInfo,
        [metaKeys.clientCapabilities]: {},
      }),
      ...meta,
    };
    return { jsonrpc: '2.0', id, method, params: Object.keys(_meta).length === 0 ? params : { ...params, _meta } };
  }

  call(id: string | number, name: string, args: object = {}, meta?: object): object {
    return this.request(id, 'tools/call', { name, arguments: args }, meta);
  }

  /** Objects as lines, bytes as they are, a string with its newline added. */
  send(...messages: (object | string | Uint8Array)[]): void {
    for (const message of messages) {
      if (message instanceof Uint8Array) this.wire.send(message);
      else if (typeof message === 'string') this.wire.send(`${message}\n`);
      else {
        for (const { id, method } of [message].flat() as Message[]) if (method !== undefined) this.#methods.set(id, method);
        this.wire.send(message);
      }
    }
  }

  cancel(requestId: unknown): void {
    this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  }

  /** Everything that came back and was not taken, once no call runs. */
  async received(): Promise<Received[]> {
    const received = (await this.wire.quiet()) as Received[];
    for (const message of received) this.#judge(message);
    return received;
  }

  async ask(method: string, params?: object): Promise<Message> {
    const id = this.#nextId++;
    this.send(this.request(id, method, params));
    const [answer, ...more] = (await this.received()) as Message[];
    if (answer?.id !== id || more.length > 0)
      throw new Error(`Expected the answer to ${id} alone, got ${JSON.stringify([answer, ...more])}`);
    return answer;
  }

  /** The server still answers, and had nothing else to say. */
  async alive(): Promise<void> {
    const { error } = await this.ask(this.modern ? 'server/discover' : 'ping');
    if (error !== undefined) throw new Error(error.message);
  }

  #judge(received: Received): void {
    if (this.revision === undefined) return;
    for (const message of [received].flat()) judgeMessage(message, this.revision, this.#methods.get(message.id));
  }
}

export const cancelled = (requestId: unknown): object => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });

export const textOf = (message: Received | undefined): string => (message as Message).result.content[0].text;

export const codeOf = (message: Received | undefined): number | undefined => (message as Message | undefined)?.error?.code;

export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
