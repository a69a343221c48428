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

/** What a step may still take once it is to stop: a server that says nothing is waited for much longer. */
const stopTimeoutMs = 5_000;

export function watchRun({ values }: Arguments): Watch {
  const line = progressLine(values['quiet'] !== true && process.stderr.isTTY === true);
  const stop = new AbortController();
  let overdue: NodeJS.Timeout | undefined;
  const interrupt = (): void => {
    // Whoever asks twice does not want to wait.
    if (stop.signal.aborted) end();
    stop.abort();
    line.clear();
    process.stderr.write('Stopping when this step is done; once more stops at once\n');
    overdue = setTimeout(end, stopTimeoutMs).unref();
  };
  const end = (): never => process.exit(exitCodes.interrupted);
  process.on('SIGINT', interrupt);
  // Whoever does not sit in front of it waits for no report. What was started goes with this process, where that ends by itself.
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
      // What is left is the report, which may take its time.
      clearTimeout(overdue);
      process.off('SIGINT', interrupt);
      for (const [signal, code] of fatal) process.off(signal, code);
    },
  };
}
