// A server of ours behind a pipe in this process, as a target for `runCheck`, with a stranger's hands on the wire.
import type { CheckTarget } from 'vivarium/check';
import type { Server } from 'vivarium/server';
import type { PipeEnd } from '../../src/check/wire/pipe.ts';
import { Pipe } from '../../src/serve/pipe.ts';
import { coreOf } from '../../src/server/core.ts';
import { equip } from '../../src/server/requests.ts';

export interface Meddling {
  /** What is written in the place of a line of the server; several lines, other bytes, or nothing. */
  out?(line: string): string | readonly string[] | Buffer | undefined;
  /** What the server gets in the place of a line of the client. */
  in?(line: string): string | undefined;
  /** What is written at once when a line of the client comes. */
  echo?(line: string): string | undefined;
  /** Written before anything else. */
  readonly greeting?: string;
  /** Gives it a way to write whenever it likes. */
  begin?(write: (message: object) => void): void;
  /** Milliseconds for which a line of the server is held back. */
  later?(line: string): number;
  /** Whether it ends at such a line of the client. */
  dies?(line: string): boolean;
  /** Stays when its input ends. */
  readonly stays?: boolean;
  /** Stays at SIGTERM. */
  readonly deaf?: boolean;
  /** Its last bytes, when SIGTERM comes. */
  readonly dying?: string;
}

export function pipeTarget(create: () => Server, meddling: () => Meddling = () => ({})): CheckTarget {
  return {
    kind: 'pipe',
    label: 'in this process',
    open({ stdout }) {
      const meddler = meddling();
      const core = coreOf(create());
      equip(core);
      let held = Buffer.alloc(0);
      let end: (how: PipeEnd | string) => void = () => undefined;
      const ended = new Promise<PipeEnd | string>((resolve) => {
        end = resolve;
      });
      let isDead = false;
      const give = (line: string): void => {
        if (isDead) return;
        const given = meddler.out === undefined ? line : meddler.out(line);
        if (given === undefined) return;
        if (given instanceof Buffer) return stdout(Buffer.concat([given, Buffer.from('\n')]));
        for (const one of typeof given === 'string' ? [given] : given) stdout(Buffer.from(`${one}\n`));
      };
      const pipe = new Pipe(
        core,
        {
          write(text) {
            for (const line of text.split('\n')) {
              if (line === '') continue;
              const delay = meddler.later?.(line) ?? 0;
              if (delay > 0) setTimeout(give, delay, line);
              else setImmediate(give, line);
            }
            return true;
          },
          flow: () => undefined,
        },
        {},
      );
      meddler.begin?.((message) => void setImmediate(give, JSON.stringify(message)));
      if (meddler.greeting !== undefined) stdout(Buffer.from(meddler.greeting));
      return {
        write(bytes) {
          if (meddler.in === undefined && meddler.echo === undefined && meddler.dies === undefined) return pipe.receive(bytes);
          // As bytes: a piece may end in the middle of a character.
          held = Buffer.concat([held, bytes]);
          for (let at = held.indexOf(10); at !== -1; at = held.indexOf(10)) {
            const raw = held.subarray(0, at + 1);
            held = held.subarray(at + 1);
            const line = raw.toString('utf8').trimEnd();
            if (meddler.dies?.(line) === true) return end('exit code 1');
            const echo = meddler.echo?.(line);
            if (echo !== undefined) setImmediate(() => stdout(Buffer.from(`${echo}\n`)));
            const given = meddler.in === undefined ? line : meddler.in(line);
            if (given !== undefined) pipe.receive(given === line ? raw : Buffer.from(`${given}\n`));
          }
        },
        end() {
          if (meddler.stays === true) return;
          void pipe.finish(1_000).then(() => setImmediate(end, 'exit code 0'));
        },
        kill(signal) {
          if (signal === 'SIGTERM' && meddler.deaf === true) return;
          if (signal === 'SIGTERM' && meddler.dying !== undefined) stdout(Buffer.from(meddler.dying));
          isDead = true;
          setImmediate(end, signal === 'SIGTERM' ? 'exit code 0' : { how: 'ended by SIGKILL', signal });
        },
        ended,
      };
    },
  };
}
