// The debugger of the main thread: on only while someone needs it.
import type { Frame, View } from '../image/engine.ts';
import type { Evaluated, Inspector, Remote } from './inspector.ts';
import { messageOf } from './inspector.ts';
import { isOwnFile } from './own-frames.ts';
import type { Positions } from './positions.ts';

interface CallFrame {
  readonly callFrameId: string;
  readonly functionName: string;
  readonly url: string;
  readonly location: { readonly scriptId: string; readonly lineNumber: number; readonly columnNumber?: number };
  readonly scopeChain: readonly { readonly type: string; readonly object: Remote }[];
  readonly this: Remote;
}

interface Paused {
  readonly reason: string;
  readonly callFrames: readonly CallFrame[];
  readonly data?: { readonly description?: string; readonly uncaught?: boolean };
}

type Need = 'errors' | 'memory' | 'scripts' | 'steps';

const maxLocals = 30;
const scopes = new Set(['local', 'closure', 'block', 'catch', 'module', 'script', 'eval']);

export class Debugger {
  readonly #inspector: Inspector;
  readonly #positions: Positions;
  readonly #tell: (event: object) => void;
  readonly #needs: Set<Need> = new Set();
  readonly #scripts: Map<string, string> = new Map();
  /** What only calls itself by the name of a file is not the file. */
  readonly #named: Map<string, string> = new Map();
  #frames: readonly CallFrame[] | undefined;
  #reason = '';
  #readers = 0;
  #atError = false;
  #resting: Promise<void> = Promise.resolve();
  #enabling: Promise<object> | undefined;
  onMemory: (where: string) => void = () => undefined;
  /** Someone of ours waits for the program to stop. */
  #visitor: ((frame: CallFrame) => Promise<void>) | undefined;
  #visits: Promise<void> = Promise.resolve();

  constructor(inspector: Inspector, positions: Positions, tell: (event: object) => void) {
    this.#inspector = inspector;
    this.#positions = positions;
    this.#tell = tell;
    inspector.on('Debugger.scriptParsed', ({ scriptId, url, hasSourceURL }: { scriptId: string; url: string; hasSourceURL?: boolean }) => {
      const scripts = hasSourceURL === true && url.startsWith('file:') ? this.#named : this.#scripts;
      scripts.set(scriptId, url);
    });
    inspector.on('Debugger.paused', (paused: Paused) => void this.#paused(paused));
    inspector.on('Debugger.resumed', () => {
      this.#frames = undefined;
    });
  }

  get paused(): boolean {
    return this.#frames !== undefined;
  }

  async pauseOnErrors(): Promise<void> {
    await this.#resting;
    await this.#need('errors');
    await this.#inspector.post('Debugger.setPauseOnExceptions', { state: 'all' });
  }

  guardMemory(): Promise<void> {
    return this.#need('memory');
  }

  unguardMemory(): Promise<void> {
    return this.#done('memory');
  }

  /** The scripts that are loaded, by id, while `work` runs. */
  async withScripts<T>(work: (scripts: ReadonlyMap<string, string>) => Promise<T>): Promise<T> {
    this.#readers++;
    await this.#need('scripts');
    try {
      return await work(this.#scripts);
    } finally {
      // Others may still be reading.
      if (--this.#readers === 0) await this.#done('scripts');
    }
  }

  /** Gives constants of a file other values, from where `stop` makes it stop. The names of those that stay what they are. */
  async setConstants(values: ReadonlyMap<string, string>, stop: () => Promise<unknown>): Promise<string[]> {
    const left = new Set(values.keys());
    await this.#visit(stop, async ({ callFrameId, scopeChain }) => {
      for (const [scopeNumber, { type, object }] of scopeChain.entries()) {
        if (type === 'global' || type === 'script' || object.objectId === undefined) continue;
        const terms = { objectId: object.objectId, ownProperties: true };
        const { result } = await this.#inspector.post<{ result: { name: string }[] }>('Runtime.getProperties', terms);
        for (const [variableName, expression] of values) {
          if (!left.has(variableName) || !result.some(({ name }) => name === variableName)) continue;
          const { result: value } = await this.#inspector.post<Evaluated>('Debugger.evaluateOnCallFrame', { callFrameId, expression });
          await this.#inspector.post('Debugger.setVariableValue', { scopeNumber, variableName, newValue: argumentOf(value), callFrameId });
          left.delete(variableName);
        }
      }
    });
    return [...left];
  }

  /** Evaluates in the innermost frame where `stop` makes the program stop; undefined where it did not stop. */
  async evaluateIn(expression: string, stop: () => Promise<unknown>): Promise<Evaluated | undefined> {
    let made: Evaluated | undefined;
    await this.#visit(stop, async ({ callFrameId }) => {
      made = await this.#inspector.post<Evaluated>('Debugger.evaluateOnCallFrame', { callFrameId, expression, silent: true });
    });
    return made;
  }

  /** One after the other. */
  async #visit(stop: () => Promise<unknown>, visitor: (frame: CallFrame) => Promise<void>): Promise<void> {
    const turn = this.#visits.then(async () => {
      this.#visitor = visitor;
      try {
        await stop();
      } finally {
        this.#visitor = undefined;
      }
    });
    this.#visits = turn.catch(() => undefined);
    await turn;
  }

  /** The cell is over. */
  rest(): Promise<void> {
    this.#resting = this.#resting.then(() => this.#rest()).catch(() => undefined);
    return this.#resting;
  }

  async #rest(): Promise<void> {
    if (this.#needs.has('errors')) await this.#inspector.post('Debugger.setPauseOnExceptions', { state: 'none' });
    await this.#done('errors');
    await this.#done('steps');
  }

  async act(request: Readonly<Record<string, unknown>>): Promise<object> {
    const { action, frame = 0, code } = request as { action: string; frame?: number; code?: string };
    if (action === 'pause') {
      await this.#need('steps');
      await this.#inspector.post('Debugger.pause');
      return {};
    }
    const frames = this.#frames;
    if (frames === undefined) throw new Error('Nothing is paused');
    switch (action) {
      case 'frames':
        return this.#show();
      case 'eval':
        return this.#evaluate(frames, frame, String(code));
      case 'resume':
        await this.#inspector.post('Debugger.resume');
        return {};
      case 'into':
      case 'over':
      case 'out':
        await this.#need('steps');
        await this.#inspector.post(`Debugger.step${{ into: 'Into', over: 'Over', out: 'Out' }[action]}`);
        return {};
      case 'restart':
        // The engine does not survive it.
        if (this.#atError) throw new Error('A frame cannot be restarted at an error: abort, mend, and evaluate again');
        await this.#need('steps');
        await this.#inspector.post('Debugger.restartFrame', { callFrameId: frameAt(frames, frame).callFrameId, mode: 'StepInto' });
        return {};
      case 'abort':
        await this.abort();
        return {};
    }
    throw new Error(`There is no action ${action}`);
  }

  /** The code that is paused ends there. */
  async abort(): Promise<void> {
    await this.#inspector.post('Debugger.resume', { terminateOnResume: true });
  }

  async #paused(paused: Paused): Promise<void> {
    const { reason, callFrames, data } = paused;
    if (reason === 'OOM') {
      const top = callFrames[0] === undefined ? undefined : await this.#place(callFrames[0]);
      this.onMemory(top === undefined ? '' : `${top.name || '(top level)'} (${top.file}:${top.line})`);
      await this.abort();
      return;
    }
    const [top] = callFrames;
    if (this.#visitor !== undefined && reason === 'other' && top !== undefined) {
      await this.#visitor(top).catch(() => undefined);
      await this.#inspector.post('Debugger.resume');
      return;
    }
    const exception = reason === 'promiseRejection';
    // Caught by the program itself, or before it leaves an asynchronous function: the program knows what it does.
    if (reason === 'exception' || (exception && data?.uncaught === false)) {
      await this.#inspector.post('Debugger.resume');
      return;
    }
    this.#frames = callFrames;
    this.#atError = exception;
    this.#reason = exception ? (data?.description?.split('\n')[0] ?? 'an error') : reason === 'other' ? 'step' : reason;
    this.#tell({ ev: 'paused', ...(await this.#show()) });
  }

  async #show(): Promise<object> {
    const frames = this.#frames ?? [];
    const shown = [];
    for (const [at, one] of frames.slice(0, 20).entries()) {
      const place = await this.#place(one);
      shown.push(at < 3 ? { ...place, locals: await this.#locals(one) } : place);
    }
    return { reason: this.#reason, frames: shown };
  }

  async #place({ functionName: name, url, location }: CallFrame): Promise<Frame> {
    const { lineNumber, columnNumber = 0, scriptId } = location;
    const file = url || (this.#scripts.get(scriptId) ?? this.#named.get(scriptId) ?? '');
    const place = await this.#positions.inScript(scriptId, { name, file, line: lineNumber + 1, column: columnNumber + 1 });
    // What the loader put into a file stands in no column of it.
    return isOwnFile(file) || place.column === 0 ? { ...place, own: false } : place;
  }

  async #locals(frame: CallFrame): Promise<{ name: string; text: string }[]> {
    const found: { name: string; text: string }[] = [];
    for (const { type, object } of frame.scopeChain) {
      if (!scopes.has(type) || object.objectId === undefined || found.length >= maxLocals) continue;
      const { result } = await this.#inspector.post<{ result: { name: string; value?: Remote }[] }>('Runtime.getProperties', {
        objectId: object.objectId,
        ownProperties: true,
      });
      for (const { name, value } of result) {
        if (value === undefined || found.length >= maxLocals || found.some((one) => one.name === name) || isOurs(name)) continue;
        found.push({ name, text: (await this.#view(value)).text.slice(0, 200) });
      }
    }
    return found;
  }

  async #evaluate(frames: readonly CallFrame[], frame: number, code: string): Promise<object> {
    const { result, exceptionDetails } = await this.#inspector.post<Evaluated>('Debugger.evaluateOnCallFrame', {
      callFrameId: frameAt(frames, frame).callFrameId,
      expression: code,
      silent: true,
      timeout: 5_000,
    });
    if (exceptionDetails !== undefined) return { thrown: messageOf(exceptionDetails) };
    return { value: await this.#view(result) };
  }

  #view(value: Remote): Promise<View> {
    return this.#inspector.ask<View>('view', value);
  }

  async #need(need: Need): Promise<void> {
    this.#needs.add(need);
    // Whoever comes second waits for the same.
    if (this.#needs.size === 1) this.#enabling ??= this.#inspector.post('Debugger.enable');
    await this.#enabling;
  }

  async #done(need: Need): Promise<void> {
    if (!this.#needs.delete(need) || this.#needs.size > 0) return;
    this.#scripts.clear();
    this.#named.clear();
    this.#enabling = undefined;
    await this.#inspector.post('Debugger.disable');
  }
}

/** What the loader gives a file besides its own. */
function isOurs(name: string): boolean {
  return name.startsWith('__vivarium_');
}

function argumentOf({ objectId, unserializableValue, value }: Remote): object {
  if (objectId !== undefined) return { objectId };
  return unserializableValue !== undefined ? { unserializableValue } : { value };
}

function frameAt(frames: readonly CallFrame[], at: number): CallFrame {
  const frame = frames[at];
  if (frame === undefined) throw new Error(`There is no frame ${at}, only 0 to ${frames.length - 1}`);
  return frame;
}
