// The main thread as the inspector shows it to the monitor, also while the main thread is busy.
import { Session } from 'node:inspector';

export interface Remote {
  readonly type: string;
  readonly subtype?: string;
  readonly objectId?: string;
  readonly value?: unknown;
  readonly unserializableValue?: string;
  readonly description?: string;
  readonly className?: string;
}

export interface Evaluated {
  readonly result: Remote;
  readonly exceptionDetails?: { readonly text: string; readonly exception?: Remote };
}

/** A spread would ask the iterator of arrays, which the user's code may have replaced. */
const calling = 'function (method, a, b, c) { return this[method](a, b, c); }';

const busyMs = 15_000;

/** The main thread does something else all the time. Nothing of what was asked has been done by then. */
export class Busy extends Error {}

export class Inspector {
  readonly #session: Session = new Session();
  #keeper = '';
  /** The debugger holds the main thread. */
  #held = false;

  async connect(): Promise<void> {
    this.#session.connectToMainThread();
    this.on('Debugger.paused', () => {
      this.#held = true;
    });
    this.on('Debugger.resumed', () => {
      this.#held = false;
    });
    const found = await this.post<Evaluated>('Runtime.evaluate', { expression: '__vivarium_keeper' });
    this.#keeper = found.result.objectId ?? '';
  }

  post<T = object>(method: string, params: object = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#session.post(
        method as never,
        params as never,
        ((error: Error | null, result: T) => {
          if (error === null) resolve(result);
          // It rejects with plain objects.
          else reject(new Error((error as { message?: string }).message ?? 'The inspector refused'));
        }) as never,
      );
    });
  }

  on(event: string, listener: (params: never) => void): void {
    this.#session.on(event, (message: { readonly params: never }) => listener(message.params));
  }

  /**
   * The value of an expression of ours, where the main thread finds the time; `what` is to be done later otherwise. What awaits nothing is
   * done in the midst of what runs, too.
   */
  async onMain<T>(expression: string, what: string, awaitPromise = true): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Busy(`The program is busy: interrupt it, or ${what} when it rests`)), busyMs);
    });
    try {
      const asked = this.post<Evaluated>('Runtime.evaluate', {
        expression,
        awaitPromise,
        returnByValue: true,
        silent: true,
        // Otherwise Node does not hear of code that is made from text, and of the map it brings.
        allowUnsafeEvalBlockedByCSP: false,
      });
      const { result, exceptionDetails } = await Promise.race([asked, late]);
      if (exceptionDetails !== undefined) throw new Error(messageOf(exceptionDetails));
      return result.value as T;
    } finally {
      clearTimeout(timer);
    }
  }

  /** A method of the keeper on the main thread, by value. */
  async ask<T>(method: string, ...given: readonly (Remote | string | number | boolean | readonly string[])[]): Promise<T> {
    const { result, exceptionDetails } = await this.post<Evaluated>('Runtime.callFunctionOn', {
      objectId: this.#keeper,
      functionDeclaration: calling,
      arguments: [{ value: method }, ...given.map(argumentOf)],
      returnByValue: true,
      silent: true,
    });
    if (exceptionDetails !== undefined) throw new Error(messageOf(exceptionDetails));
    return result.value as T;
  }

  /** A value of the keeper's, to be handed to `ask`. */
  async find(method: string, ...given: readonly (Remote | string | number | readonly string[])[]): Promise<Remote> {
    const { result, exceptionDetails } = await this.post<Evaluated>('Runtime.callFunctionOn', {
      objectId: this.#keeper,
      functionDeclaration: calling,
      arguments: [{ value: method }, ...given.map(argumentOf)],
      silent: true,
      objectGroup: 'look',
    });
    if (exceptionDetails !== undefined) throw new Error(messageOf(exceptionDetails));
    return result;
  }

  /** As `look`, in a list with the value alone: what it is stays in the program. */
  lookInList(expression: string): Promise<Remote> {
    return this.look(expression, `[(${expression.replace(/[;\s]+$/, '')}\n)]`);
  }

  /** Reads and changes nothing: the engine itself stops whatever would. */
  async look(expression: string, code: string = expression): Promise<Remote> {
    // Its answer comes by way of a promise, and none is settled while the debugger holds the program.
    const replMode = !this.#held;
    const terms = { expression: code, throwOnSideEffect: true, timeout: 1_000, silent: true, objectGroup: 'look', replMode };
    const { result, exceptionDetails } = await this.post<Evaluated>('Runtime.evaluate', terms);
    if (exceptionDetails === undefined) return result;
    const message = messageOf(exceptionDetails);
    if (!message.startsWith('EvalError: Possible side-effect')) throw new Error(message);
    const [name] = /^[A-Za-z_$][\w$]*/.exec(expression.trim()) ?? [];
    const kind =
      name === undefined
        ? undefined
        : await this.post<Evaluated>('Runtime.evaluate', { expression: `typeof ${name}`, throwOnSideEffect: true, silent: true });
    if (kind?.result.value === 'undefined') throw new Error(`${name} is not defined`);
    throw new Error('This would change something, or might: inspect changes nothing, so use evaluate');
  }
}

function argumentOf(given: Remote | string | number | boolean | readonly string[]): object {
  if (typeof given !== 'object' || Array.isArray(given)) return { value: given };
  const { objectId, unserializableValue, value } = given as Remote;
  if (objectId !== undefined) return { objectId };
  return unserializableValue === undefined ? { value } : { unserializableValue };
}

export function messageOf({ text, exception }: { readonly text: string; readonly exception?: Remote }): string {
  return (exception?.description ?? (exception?.value === undefined ? text : String(exception.value))).split('\n')[0] ?? text;
}
