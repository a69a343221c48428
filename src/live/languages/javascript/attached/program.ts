// A program that was there before, behind its inspector, as an image: it answers the wire of docs/live-wire.md as far as it can.
import { type Duplex, duplexPair } from 'node:stream';
import type { Fault } from '../../../image/engine.ts';
import { Refused } from '../../../image/refusal.ts';
import type { ScopedCell } from '../cells/scoped-cell.ts';
import { ValueInspector } from './inspect.ts';
import { Protocol, Refusal } from './protocol.ts';
import { type Evaluated, framesIn, type Remote, type Thrown, textOf, typeOf } from './remote.ts';
import { AttachedScopes, runTaken } from './scopes.ts';

type Frame = Readonly<Record<string, unknown>>;

/** Its own limit ends what runs a little before we would: only the engine can. */
const aheadMs = 50;
/** A machine with much to do is late. */
const lateMs = 2_000;

/** The near end of the wire. Ends with the program; destroyed, it leaves the program as it is. */
export async function attachTo(url: URL, left: (protocol: Protocol) => Promise<void> = async () => undefined): Promise<Duplex> {
  const protocol = new Protocol();
  await protocol.open(url);
  const [near, far] = duplexPair();
  near.once('close', () => far.destroy());
  far.once('close', () => near.destroy());
  new AttachedProgram(protocol, far, left);
  return near;
}

class AttachedProgram {
  readonly #protocol: Protocol;
  readonly #looking: ValueInspector;
  readonly #scopes: AttachedScopes;
  readonly #stream: Duplex;
  #secret: string | undefined;
  #rest = '';
  /** The cell that runs, and what it prints. */
  #cell: number | undefined;
  #listens = false;
  /** The evaluation asked for last, and when the engine ends it. */
  #limited: { readonly until: number; readonly asked: Promise<unknown> } | undefined;

  constructor(protocol: Protocol, stream: Duplex, left: (protocol: Protocol) => Promise<void>) {
    this.#protocol = protocol;
    this.#looking = new ValueInspector(protocol);
    this.#scopes = new AttachedScopes(protocol);
    this.#stream = stream;
    stream.setEncoding('utf8').on('data', (text: string) => this.#received(text));
    stream.on('error', () => undefined);
    stream.once(
      'close',
      () =>
        void left(protocol)
          .catch(() => undefined)
          .then(() => protocol.close()),
    );
    protocol.onClosed = () => stream.destroy();
    protocol.onEvent = (method, params) => {
      this.#scopes.heard(method, params);
      if (method === 'Runtime.consoleAPICalled' && this.#listens) this.#printed(params as unknown as Printed);
    };
  }

  #received(text: string): void {
    this.#rest += text;
    for (let end = this.#rest.indexOf('\n'); end >= 0; end = this.#rest.indexOf('\n')) {
      const frame = JSON.parse(this.#rest.slice(0, end)) as Frame;
      this.#rest = this.#rest.slice(end + 1);
      if (this.#secret === undefined) {
        this.#secret = String(frame['secret']);
        void this.#begin();
      } else void this.#answer(frame);
    }
  }

  async #begin(): Promise<void> {
    const { result } = await this.#protocol.ask<Evaluated>('Runtime.evaluate', {
      expression: 'process.version',
      throwOnSideEffect: true,
      silent: true,
    });
    this.#send({ ev: 'ready', version: String(result.value) });
  }

  #send(frame: object): void {
    if (!this.#stream.destroyed) this.#stream.write(`${JSON.stringify({ secret: this.#secret, ...frame })}\n`);
  }

  async #answer(request: Frame): Promise<void> {
    const { id } = request;
    try {
      this.#send({ id, ev: 'done', ...(await this.#carryOut(request)) });
    } catch (error) {
      const reason = error instanceof Refused && error.reason !== undefined ? { reason: error.reason } : {};
      this.#send({ id, ev: 'done', refused: error instanceof Error ? error.message : String(error), ...reason });
    }
  }

  async #carryOut(request: Frame): Promise<object> {
    switch (request['op']) {
      case 'ping':
      case 'abandon':
        return {};
      case 'probe':
        await this.#protocol.ask('Runtime.evaluate', { expression: '0', throwOnSideEffect: true, silent: true });
        return {};
      case 'evaluate':
        return this.#evaluate(request);
      case 'interrupt':
        if (await this.#endsBySelf()) return {};
        throw new Error(
          'An attached program cannot be interrupted: what runs in it without a pause ends by timeout_ms, and nothing else does',
        );
      case 'inspect': {
        const { target, path = [], offset = 0 } = request as { target: number | string; path?: string[]; offset?: number };
        return { view: await this.#looking.inspect(target, path, offset) };
      }
      case 'lookup':
        return { text: await this.#lookup(String(request['name']), String(request['want'])) };
      case 'heap':
        return this.#protocol.ask('Runtime.getHeapUsage');
    }
    throw new Error(`${String(request['op'])} is not to be had in an attached program: start it with --import vivarium/here for that`);
  }

  async #lookup(name: string, want: string): Promise<string> {
    if (want !== 'summary' && want !== 'source')
      throw new Error(`${want} is not to be had in an attached program: inspect looks into values`);
    const found = await this.#looking.evaluate(name);
    return want === 'source' && found.type === 'function' ? (found.description ?? '') : `${name}: ${typeOf(found)} ${textOf(found)}`;
  }

  /** With a limit always: nothing else could end it. */
  async #evaluate(request: Frame): Promise<object> {
    if (request['onError'] === 'pause') throw new Error('An attached program is not paused: everything in it would stand still');
    const { id, timeoutMs, within, scoped } = request as { id: number; timeoutMs: number; within?: string; scoped?: ScopedCell };
    const isScoped = within !== undefined && scoped !== undefined;
    if (isScoped) await this.#scopes.prepare(within, scoped, `cell-${-id}`);
    await this.#listen(id);
    const terms = {
      expression: isScoped ? runTaken : `${String(request['code'])}\n//# sourceURL=cell-${-id}`,
      timeout: Math.max(1, timeoutMs - aheadMs),
      ...(isScoped ? { awaitPromise: true } : { replMode: true }),
      includeCommandLineAPI: true,
      silent: true,
      objectGroup: 'console',
      generatePreview: true,
    };
    const began = performance.now();
    const asked = this.#protocol.ask<Evaluated>('Runtime.evaluate', terms);
    this.#limited = { until: began + terms.timeout, asked };
    try {
      const { result, exceptionDetails } = await asked;
      if (exceptionDetails === undefined) return { value: this.#looking.view(result) };
      return { fault: this.#faultOf(exceptionDetails) };
    } catch (error) {
      // Each Node has its own words for having ended it.
      if (error instanceof Refusal && performance.now() - began >= terms.timeout) return { interrupted: true, why: 'timeout' };
      if (error instanceof Refusal) return { refused: error.message };
      throw error;
    } finally {
      if (this.#cell === id) this.#hush();
    }
  }

  /** What runs is past its limit already, and only its end is not told yet. */
  async #endsBySelf(): Promise<boolean> {
    const { until = Number.POSITIVE_INFINITY, asked } = this.#limited ?? {};
    if (performance.now() < until) return false;
    const over = asked?.then(
      () => true,
      () => true,
    );
    return Promise.race([over ?? false, new Promise<boolean>((resolve) => setTimeout(() => resolve(false), lateMs).unref())]);
  }

  /** What was printed before is told at once, and is not the cell's. */
  async #listen(cell: number): Promise<void> {
    this.#cell = cell;
    await this.#protocol.ask('Runtime.enable');
    this.#listens = true;
  }

  #hush(): void {
    this.#cell = undefined;
    this.#listens = false;
    this.#protocol.ask('Runtime.disable').catch(() => undefined);
  }

  #printed({ type, args }: Printed): void {
    const text = args.map((one) => (one.type === 'string' ? String(one.value) : textOf(one))).join(' ');
    this.#send({ ev: type === 'error' || type === 'warning' ? 'err' : 'out', cell: this.#cell, text: `${text}\n` });
  }

  #faultOf({ text, exception }: Thrown): Fault {
    if (exception === undefined) return { type: 'Error', message: text, kind: 'error', frames: [] };
    const view = this.#looking.view(exception);
    const ref = view.ref === undefined ? {} : { ref: view.ref };
    if (exception.subtype !== 'error') return { type: exception.type, message: view.text, kind: 'thrown', frames: [], ...ref };
    const { description = '' } = exception;
    const [head = ''] = description.split(/\n[^\S\n]+at /, 1);
    const type = exception.className ?? 'Error';
    const message = hinted(head.startsWith(`${type}: `) ? head.slice(type.length + 2) : head);
    return {
      type,
      message,
      kind: type === 'SyntaxError' ? 'syntax' : /call stack/.test(head) && type === 'RangeError' ? 'stack' : 'error',
      frames: framesIn(description),
      ...ref,
    };
  }
}

interface Printed {
  readonly type: string;
  readonly args: readonly Remote[];
}

/** What a newcomer tries first. */
function hinted(message: string): string {
  return /import statement outside a module|dynamic import callback/i.test(message)
    ? `${message}. In an attached program use require(…)`
    : message;
}
