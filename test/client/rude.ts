// Servers that misbehave, over a pipe in this process, over stdio, and over HTTP.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Channel, ChannelEnd } from '../../src/protocol/channel.ts';
import { type Line, type Manner, manners } from '../fixtures/rude-manners.mjs';

// biome-ignore lint/suspicious/noExplicitAny: whatever is said
export type Any = any;
export type { Line, Manner };

export function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
}

export function rudeStdio(manner: string): { command: string; args: string[] } {
  return { command: process.execPath, args: [fixture('rude-stdio.mjs'), manner] };
}

export function rudeStart(how: string): { command: string; args: string[] } {
  return { command: process.execPath, args: [fixture('rude-start.mjs'), how] };
}

export interface RudeChannel extends Channel {
  /** What the client said. */
  readonly heard: Any[];
  /** Says it out of turn. */
  say(message: object): void;
  end(end: ChannelEnd): void;
}

/** A pipe whose other end is a function. */
export function rudePipe(how: string | Manner): RudeChannel {
  const manner = typeof how === 'string' ? (manners[how] as Manner) : how;
  const heard: Any[] = [];
  const state = {};
  let tell: (message: object) => void = () => undefined;
  let end: (end: ChannelEnd) => void = () => undefined;
  const closed = new Promise<ChannelEnd>((resolve) => {
    end = resolve;
  });
  const say = (message: unknown): void => queueMicrotask(() => tell(structuredClone(message) as object));
  return {
    kind: 'pipe',
    heard,
    say,
    end,
    closed,
    send(message) {
      heard.push(message);
      const { id, method } = message as Any;
      manner(
        message,
        lineTo(id === undefined || method === undefined ? undefined : id, say, () => end({ wanted: false, exitCode: 1 }), state),
      );
    },
    receive(listener) {
      tell = listener;
    },
    async close() {
      end({ wanted: true });
    },
    async [Symbol.asyncDispose]() {
      end({ wanted: true });
    },
  };
}

function lineTo(id: unknown, say: (message: unknown) => void, die: (code: number) => void, state: Record<string, unknown>): Line {
  return {
    answer: (result) => id !== undefined && say({ jsonrpc: '2.0', id, result }),
    refuse: (code, message, data) => id !== undefined && say({ jsonrpc: '2.0', id, error: { code, message, data } }),
    say,
    die,
    state,
  };
}

export interface RudeHttp {
  readonly url: string;
  readonly port: number;
  /** Requests with a method, in the order they came. */
  readonly heard: { readonly message: Any; readonly headers: IncomingMessage['headers'] }[];
  /** Connections of requests that are not answered yet are cut. */
  cut(): void;
  close(): Promise<void>;
}

/** What a message answers to: streams of events for a manner, or whatever the function does with the response itself. */
export type Reply = (message: Any, response: ServerResponse, request: IncomingMessage) => boolean;

export async function rudeHttp(how: string | Manner, reply: Reply = () => false, port = 0): Promise<RudeHttp> {
  const manner = typeof how === 'string' ? (manners[how] as Manner) : how;
  const heard: RudeHttp['heard'][number][] = [];
  const state = {};
  const open = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    void read(request).then((message) => {
      if (message?.method !== undefined) heard.push({ message, headers: request.headers });
      open.add(response);
      response.on('close', () => open.delete(response));
      if (reply(message, response, request)) return;
      if (request.method !== 'POST') return void response.writeHead(405).end();
      if (message.id === undefined || message.method === undefined) response.writeHead(202).end();
      else response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      const say = (said: unknown): void => {
        response.write(`data: ${JSON.stringify(said)}\n\n`);
        if ((said as Any)?.id === message.id && (said as Any).method === undefined) setImmediate(() => response.end());
      };
      manner(
        message,
        lineTo(message.method === undefined ? undefined : message.id, say, () => response.destroy(), state),
      );
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  const cut = (): void => {
    for (const response of open) response.destroy();
  };
  return { url: `http://127.0.0.1:${own}/mcp`, port: own, heard, cut, close };
}

async function read(request: IncomingMessage): Promise<Any> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text === '' ? undefined : JSON.parse(text);
}

/** Settles when something is so; only for what no event tells of. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** Settles when the process is gone. */
export function gone(pid: number): Promise<void> {
  return until(() => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  });
}

export async function failureOf(promise: Promise<unknown>): Promise<Any> {
  return promise.then(
    () => {
      throw new Error('It did not fail');
    },
    (error) => error,
  );
}
