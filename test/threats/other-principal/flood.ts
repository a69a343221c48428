// A caller without manners: many connections to a server in a small process, large messages, and nothing is read unless asked for.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** Heap of the server in MiB: its default limits must hold here. */
const heap = 512;
const fixture = fileURLToPath(new URL('../../fixtures/flooded.mjs', import.meta.url));

const tokens = { alice: 'alice-alice-alice', mallory: 'mallory-mallory-mallory' } as const;
export type Who = keyof typeof tokens | 'nobody';

export interface Told {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
export type Json = any;

export class Flooded {
  readonly port: number;
  readonly #child: ChildProcess;

  constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Memory of the process in MiB, with what is outside of the heap; undefined where the system does not tell. */
  get memory(): number | undefined {
    try {
      const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${this.#child.pid}/status`, 'latin1'))?.[1];
      return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
    } catch {
      return undefined;
    }
  }

  async open(): Promise<Socket> {
    const socket = connect({ port: this.port, host: '127.0.0.1', noDelay: true });
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    return socket;
  }

  /** One request on a connection of its own; its answer, or undefined when the server hung up or left it open for so long. */
  async send(request: Buffer, waitMs = 60_000): Promise<Told | undefined> {
    const socket = await this.open();
    socket.write(request);
    return told(socket, waitMs);
  }

  async call(who: Who, name: string, args: object = {}): Promise<Told | undefined> {
    return this.send(modern(who, 'tools/call', { name, arguments: args }));
  }

  async metrics(): Promise<string> {
    return (await this.send(Buffer.from('GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')))?.text ?? '';
  }

  /** How often a limit refused something, by its name. */
  async refused(): Promise<Readonly<Record<string, number>>> {
    const counts = [...(await this.metrics()).matchAll(/^vivarium_http_refused_total\{limit="(\w+)"\} (\d+)$/gm)];
    return Object.fromEntries(counts.map(([, limit, count]) => [limit, Number(count)]));
  }
}

export async function flood(settings: object = {}): Promise<Flooded> {
  const child = spawn(process.execPath, [`--max-old-space-size=${heap}`, fixture, JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const line of createInterface(child.stdout)) return new Flooded(child, Number(line));
  throw new Error('The server did not start: npm run build');
}

/** The answer that comes next; a stream counts as one when its head is there. */
function told(socket: Socket, waitMs = 60_000): Promise<Told | undefined> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const timer = setTimeout(() => done(undefined), waitMs);
    const done = (answer: Told | undefined): void => {
      clearTimeout(timer);
      socket.off('data', read).off('close', over);
      resolve(answer);
    };
    const over = (): void => done(undefined);
    const read = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk]);
      const end = received.indexOf('\r\n\r\n');
      if (end === -1) return;
      const [first = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
      const headers = Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
      );
      const body = received.subarray(end + 4);
      if (body.length >= Number(headers['content-length'] ?? 0))
        done({ status: Number(first.split(' ')[1]), headers, text: body.toString() });
    };
    socket.on('data', read).on('close', over);
  });
}

const usual = ['Host: localhost', 'Content-Type: application/json', 'Accept: application/json, text/event-stream'];

export function post(who: Who, body: object | string, headers: readonly string[] = [], path = '/mcp'): Buffer {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const own = who === 'nobody' ? [] : [`Authorization: Bearer ${tokens[who]}`];
  const lines = [`POST ${path} HTTP/1.1`, ...usual, ...own, ...headers, `Content-Length: ${bytes.length}`];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes]);
}

const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };

export function modernBody(method: string, params: object, id: unknown = 1): object {
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...meta, ...(params as { _meta?: object })._meta } } };
}

export function modern(who: Who, method: string, params: object, id: unknown = 1): Buffer {
  const { name } = params as { name?: string };
  const headers = ['MCP-Protocol-Version: 2026-07-28', `Mcp-Method: ${method}`, ...(name === undefined ? [] : [`Mcp-Name: ${name}`])];
  return post(who, modernBody(method, params, id), headers);
}

export function initialize(who: Who, version = '2025-11-25', capabilities: object = {}): Buffer {
  const params = { protocolVersion: version, capabilities, clientInfo: { name: 'flood', version: '1' } };
  return post(who, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
}

/** Statuses, and how often each came; undefined is none. */
export function tally(answers: readonly (Told | undefined)[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[String(answer?.status)] = (counts[String(answer?.status)] ?? 0) + 1;
  return counts;
}

/** One after the other within each of so many lanes: a flood, but one that a test can afford. */
export async function inLanes<T>(count: number, work: (at: number) => Promise<T>, lanes = 8): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) results[at] = await work(at);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}
