// Waits for a message with a timeout, which gets shorter once a server has stopped answering.
import type { Message, Recorder } from '../../model/trace.ts';
import { noReply, type Silence } from './peer.ts';

export interface Waiting {
  wait(
    wanted: (message: Message) => boolean,
    options: WaitOptions,
  ): Promise<{ readonly message: Message | undefined; readonly silence: Silence | undefined }>;
  /** Ends all waits: the connection is closed. */
  giveUp(why: string): void;
}

export interface WaitOptions {
  /** The first message to look at. */
  readonly from: number;
  readonly timeoutMs?: number | undefined;
  /** The timeout as given, however silent the server was before. */
  readonly exact?: boolean;
}

export function createWaiting(recorder: Recorder, timeoutMs: number): Waiting {
  const waiting = new Set<(why: Silence) => void>();
  let gone: string | undefined;
  let silences = 0;

  function wait(wanted: (message: Message) => boolean, options: WaitOptions): ReturnType<Waiting['wait']> {
    const isWanted = (one: Message) => one.direction === 'received' && wanted(one);
    const known = recorder.messages.slice(options.from).find(isWanted);
    if (known !== undefined) return Promise.resolve({ message: known, silence: undefined });
    if (gone !== undefined) return Promise.resolve({ message: undefined, silence: noReply(gone) });
    const given = options.timeoutMs ?? timeoutMs;
    const bound = options.exact === true || silences < 2 ? given : Math.min(given, 500);
    return new Promise((resolve) => {
      const done = (message: Message | undefined, silence: Silence | undefined) => {
        clearTimeout(timer);
        stop();
        waiting.delete(fail);
        if (options.exact !== true) silences = message === undefined ? silences + 1 : 0;
        resolve({ message, silence });
      };
      const fail = (why: Silence) => done(undefined, why);
      const stop = recorder.listen((one) => {
        if (isWanted(one)) done(one, undefined);
      });
      const timer = setTimeout(() => fail({ reason: 'timeout', message: `no answer within ${bound} ms` }), bound);
      waiting.add(fail);
    });
  }

  return {
    wait,
    giveUp(why) {
      gone = why;
      for (const fail of [...waiting]) fail(noReply(why));
    },
  };
}
