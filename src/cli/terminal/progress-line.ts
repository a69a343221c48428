// Progress of a long call, on one line of the terminal, or a line each where it is no terminal.
import type { Progress } from '../../client/options.ts';
import { printable } from './terminal.ts';

export interface ProgressLine {
  show(progress: Progress): void;
  clear(): void;
}

export function progressLine(enabled: boolean): ProgressLine {
  const { stderr } = process;
  let shown = false;
  return {
    show({ progress, total, message }) {
      if (!enabled) return;
      const much = total === undefined ? `${progress}` : `${progress}/${total}`;
      const text = `${much}${message === undefined ? '' : ` ${printable(message)}`}`;
      if (stderr.isTTY !== true) stderr.write(`progress: ${text}\n`);
      else stderr.write(`\r\x1b[K${text.slice(0, (stderr.columns || 80) - 1)}`);
      shown = true;
    },
    clear() {
      if (shown && stderr.isTTY === true) stderr.write('\r\x1b[K');
      shown = false;
    },
  };
}
