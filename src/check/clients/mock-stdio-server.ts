// Our half of a server on stdio: a socket on the loopback to which the relay program hands what the client writes.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isModern } from '../model/revision.ts';
import { parseJson as parsed } from '../model/trace.ts';
import { asList, at } from '../model/value.ts';
import { createLineReader } from '../wire/lines.ts';
import { type ClientConnection, isModernMessage, type Send, type Stage } from './stage.ts';
import { relayProgram } from './stdio-relay.ts';

export interface Door {
  /** What the client starts, or connects to. */
  readonly command?: readonly string[];
  readonly url?: string;
  close(): Promise<void>;
}

const maxLine = 16 * 1024 * 1024;

export async function openPipeDoor(stage: Stage): Promise<Door> {
  const key = randomUUID();
  const folder = mkdtempSync(join(tmpdir(), 'vivarium-check-'));
  const file = join(folder, 'server.mjs');
  writeFileSync(file, relayProgram);
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    receive(stage, socket, key);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    command: [process.execPath, file, String(port), key],
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      process.off('exit', remove);
      remove();
    },
  };
}

function receive(stage: Stage, socket: Socket, key: string): void {
  const tell = (...frame: readonly unknown[]): void => void (socket.writable && socket.write(`${JSON.stringify(frame)}\n`));
  const pipe = new Pipe(stage, tell);
  let known = false;
  const reader = createLineReader((line) => {
    const [what, value] = asList(parsed(line.toString('utf8')));
    if (what === 'hello') known = value === key;
    if (!known) return void socket.destroy();
    if (what === 'hello') pipe.begin();
    if (what === 'in' && typeof value === 'string') pipe.hear(Buffer.from(value, 'base64'));
    if (what === 'end') pipe.end();
    if (what === 'signal') pipe.signal(String(value));
  }, maxLine);
  socket.on('data', (bytes) => reader.push(bytes));
  socket.on('error', () => undefined);
  socket.on('close', () => pipe.gone());
}

/** One server process, as the client sees it; what is said in another era on the same pipe is written down apart. */
class Pipe {
  readonly #stage: Stage;
  readonly #tell: (...frame: readonly unknown[]) => void;
  readonly #lines = createLineReader((line) => this.#line(line), maxLine);
  #parties: ClientConnection[] = [];
  #current: ClientConnection | undefined;
  #isOver = false;

  constructor(stage: Stage, tell: (...frame: readonly unknown[]) => void) {
    this.#stage = stage;
    this.#tell = tell;
  }

  readonly #send: Send = (text) => {
    this.#tell('out', Buffer.from(`${text}\n`).toString('base64'));
    return undefined;
  };

  begin(): void {
    const { stderr } = this.#stage.scenario;
    if (stderr !== undefined) this.#tell('err', stderr);
  }

  hear(bytes: Buffer): void {
    this.#lines.push(bytes);
  }

  #party(modern: boolean): ClientConnection {
    const found = this.#parties.find((one) => one.isModern === modern);
    if (found !== undefined) return found;
    const made = this.#stage.open(modern, this.#send);
    this.#parties.push(made);
    return made;
  }

  #line(line: Buffer): void {
    const value = parsed(line.toString('utf8'));
    const method = asMethod(value);
    // A reply, or what is no message, belongs to whoever spoke last; what lacks its version, to the era that is judged.
    const modern =
      isModernMessage(value) ||
      (method === undefined || method.startsWith('notifications/')
        ? (this.#current?.isModern ?? isModern(this.#stage.revision))
        : method !== 'initialize' && isModern(this.#stage.revision) && this.#parties.every((one) => one.isModern));
    const party = this.#party(modern);
    this.#current = party;
    for (const message of party.recorder.message('received', line)) {
      if (party.hear(message) === 'request') void this.#answer(party, message);
    }
  }

  async #answer(party: ClientConnection, message: Parameters<ClientConnection['answer']>[0]): Promise<void> {
    const said = await party.answer(message, this.#send);
    if ('exit' in said) return void this.#tell('exit', said.exit);
    const reply = party.replyText((message.value as { id: unknown }).id, said);
    if (reply !== undefined) party.put(this.#send, reply);
  }

  end(): void {
    const rest = this.#lines.rest();
    this.#happen('end-of-input', '');
    if (rest.length > 0) this.#happen('unfinished-line', rest.toString('utf8').slice(0, 1000));
    if (this.#stage.scenario.stubborn !== true) this.#tell('exit', 0);
  }

  signal(name: string): void {
    this.#happen('signal', name);
    if (this.#stage.scenario.stubborn !== true) this.#tell('exit', 0);
  }

  gone(): void {
    if (this.#isOver || this.#stage.isOver) return;
    this.#isOver = true;
    this.#happen('exit', '');
    for (const party of this.#parties) party.speak = undefined;
  }

  #happen(what: 'end-of-input' | 'signal' | 'exit' | 'unfinished-line', detail: string): void {
    this.#stage.heardAt = performance.now();
    for (const { recorder } of this.#parties) recorder.happen(what, detail);
  }
}

function asMethod(value: unknown): string | undefined {
  const method = at(value, 'method');
  return typeof method === 'string' ? method : undefined;
}
