// An honest client of every revision on every transport, within this process, into which a mutant puts its hands.
import type { Launch, Launched, Launcher } from '../../../../src/check/clients/launch.ts';
import { Answers, Refusal } from './answers.ts';
import { Authorization } from './authorization.ts';
import { type Body, type Habits, type Hands, honest, list, members, pause } from './hands.ts';
import { Browser, type HttpAnswer } from './http.ts';
import { paramHeaders, wordOf } from './marks.ts';
import { visitAll } from './round.ts';
import { type Ear, follow, oldWire, pipeWire, type Wire, webWire } from './wire.ts';

const prefix = 'io.modelcontextprotocol/';
const info = { name: 'model', version: '1.0.0' };

/** All that a client of the revision can have. */
export function everything(revision: string): Body {
  const isNewer = revision >= '2025-11-25';
  const tasks = { list: {}, cancel: {}, requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } };
  return {
    roots: revision < '2026-07-28' ? { listChanged: true } : {},
    sampling: isNewer ? { tools: {} } : {},
    ...(revision >= '2025-06-18' && { elicitation: isNewer ? { form: {}, url: {} } : {} }),
    ...(revision === '2025-11-25' && { tasks }),
  };
}

export function launcher(hands: Hands = {}): Launcher {
  return (door, told): Launched => {
    const model = new Model(hands, told, door);
    let isStopped = false;
    const halt = new Promise<void>((resolve) => {
      model.halt = () => {
        model.isDead = true;
        resolve();
      };
    });
    const work = visitAll(model).then(
      () => 0,
      () => model.habits.failureCode,
    );
    const ended = Promise.race([work, halt.then(() => 143)]).then(async (code) => {
      model.dispose();
      // As for a process: what it sent last is on its way.
      await pause(30);
      return { code, signal: null, stopped: isStopped, stderr: '' };
    });
    return {
      ended,
      stop() {
        isStopped = true;
        model.halt();
      },
    };
  };
}

interface Waiting {
  resolve(result: Body): void;
  reject(error: Error): void;
}

export class Model implements Ear {
  readonly habits: Habits;
  readonly told: Launch;
  halt: () => void = () => undefined;
  isDead = false;
  /** What was agreed on. */
  revision: string;
  readonly declared: Body;
  /** What the server said of itself. */
  server: Body = {};
  tools: readonly Body[] = [];
  failure: Error | undefined;
  readonly #hands: Hands;
  readonly #door: { readonly url?: string; readonly command?: readonly string[] };
  readonly #browser: Browser;
  readonly #answers: Answers;
  readonly #authorization: Authorization | undefined;
  #wire: Wire | undefined;
  #session: string | undefined;
  #nextId = 0;
  #isGone = false;
  #isModern = false;
  readonly #waiting = new Map<unknown, Waiting>();
  readonly #cancelled = new Set<unknown>();
  readonly #answered = new Set<unknown>();
  #subscription: Body | undefined;

  constructor(hands: Hands, told: Launch, door: { readonly url?: string; readonly command?: readonly string[] }) {
    this.habits = { ...honest, ...hands.habits };
    this.told = told;
    this.revision = told.revision;
    this.declared = hands.declares ?? hands.capabilities ?? everything(told.revision);
    this.#hands = hands;
    this.#door = door;
    this.#browser = new Browser(this.habits.headersByCase, (ask) => hands.ask?.(ask));
    if (door.url !== undefined) this.#authorization = new Authorization(this.#browser, this.habits, told.revision, new URL(door.url));
    this.#answers = new Answers({
      declared: hands.capabilities ?? everything(told.revision),
      habits: this.habits,
      notify: (method, params) => void this.notify(method, params),
      fetch: (address) => void this.get(address),
    });
  }

  dispose(): void {
    this.#browser.close();
    void this.#wire?.close().catch(() => undefined);
  }

  /** Whatever is at an address, of no concern to the protocol. */
  async get(address: string, headers: Record<string, string> = {}): Promise<void> {
    const answer = await this.#browser.fetch({ method: 'GET', url: new URL(address), headers }).catch(() => undefined);
    await answer?.text();
  }

  get isModern(): boolean {
    return this.#isModern;
  }

  async connect(isAgain = false): Promise<void> {
    await this.#open();
    if (this.told.revision < '2026-07-28') return this.#handshake();
    this.#isModern = true;
    if (!this.habits.probes || (isAgain && this.habits.remembersEra)) return this.#resubscribe(isAgain);
    try {
      if (isAgain) return await this.#handshake();
      this.server = await this.request('server/discover', {});
    } catch (error) {
      const code = error instanceof Refusal ? error.code : 0;
      if (code === -32022 && this.habits.readsRefusals) {
        if (!this.habits.triesAgain) throw error;
        this.server = await this.request('server/discover', {});
      } else if (code !== 0 && (this.habits.fallsBack || code === -32601)) return this.#handshake();
      else throw error;
    }
    await this.#resubscribe(isAgain);
  }

  async #open(): Promise<void> {
    this.#isGone = false;
    const { url, command } = this.#door;
    if (command !== undefined) this.#wire = await pipeWire(command, this, this.habits);
    else if (this.told.transport === 'sse') this.#wire = await oldWire(new URL(url ?? ''), this, this.#browser);
    else {
      const headers = (what: unknown) => this.#headers(what);
      const judged = (answer: HttpAnswer, what: unknown) => this.#judged(answer, what);
      this.#wire = webWire(this, {
        url: new URL(url ?? ''),
        browser: this.#browser,
        habits: this.habits,
        headers,
        judged,
        isAnswered: (id) => !this.#waiting.has(id),
        failed: (id, status) => this.#settle(id, (one) => one.reject(new Error(`status ${status}`))),
      });
    }
  }

  async #resubscribe(isAgain: boolean): Promise<void> {
    if (isAgain ? this.habits.subscribesAgain : this.told.transport === 'stdio') {
      this.#subscription ??= { notifications: { toolsListChanged: true } };
      void this.request('subscriptions/listen', this.#subscription, { isEndless: true }).catch(() => undefined);
    }
  }

  async #handshake(): Promise<void> {
    this.#isModern = false;
    const { protocolVersion } = this.habits;
    this.server = await this.request('initialize', { protocolVersion, capabilities: this.declared, clientInfo: info });
    const agreed = String(this.server['protocolVersion']);
    if (!this.habits.speaks.includes(agreed) && this.habits.leavesUnknownVersion) throw new Error(`unknown version ${agreed}`);
    this.revision = agreed;
    await this.notify('notifications/initialized', {});
    if (this.told.transport === 'http' && this.habits.listens) void this.#listen().catch(() => undefined);
  }

  async #listen(): Promise<void> {
    const ask = { method: 'GET', url: new URL(this.#door.url ?? ''), headers: { accept: 'text/event-stream', ...this.#headers({}) } };
    const answer = await this.#browser.fetch(ask);
    if (answer.status === 200) await follow(answer, this);
    else await answer.text();
  }

  #headers(what: unknown): Record<string, string> {
    const { method, params } = members(what);
    const token = this.#authorization?.token;
    const name = wordOf(members(params), String(method));
    return {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(token === undefined && this.habits.basic && { authorization: 'Basic bW9kZWw6' }),
      ...(this.#session !== undefined && { 'mcp-session-id': this.#session }),
      ...((this.#isModern || Object.keys(this.server).length > 0) && method !== 'initialize' && { 'mcp-protocol-version': this.revision }),
      ...(this.#isModern && typeof method === 'string' && { 'mcp-method': method }),
      ...(this.#isModern && name !== undefined && { 'mcp-name': name }),
      ...(this.#isModern && method === 'tools/call' && paramHeaders(this.tools, members(params))),
    };
  }

  async #judged(answer: HttpAnswer, what: unknown): Promise<'again' | 'taken' | 'go on'> {
    const session = answer.header('mcp-session-id');
    if (session !== undefined) this.#session = session;
    if (answer.status === 401 || answer.status === 403) {
      await answer.text();
      if (await this.#authorization?.obtain(answer.status, answer.header('www-authenticate') ?? '')) return 'again';
      throw new Error(`status ${answer.status}`);
    }
    if (answer.status !== 404 || this.#session === undefined || this.#isModern || !this.habits.beginsAnew) return 'go on';
    await answer.text();
    const lost = this.#session;
    this.#session = this.habits.keepsSessionOnAnew ? lost : undefined;
    await this.#handshake();
    return this.#session === lost || what === undefined ? 'taken' : 'again';
  }

  async notify(method: string, params: Body): Promise<void> {
    await this.#send({ jsonrpc: '2.0', method, ...(Object.keys(params).length > 0 && { params }) });
  }

  async #send(message: Body, more: { readonly id?: unknown; readonly signal?: AbortSignal } = {}): Promise<void> {
    if (this.isDead) return;
    const all = this.#hands.out?.(message) ?? [message];
    await Promise.all(all.map((one) => this.#wire?.send(one, more)));
  }

  async request(method: string, params: Body, more: { readonly token?: unknown; readonly isEndless?: boolean } = {}): Promise<Body> {
    const id = ++this.#nextId;
    const meta: Body = {
      ...(this.#isModern && {
        [`${prefix}protocolVersion`]: this.revision,
        [`${prefix}clientCapabilities`]: this.declared,
        [`${prefix}clientInfo`]: info,
      }),
      ...(more.token !== undefined && { progressToken: more.token }),
      ...members(params['_meta']),
    };
    const all = { ...params, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
    const stop = new AbortController();
    let limit: ReturnType<typeof setTimeout> | undefined;
    const answer = new Promise<Body>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      const { timeoutMs, silenceMs } = this.habits;
      const patience = this.told.scenario === 'silence' && params['name'] === 'never_answers' ? silenceMs : timeoutMs;
      if (more.isEndless !== true && Number.isFinite(patience)) {
        limit = setTimeout(() => this.#giveUp(id, method, stop, reject), patience);
      }
    });
    this.#send({ jsonrpc: '2.0', id, method, ...(Object.keys(all).length > 0 && { params: all }) }, { id, signal: stop.signal }).catch(
      (error: unknown) => this.#settle(id, (one) => one.reject(error as Error)),
    );
    try {
      return await answer;
    } finally {
      clearTimeout(limit);
      this.#waiting.delete(id);
    }
  }

  /** Initialize is never cancelled. */
  #giveUp(id: unknown, method: string, stop: AbortController, reject: (error: Error) => void): void {
    this.#waiting.delete(id);
    const isClosed = (this.#isModern || this.habits.hangsUp) && this.told.transport === 'http';
    if (this.habits.cancels && isClosed) stop.abort();
    else if (this.habits.cancels && method !== 'initialize') void this.notify('notifications/cancelled', { requestId: id });
    reject(new Error('timeout'));
  }

  #settle(id: unknown, how: (waiting: Waiting) => void): void {
    const one = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (one !== undefined) how(one);
  }

  stderr(): void {
    if (this.habits.failsOnStderr) this.halt();
  }

  gone(): void {
    this.#isGone = true;
    for (const id of [...this.#waiting.keys()]) this.#settle(id, (one) => one.reject(new Error('the server is gone')));
  }

  /** Starts the server anew where it has gone; true when there is one again. */
  async revive(): Promise<boolean> {
    if (!this.#isGone || !this.habits.restarts || this.told.revision < '2026-07-28') return false;
    await this.connect(true);
    return true;
  }

  hear(text: string): void {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value) && this.habits.batches) for (const one of value) this.#message(members(one));
    else if (!Array.isArray(value)) this.#message(members(value));
  }

  #message(message: Body): void {
    const { id, method } = message;
    if (typeof method === 'string' && id === undefined && this.habits.answersNotifications)
      void this.#wire?.send({ jsonrpc: '2.0', id: null, result: {} });
    if (method === 'notifications/elicitation/complete' && this.habits.diesOnComplete) this.halt();
    if (method === 'notifications/cancelled') return this.#cancel(members(message['params']));
    if (typeof method !== 'string') {
      const { result, error } = message;
      if (this.habits.diesOnLate && !this.#waiting.has(id)) this.halt();
      if (result !== undefined) this.#settle(id, (one) => one.resolve(members(result)));
      else this.#settle(id, (one) => one.reject(new Refusal(Number(members(error)['code']), String(members(error)['message']))));
      return;
    }
    if (id !== undefined) void this.#answer(id, method, members(message['params']));
  }

  #cancel({ requestId }: Body): void {
    const kind = requestId === undefined ? 'malformed' : this.#answered.has(requestId) ? 'completed' : 'unknown';
    if (this.habits.dropsAfterBadCancel === kind) this.halt();
    this.#cancelled.add(requestId);
  }

  async #answer(id: unknown, method: string, params: Body): Promise<void> {
    let reply: Body;
    try {
      // What is taken back in the same breath is never begun, however late that is seen.
      if (method !== 'ping') await pause(id === 'check-cancelled' ? 150 : 5);
      const result = await this.#answers.answer(method, params);
      reply = { result: this.#hands.answer?.(method, params, result) ?? result };
    } catch (error) {
      const { code, message } = error instanceof Refusal ? error : new Refusal(-32603, String(error));
      reply = { error: { code, message } };
    }
    if (this.#cancelled.has(id)) {
      if (!this.habits.answersAfterCancel) return;
      await pause(350);
    }
    this.#answered.add(id);
    await this.#send({ jsonrpc: '2.0', id, ...reply }).catch(() => undefined);
  }

  /** What a server asks for by a result, in 2026-07-28. */
  async inputs(requests: Body): Promise<Body> {
    const made = Object.entries(requests).map(async ([key, value]) => {
      const { method, params } = members(value);
      const result = await this.#answers.answer(String(method), members(params));
      return [key, this.#hands.answer?.(String(method), members(params), result) ?? result];
    });
    return Object.fromEntries(await Promise.all(made));
  }

  async close(): Promise<void> {
    if (this.#session !== undefined && this.habits.deletes) {
      const ask = { method: 'DELETE', url: new URL(this.#door.url ?? ''), headers: this.#headers({}) };
      await (await this.#browser.fetch(ask)).text();
    }
    await this.#wire?.close();
  }

  capabilityOf(...path: readonly string[]): unknown {
    return path.reduce<unknown>((here, key) => members(here)[key], this.server['capabilities']);
  }

  examplesOf(tool: Body): Body {
    return members(list(members(tool['inputSchema'])['examples'])[0]);
  }
}
