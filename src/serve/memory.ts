// vivarium/serve/memory: a server inside the same program, reached by objects instead of bytes.
import { faults, VivariumError } from '../jsonrpc/error.ts';
import { type Batch, type ParsedMessage, parseMessage } from '../jsonrpc/message.ts';
import { type Answer, type BatchOutcome, toMessage } from '../server/answer.ts';
import type { Principal } from '../server/context.ts';
import { coreOf, soon } from '../server/core.ts';
import { dispatch, dispatchBatch } from '../server/dispatch.ts';
import { equip } from '../server/requests.ts';
import type { Server } from '../server/server.ts';
import { Session } from '../server/session.ts';

/** Two ends that exchange decoded messages. What is sent must not be changed afterwards: it is not copied. */
export interface MemoryChannel {
  send(message: object): void;
  /** One listener; messages that arrive before it is set wait for it. */
  receive(listener: (message: object) => void): void;
  readonly closed: Promise<void>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface MemoryOptions {
  readonly principal?: Principal;
}

/** Handlers at work, with those that go on although their call was cancelled. */
const maxWorking = 8_192;

export function serveMemory(server: Server, options: MemoryOptions = {}): MemoryChannel {
  const core = coreOf(server);
  // Here at once: nobody waits for a process to start.
  equip(core);
  core.openVault ??= async () => (await import('../store/memory.ts')).memoryStore();
  const session = new Session(core, options.principal);
  let listener: ((message: object) => void) | undefined;
  let outbox: object[] = [];
  let scheduled = false;
  let ended = false;
  let closing = false;
  let end: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    end = resolve;
  });

  // Never inside send(): a caller may still be writing down what it waits for.
  const deliver = (): void => {
    scheduled = false;
    if (listener === undefined) return;
    const messages = outbox;
    outbox = [];
    for (const message of messages) {
      try {
        listener(message);
      } catch (error) {
        // The listener's own failure, reported as such, and not at the cost of the messages after it.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  };
  const put = (message: object): void => {
    if (ended) return;
    outbox.push(message);
    if (scheduled || listener === undefined) return;
    scheduled = true;
    queueMicrotask(deliver);
  };
  let working = 0;
  const outlet = { send: put, began: () => void working++, ended: () => void working-- };
  const answered = (answer: Answer | readonly Answer[] | undefined): void => {
    if (answer === undefined) return;
    if (!('length' in answer)) put(toMessage(answer));
    else if (answer.length > 0) put(answer.map(toMessage));
  };
  const unsubscribe = core.onChange((change, at) => session.announce(change, at, outlet));
  const close = async (): Promise<void> => {
    if (!closing) {
      closing = true;
      unsubscribe();
      session.ending = true;
      // Listeners are told that it is over; that takes a turn.
      if (session.listeners.size > 0) {
        session.endListeners();
        await new Promise<void>((resolve) => soon(resolve));
      }
      session.close();
      ended = true;
      end();
    }
    await closed;
  };

  return {
    send(message) {
      if (closing) throw new VivariumError('ERR_CLOSED', 'The channel is closed');
      const parsed: ParsedMessage | Batch = Array.isArray(message) ? { kind: 'batch', members: message } : parseMessage(message);
      if (working >= maxWorking && parsed.kind === 'request') {
        return put(toMessage({ id: parsed.id, error: faults.tooMany(`${maxWorking} handlers are still at work`) }));
      }
      const outcome: BatchOutcome = parsed.kind === 'batch' ? dispatchBatch(session, parsed, outlet) : dispatch(session, parsed, outlet);
      if (outcome instanceof Promise) void outcome.then(answered);
      else answered(outcome);
    },
    receive(next) {
      listener = next;
      if (outbox.length > 0 && !scheduled) {
        scheduled = true;
        queueMicrotask(deliver);
      }
    },
    closed,
    close,
    [Symbol.asyncDispose]: close,
  };
}
