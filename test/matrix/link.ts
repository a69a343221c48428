// A connection a test can drive, the same for every transport; every message of the server is judged on the way in.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Revision } from 'vivarium';
import type { Authorizer } from 'vivarium/auth';
import { metaKeys } from 'vivarium/protocol';
import { serveMemory } from 'vivarium/serve/memory';
import type { Principal, Server } from 'vivarium/server';
import { createWire } from 'vivarium/testing';
import { type Door, fetchDoor, nodeDoor } from './doors.ts';
import { HttpClient } from './http.ts';
import { SseClient } from './http-sse.ts';
import { judgeMessage } from './schemas.ts';

/**
 * In this process: `memory` by objects, `wire` through the real framing, `http` through a socket, `stateless` the same without
 * sessions, `fetch` by calls with a Request, `sse` the older of the two transports over HTTP.
 */
export type Transport = 'memory' | 'wire' | 'http' | 'stateless' | 'fetch' | 'sse';

export interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly params?: any;
}

interface Raw {
  send(message: object): void;
  close(): Promise<void>;
  /** What was sent has been read, and what was said before the latest answer is here; at once where there is one connection only. */
  settled?(): Promise<void>;
  /** The handshake has been made. */
  agreed?(version: string): void;
}

export interface LinkOptions {
  readonly revision: Revision;
  readonly capabilities?: object;
  readonly principal?: Principal;
  /** Leave the handshake of a legacy revision to the test. */
  readonly bare?: boolean;
}

export const clientInfo: { readonly name: string; readonly version: string } = { name: 'link', version: '1.0.0' };

export class Link {
  readonly revision: Revision;
  readonly #capabilities: object;
  readonly #methods = new Map<unknown, string>();
  readonly #received: Message[] = [];
  readonly #waiting: { wants: (message: Message) => boolean; take: (message: Message) => void; fail: (error: Error) => void }[] = [];
  #raw: Raw | undefined;
  #nextId = 1;
  /** The first message that broke a schema; thrown at the next opportunity and when the link closes. */
  #broken: Error | undefined;

  constructor({ revision, capabilities }: LinkOptions) {
    this.revision = revision;
    this.#capabilities = capabilities ?? {};
  }

  get modern(): boolean {
    return this.revision === '2026-07-28';
  }

  attach(raw: Raw): void {
    this.#raw = raw;
  }

  arrive(message: Message | Message[]): void {
    for (const one of Array.isArray(message) ? message : [message]) {
      try {
        judgeMessage(one, this.revision, this.#methods.get(one.id));
      } catch (error) {
        this.blame(error as Error);
      }
    }
    const single = message as Message;
    const at = this.#waiting.findIndex(({ wants }) => wants(single));
    if (at === -1) this.#received.push(single);
    else this.#waiting.splice(at, 1)[0]?.take(single);
  }

  /** Something is wrong with what the server sent, or with how. */
  blame(error: Error): void {
    this.#broken ??= error;
    for (const { fail } of this.#waiting.splice(0)) fail(error);
  }

  /** `_meta` of a modern request; more can be merged in. */
  meta(extra: object = {}): object {
    if (!this.modern) return extra;
    return {
      [metaKeys.protocolVersion]: this.revision,
      [metaKeys.clientInfo]: clientInfo,
      [metaKeys.clientCapabilities]: this.#capabilities,
      ...extra,
    };
  }

  /** Exactly this message. */
  send(message: object): void {
    for (const { id, method } of (Array.isArray(message) ? message : [message]) as Message[]) {
      if (id !== undefined && method !== undefined) this.#methods.set(id, method);
    }
    this.#raw?.send(message);
  }

  notify(method: string, params?: object): void {
    this.send({ jsonrpc: '2.0', method, ...(params !== undefined && { params }) });
  }

  /** Starts a request and gives its id; the answer is awaited with `answer(id)`. */
  start(method: string, params: object = {}, meta: object = {}): number {
    const id = this.#nextId++;
    const _meta = this.meta(meta);
    this.send({ jsonrpc: '2.0', id, method, params: Object.keys(_meta).length === 0 ? params : { ...params, _meta } });
    return id;
  }

  answer(id: string | number | null | undefined): Promise<Message> {
    return this.#take((message) => message.id === id && message.method === undefined);
  }

  request(method: string, params?: object, meta?: object): Promise<Message> {
    return this.answer(this.start(method, params, meta));
  }

  call(name: string, args: object = {}, meta?: object): Promise<Message> {
    return this.request('tools/call', { name, arguments: args }, meta);
  }

  next(): Promise<Message> {
    return this.#take(() => true);
  }

  notification(method: string): Promise<Message> {
    return this.#take((message) => message.method === method);
  }

  /** What has arrived and was not taken, after a round trip that proves the server has read everything before it. */
  async rest(): Promise<Message[]> {
    await (this.modern ? this.request('server/discover') : this.request('ping'));
    // List changes are announced at the end of a turn: of this process, or of the child's, which the second trip waits for.
    await new Promise((resolve) => setImmediate(resolve));
    await (this.modern ? this.request('server/discover') : this.request('ping'));
    await this.#raw?.settled?.();
    return this.#received.splice(0);
  }

  async initialize(params: object = {}): Promise<Message> {
    const answer = await this.answer(
      this.start('initialize', { protocolVersion: this.revision, capabilities: this.#capabilities, clientInfo, ...params }),
    );
    if (answer.result !== undefined) this.#raw?.agreed?.(answer.result.protocolVersion);
    this.notify('notifications/initialized');
    await this.#raw?.settled?.();
    return answer;
  }

  async close(): Promise<void> {
    await this.#raw?.close();
    if (this.#broken !== undefined) throw this.#broken;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #take(wants: (message: Message) => boolean): Promise<Message> {
    if (this.#broken !== undefined) throw this.#broken;
    const at = this.#received.findIndex(wants);
    if (at !== -1) return this.#received.splice(at, 1)[0] as Message;
    return new Promise((take, fail) => this.#waiting.push({ wants, take, fail }));
  }
}

export async function open(server: Server, transport: Transport, options: LinkOptions): Promise<Link> {
  const link = new Link(options);
  const settings = options.principal === undefined ? {} : { principal: options.principal };
  if (transport === 'memory') {
    const channel = serveMemory(server, settings);
    channel.receive((message) => link.arrive(structuredClone(message) as Message));
    link.attach({ send: (message) => channel.send(structuredClone(message)), close: () => channel.close() });
  } else if (transport === 'wire') {
    const wire = createWire(server, settings);
    link.attach({ send: (message) => wire.send(message), close: () => wire.close() });
    void (async () => {
      for (;;) link.arrive((await wire.next()) as Message);
    })().catch(() => undefined);
  } else link.attach(await openHttp(server, transport, link, options.principal));
  if (!link.modern && options.bare !== true) await link.initialize();
  return link;
}

async function openHttp(server: Server, transport: Transport, link: Link, principal: Principal | undefined): Promise<Raw> {
  const rules = {
    sse: transport === 'sse',
    ...(transport === 'stateless' && { sessions: false as const }),
    ...(principal !== undefined && { auth: admitting(principal) }),
  };
  const door: Door = transport === 'fetch' ? fetchDoor(server, rules) : await nodeDoor(server, rules);
  return transport === 'sse' ? new SseClient(door, link) : new HttpClient(door, link, transport !== 'stateless');
}

/** Whoever knocks is this one. */
function admitting(principal: Principal): Authorizer {
  return {
    admit: () => ({ principal }),
    stepUp: () => ({ status: 403, error: 'insufficient_scope', description: 'Not enough' }),
  };
}

export interface ChildLink extends Link {
  readonly child: ChildProcess;
  readonly stderr: () => string;
}

const fixtures = fileURLToPath(new URL('../fixtures/', import.meta.url));

/** A real child process that runs a file of test/fixtures on the built package. */
export async function openProcess(
  file: string,
  options: LinkOptions & { readonly args?: string[]; readonly node?: string },
): Promise<ChildLink> {
  const link = new Link(options);
  const child = spawn(options.node ?? process.execPath, [`${fixtures}${file}`, ...(options.args ?? [])], { stdio: 'pipe' });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdin.on('error', () => undefined);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  createInterface({ input: child.stdout }).on('line', (line) => link.arrive(JSON.parse(line)));
  link.attach({
    send: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    close: async () => {
      child.stdin.end();
      await exited;
    },
  });
  if (!link.modern && options.bare !== true) await link.initialize();
  return Object.assign(link, { child, stderr: () => stderr });
}
