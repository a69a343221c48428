// One scenario while it is played: its links, what was asked how often, and the answers of the server that we are.

import type { Revision } from '../../protocol/revision.ts';
import { openLedger } from '../model/ledger.ts';
import type { Transport } from '../model/requirement.ts';
import { isModern } from '../model/revision.ts';
import type { Seen } from '../model/rule.ts';
import { type Exchange, type Message, Recorder } from '../model/trace.ts';
import { asRecord, at, isRecord, type Json } from '../model/value.ts';
import { capabilitiesOf, completed, ordinary, ordinaryTools, serverInfo } from './default-server.ts';
import type { AskOptions, Link, MockReply, Scenario, Turn } from './scenario.ts';

/** Where a message of ours goes. */
export type Send = (text: string) => { readonly exchange?: Exchange; readonly form?: 'body' | 'event' } | undefined;

const metaVersion = 'io.modelcontextprotocol/protocolVersion';
const metaCapabilities = 'io.modelcontextprotocol/clientCapabilities';

export class Stage {
  readonly scenario: Scenario;
  readonly revision: Revision;
  readonly transport: Transport;
  readonly timeoutMs: number;
  readonly links: ClientConnection[] = [];
  readonly exchanges: Exchange[] = [];
  readonly notes: Map<string, unknown> = new Map();
  readonly #counts = new Map<string, number>();
  readonly #began = performance.now();
  /** When something last came from the client. */
  heardAt: number | undefined;
  /** The client is done, and what ends now is ended by us. */
  isOver = false;
  /** What the scenario still does by itself. */
  busy = 0;

  constructor(scenario: Scenario, revision: Revision, transport: Transport, timeoutMs: number) {
    this.scenario = scenario;
    this.revision = revision;
    this.transport = transport;
    this.timeoutMs = timeoutMs;
    this.notes.set('revision', revision);
  }

  now(): number {
    return Math.round((performance.now() - this.#began) * 10) / 10;
  }

  /** A new connection, in the era of what was said first on it. */
  open(modern: boolean, speak: Send | undefined): ClientConnection {
    const party = new ClientConnection(this, modern, speak);
    this.links.push(party);
    return party;
  }

  count(method: string): number {
    const count = (this.#counts.get(method) ?? 0) + 1;
    this.#counts.set(method, count);
    return count;
  }

  async during(work: () => Promise<void>): Promise<void> {
    this.busy += 1;
    await work().catch((error: unknown) => this.notes.set('failure', error));
    this.busy -= 1;
  }
}

export function isModernMessage(value: unknown): boolean {
  return at(value, 'method') === 'server/discover' || typeof at(value, 'params', '_meta', metaVersion) === 'string';
}

/** Our end of one connection of the client. */
export class ClientConnection implements Link {
  readonly stage: Stage;
  readonly recorder: Recorder;
  readonly isModern: boolean;
  speak: Send | undefined;
  declared: Json = {};
  #isReady = false;
  #nextId = 1;
  readonly #waiting = new Map<unknown, (message: Message) => void>();

  constructor(stage: Stage, modern: boolean, speak: Send | undefined) {
    this.stage = stage;
    this.isModern = modern;
    this.speak = speak;
    const revision = modern === isModern(stage.revision) ? stage.revision : modern ? '2026-07-28' : '2025-11-25';
    this.recorder = new Recorder(stage.scenario.name, stage.transport, revision);
    this.recorder.wild = stage.scenario.wild === true;
  }

  /** In the revision that is judged. */
  get isJudged(): boolean {
    return this.isModern === isModern(this.stage.revision);
  }

  get origin(): string | undefined {
    const origin = this.stage.notes.get('origin');
    return typeof origin === 'string' ? origin : undefined;
  }

  get isOver(): boolean {
    return this.stage.isOver;
  }

  get canSpeak(): boolean {
    return this.speak !== undefined;
  }

  seen(): Seen {
    const { revision } = this.recorder;
    const capabilities = capabilitiesOf(this.stage.scenario, this.stage.revision);
    const greeting = { capabilities, info: serverInfo, instructions: undefined, revision, supported: undefined, result: {} };
    return { conversation: this.recorder, ledger: openLedger(this.recorder), greeting, declared: this.declared };
  }

  ask(method: string, params: Json, options: AskOptions = {}): Promise<Message | undefined> {
    return this.askOn(this.speak, method, params, options);
  }

  notify(method: string, params: Json): void {
    this.send(this.speak, { jsonrpc: '2.0', method, params });
  }

  raw(text: string): void {
    this.#put(this.speak, text, true);
  }

  async askOn(send: Send | undefined, method: string, params: Json, options: AskOptions): Promise<Message | undefined> {
    const { timeoutMs = this.stage.timeoutMs, wild = false } = options;
    const id = options.id ?? `check-${this.#nextId++}`;
    if (send === undefined) return undefined;
    const reply = new Promise<Message | undefined>((resolve) => {
      const limit = setTimeout(() => resolve(undefined), timeoutMs);
      this.#waiting.set(id, (message) => {
        clearTimeout(limit);
        resolve(message);
      });
    });
    this.#put(send, JSON.stringify({ jsonrpc: '2.0', id, method, params }), wild);
    const message = await reply;
    this.#waiting.delete(id);
    return message;
  }

  send(send: Send | undefined, value: Json): void {
    this.#put(send, JSON.stringify(value), false);
  }

  #put(send: Send | undefined, text: string, wild: boolean): void {
    const carried = send?.(text);
    if (send === undefined) return;
    this.recorder.message('sent', Buffer.from(text), { ...carried, ...(wild && { wild }) });
  }

  /** What came from the client; whoever waits for it, or has to answer it, is told. */
  hear(message: Message): 'request' | 'other' {
    this.stage.heardAt = performance.now();
    const { value } = message;
    if (!isRecord(value)) return 'other';
    if (typeof value['method'] !== 'string') {
      this.#waiting.get(value['id'])?.(message);
      return 'other';
    }
    const told = value['method'] === 'initialize' ? at(value, 'params', 'capabilities') : at(value, 'params', '_meta', metaCapabilities);
    if (isRecord(told)) this.declared = told;
    const isRequest = 'id' in value;
    const isFirst = this.isModern ? isRequest && value['method'] !== 'server/discover' : value['method'] === 'notifications/initialized';
    if (isFirst) this.beginScene();
    return isRequest ? 'request' : 'other';
  }

  /** Once, when the client is ready and there is a way to speak to it. */
  beginScene(): void {
    const { ready } = this.stage.scenario;
    if (this.#isReady || ready === undefined || !this.isJudged || !this.canSpeak) return;
    this.#isReady = true;
    void this.stage.during(() => ready(this));
  }

  /** The answer to a request, by the scenario or as any server would give it. */
  async answer(message: Message, send: Send): Promise<MockReply> {
    const { stage } = this;
    const { id, method } = asRecord(message.value);
    const name = String(method);
    const turn: Turn = {
      message,
      id,
      method: name,
      params: asRecord(asRecord(message.value)['params']),
      link: this,
      count: stage.count(this.isJudged ? name : `other ${name}`),
      exchange: message.exchange,
      ask: (asked, params, options = {}) => this.askOn(send, asked, params, options),
      notify: (told, params) => this.send(send, { jsonrpc: '2.0', method: told, params }),
    };
    if (!this.isJudged) return this.refuse(turn);
    const own = stage.scenario.answers?.[name];
    const said = await own?.(turn);
    if (said !== undefined) return said;
    const called = name === 'tools/call' ? await this.#call(turn) : undefined;
    return called ?? ordinary(stage.scenario, stage.revision, turn);
  }

  #call(turn: Turn): MockReply | undefined | Promise<MockReply | undefined> {
    const tools = this.stage.scenario.tools?.(this.stage.revision, this.origin ?? '') ?? ordinaryTools;
    const found = tools.find(({ tool }) => tool['name'] === turn.params['name']);
    if (found === undefined) return undefined;
    return found.call?.(turn) ?? { result: { content: [{ type: 'text', text: 'done' }] } };
  }

  /** A server of another era: each refuses in its own way. */
  refuse({ method, params }: Turn): MockReply {
    if (!this.isModern) {
      const data = { supported: [this.stage.revision], requested: String(params['protocolVersion'] ?? '') };
      return { error: { code: -32022, message: 'Unsupported protocol version', data } };
    }
    return { error: { code: -32601, message: `Method not found: ${method}` } };
  }

  replyText(id: unknown, said: MockReply): string | undefined {
    if ('result' in said) return JSON.stringify({ jsonrpc: '2.0', id, result: completed(said.result, this.stage.revision) });
    if ('error' in said) return JSON.stringify({ jsonrpc: '2.0', id, error: said.error });
    return undefined;
  }

  put(send: Send, text: string): void {
    this.#put(send, text, false);
  }
}
