// How the honest client carries messages: on a pipe by the frames of the relay, or over HTTP in either form.
import { connect, type Socket } from 'node:net';
import type { Body, Habits } from './hands.ts';
import { list, pause } from './hands.ts';
import type { Browser, HttpAnswer } from './http.ts';

export interface Wire {
  /** One message, a batch, or bytes as they are; `id` where an answer is owed. */
  send(what: Body | readonly Body[] | string | Buffer, more?: { readonly id?: unknown; readonly signal?: AbortSignal }): Promise<void>;
  close(): Promise<void>;
}

export interface Ear {
  hear(text: string): void;
  /** The other side is gone. */
  gone(): void;
  stderr(text: string): void;
}

const encoded = (what: Body | readonly Body[] | string | Buffer): Buffer =>
  Buffer.isBuffer(what) ? what : Buffer.from(typeof what === 'string' ? what : `${JSON.stringify(what)}\n`);

/** In the place of the process that a client would start. */
export async function pipeWire(command: readonly string[], ear: Ear, habits: Habits): Promise<Wire> {
  const [port, key] = command.slice(-2);
  const socket: Socket = connect(Number(port), '127.0.0.1');
  const tell = (...frame: readonly unknown[]): void => void (socket.writable && socket.write(`${JSON.stringify(frame)}\n`));
  let isClosing = false;
  let held = '';
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => undefined);
  socket.setEncoding('utf8').on('data', (text) => {
    const lines = (held + String(text)).split('\n');
    held = lines.pop() ?? '';
    for (const line of lines) {
      const [what, value] = list(JSON.parse(line));
      if (what === 'out') ear.hear(Buffer.from(String(value), 'base64').toString('utf8').trimEnd());
      if (what === 'err') ear.stderr(String(value));
      if (what === 'exit') socket.destroy();
    }
  });
  void closed.then(() => {
    if (!isClosing) ear.gone();
  });
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  tell('hello', key, 0);
  return {
    async send(what) {
      tell('in', encoded(what).toString('base64'));
    },
    async close() {
      isClosing = true;
      for (const step of habits.ending) {
        if (socket.destroyed) return;
        if (step === 'end') tell('end');
        if (step === 'term') tell('signal', 'SIGTERM');
        if (step === 'hup') tell('signal', 'SIGHUP');
        if (step === 'wait') await Promise.race([closed, pause(250)]);
        if (step === 'blink') await pause(20);
        if (step === 'kill') socket.destroy();
      }
    },
  };
}

/** HTTP+SSE of 2024-11-05. */
export async function oldWire(url: URL, ear: Ear, browser: Browser): Promise<Wire> {
  const answer = await browser.fetch({ method: 'GET', url, headers: { accept: 'text/event-stream' } });
  const place = new Promise<URL>((resolve) => {
    void (async () => {
      for await (const { event, data } of answer.events()) {
        if (event === 'endpoint') resolve(new URL(data ?? '', url));
        else ear.hear(data ?? '');
      }
    })();
  });
  const target = await place;
  return {
    async send(what) {
      const body = encoded(what).toString('utf8');
      const said = await browser.fetch({ method: 'POST', url: target, headers: { 'content-type': 'application/json' }, body });
      await said.text();
    },
    close: async () => answer.close(),
  };
}

export interface Exchanging {
  readonly url: URL;
  readonly browser: Browser;
  readonly habits: Habits;
  /** Headers for what is sent: its session, its version, its token. */
  headers(what: unknown): Record<string, string>;
  /** What else an answer means; true when it was dealt with and the message is sent again. */
  judged(answer: HttpAnswer, what: unknown): Promise<'again' | 'taken' | 'go on'>;
  isAnswered(id: unknown): boolean;
  failed(id: unknown, status: number): void;
}

/** Streamable HTTP. */
export function webWire(ear: Ear, by: Exchanging): Wire {
  const type = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return {
    async send(what, { id, signal } = {}) {
      for (;;) {
        const body = encoded(what).toString('utf8').trimEnd();
        const ask = { method: 'POST', url: by.url, headers: { ...type, ...by.headers(what) }, body };
        const answer = await by.browser.fetch(ask, signal);
        const next = await by.judged(answer, what);
        if (next === 'again') continue;
        if (next === 'taken') return;
        return take(answer, id, ear, by);
      }
    },
    async close() {},
  };
}

async function take(answer: HttpAnswer, id: unknown, ear: Ear, by: Exchanging): Promise<void> {
  const kind = answer.header('content-type') ?? '';
  if (kind.startsWith('application/json')) ear.hear(await answer.text());
  else if (kind.startsWith('text/event-stream') && by.habits.readsStreams) {
    const last = await follow(answer, ear);
    if (id === undefined || by.isAnswered(id) || last.id === undefined || !by.habits.resumes) return;
    if (by.habits.waitsForRetry) await pause(Number(last.retry ?? 0));
    const headers = { accept: 'text/event-stream', ...by.headers({}), 'last-event-id': last.id };
    const more = await by.browser.fetch({ method: 'GET', url: by.url, headers });
    await follow(more, ear);
  } else if (!kind.startsWith('text/event-stream')) {
    await answer.text();
    if (id !== undefined) by.failed(id, answer.status);
  }
}

export async function follow(answer: HttpAnswer, ear: Ear): Promise<{ id?: string; retry?: string }> {
  const last: { id?: string; retry?: string } = {};
  for await (const { id, retry, data } of answer.events()) {
    if (id !== undefined) last.id = id;
    if (retry !== undefined) last.retry = retry;
    if (data !== undefined && data !== '') ear.hear(data);
  }
  return last;
}
