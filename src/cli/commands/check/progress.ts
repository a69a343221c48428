// A run as someone at a terminal sees it: how far it is, and the way to stop it.
import type { CheckOptions } from '../../../check/cli.ts';
import { type Arguments, exitCodes } from '../../args/command.ts';
import { progressLine } from '../../terminal/progress-line.ts';

export interface Watch {
  readonly options: Required<Pick<CheckOptions, 'signal' | 'onProgress'>>;
  readonly isStopped: boolean;
  /** Takes the line of progress away. */
  clear(): void;
  end(): void;
}

const fatal = [
  ['SIGTERM', () => process.exit(143)],
  ['SIGHUP', () => process.exit(129)],
] as const;

/** How long the current step may still run after Ctrl-C. */
const stopTimeoutMs = 5_000;

export function watchRun({ values }: Arguments): Watch {
  const line = progressLine(values['quiet'] !== true && process.stderr.isTTY === true);
  const stop = new AbortController();
  let overdue: NodeJS.Timeout | undefined;
  const interrupt = (): void => {
    // A second Ctrl-C ends at once.
    if (stop.signal.aborted) end();
    stop.abort();
    line.clear();
    process.stderr.write('Stopping when this step is done; once more stops at once\n');
    overdue = setTimeout(end, stopTimeoutMs).unref();
  };
  const end = (): never => process.exit(exitCodes.interrupted);
  process.on('SIGINT', interrupt);
  // Without a person waiting for the report, exit at once; child processes are killed by the exit handler.
  for (const [signal, code] of fatal) process.on(signal, code);
  return {
    options: {
      signal: stop.signal,
      onProgress: ({ done, of, revision, step }) => line.show({ progress: done, total: of, message: `${revision ?? ''} ${step}` }),
    },
    get isStopped() {
      return stop.signal.aborted;
    },
    clear: () => line.clear(),
    end() {
      line.clear();
      // Only the report is left to write: no time limit.
      clearTimeout(overdue);
      process.off('SIGINT', interrupt);
      for (const [signal, code] of fatal) process.off(signal, code);
    },
  };
}
