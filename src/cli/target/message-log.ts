// A file of messages, one JSON object a line, with what looks like a secret masked.
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { maskText } from '../commands/record/masking.ts';
import { openPrivate } from '../terminal/output.ts';
import { printable } from '../terminal/terminal.ts';

export interface MessageLog {
  write(event: { readonly direction: 'in' | 'out'; readonly message: object }): void;
  close(): Promise<void>;
}

export function openLog(file: string): MessageLog {
  const began = performance.now();
  const stream = createWriteStream(file, { fd: openPrivate(file) });
  const done = finished(stream);
  done.catch(() => undefined);
  return {
    write({ direction, message }) {
      const entry = { t: Math.round(performance.now() - began), from: direction === 'out' ? 'client' : 'server', message };
      stream.write(`${maskText(JSON.stringify(entry))}\n`);
    },
    async close() {
      stream.end();
      await done.catch((error: Error) => process.stderr.write(`${printable(`${file} could not be written: ${error.message}`)}\n`));
    },
  };
}
