// A client on a pipe: one message a line, written as given.
import { setTimeout as sleep } from 'node:timers/promises';
import { settledWithin } from '../../../text/timeouts.ts';
import type { Greeting } from '../../model/rule.ts';
import { fullness } from '../../model/trace.ts';
import { asRecord } from '../../model/value.ts';
import { createLineReader } from '../../wire/lines.ts';
import type { OpenPipe, Pipe, PipeEnd } from '../../wire/pipe.ts';
import { createConnection, replyOf, shakeHands, toBuffer } from './connection.ts';
import { type Answer, answerFrom, noReply, type Peer, type Presentation, type RawOptions, type Refused } from './peer.ts';

/** A peer on a pipe can also end it, and see how the server ends. */
export interface PipePeer extends Peer {
  greeting: Greeting;
  readonly pipe: Pipe;
  /** Bytes without any end of line, in pieces that are written one after another. */
  write(pieces: readonly (Buffer | string)[]): void;
  end(): void;
  signal(name: 'SIGTERM' | 'SIGKILL'): void;
  /** How the server ended, if it did within that time. */
  exit(timeoutMs: number): Promise<PipeEnd | undefined>;
}

export function connectPipe(open: OpenPipe, presentation: Presentation): Promise<PipePeer | Refused<PipePeer>> {
  return shakeHands(openPipe(open, presentation), presentation);
}

export function openPipe(open: OpenPipe, presentation: Presentation): PipePeer {
  const connection = createConnection('stdio', presentation, raw);
  const { conversation } = connection;
  conversation.onFull = () => {
    connection.leave(fullness);
    own.signal('SIGKILL');
  };
  const lines = createLineReader((line, carriage) => {
    if (conversation.isFull) return;
    if (carriage) conversation.happen('bad-end-of-line', line.toString('utf8').slice(0, 200));
    for (const message of conversation.message('received', line)) {
      const reply = replyOf(message, presentation);
      if (reply === undefined) continue;
      conversation.message('sent', Buffer.from(reply));
      pipe.write(Buffer.from(`${reply}\n`));
    }
  });
  const pipe = open({ stdout: (bytes) => lines.push(bytes), stderr: (bytes) => conversation.hearStderr(bytes) });
  const ended = pipe.ended.then((end): PipeEnd => (typeof end === 'string' ? { how: end } : end));
  void ended.then(({ how, signal }) => {
    const rest = lines.rest();
    if (rest.length > 0) conversation.happen('unfinished-line', rest.toString('utf8'));
    conversation.happen('exit', how, signal);
    connection.leave(pipe.unstarted ?? `the server has gone (${how})`);
  });

  async function raw(bytes: Buffer | string, options: RawOptions = {}): Promise<Answer> {
    const turn = presentation.pace.turn();
    if (turn > 0) await sleep(turn);
    const line = toBuffer(bytes);
    const { reply } = options;
    const from = conversation.messages.length;
    const sent = conversation.message('sent', line, options.wild === true ? { wild: true } : {});
    if (options.wild === true) conversation.wild = true;
    if (connection.gone !== undefined) return { sent, silence: noReply(connection.gone) };
    pipe.write(Buffer.concat([line, Buffer.from('\n')]));
    if (reply === undefined) return { sent };
    const { message, silence } = await connection.reply(reply, { from, timeoutMs: options.timeoutMs });
    return answerFrom(sent, message, silence);
  }

  const own = {
    pipe,
    raw,
    write(pieces: readonly (Buffer | string)[]): void {
      conversation.wild = true;
      for (const piece of pieces) pipe.write(toBuffer(piece));
      conversation.message('sent', Buffer.concat(pieces.map(toBuffer)), { wild: true });
    },
    end(): void {
      conversation.happen('end-of-input', '');
      pipe.end();
    },
    signal(name: 'SIGTERM' | 'SIGKILL'): void {
      conversation.happen('signal', name);
      pipe.kill(name);
    },
    exit: (timeoutMs: number): Promise<PipeEnd | undefined> => settledWithin(timeoutMs, ended),
    async close(timeoutMs = 500): Promise<void> {
      if (connection.gone !== undefined) return;
      if (!conversation.happenings.some(({ what }) => what === 'end-of-input')) own.end();
      if ((await own.exit(timeoutMs)) !== undefined) return;
      for (const name of ['SIGTERM', 'SIGKILL'] as const) {
        own.signal(name);
        if ((await own.exit(1_000)) !== undefined) return;
      }
    },
  };
  return Object.assign(connection, own);
}

export function isPipePeer(peer: Peer): peer is PipePeer {
  return peer.transport === 'stdio' && asRecord(peer as unknown)['pipe'] !== undefined;
}
