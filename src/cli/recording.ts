// The file of a recording: what went between a client and a server, in order, one JSON object a line, secrets masked.
import { createWriteStream, readFileSync, statSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { RecordedEntry } from '../check/recorded.ts';
import { CommandError, exitCodes } from './command.ts';
import { maskHeaders, maskText } from './masking.ts';

export type Side = 'client' | 'server';

export interface RecordingHead {
  readonly recording: 1;
  readonly target: string;
  readonly transport: 'stdio' | 'http';
  /** ISO 8601. */
  readonly began: string;
}

export type Entry = RecordedEntry;

export interface Recording {
  readonly head: RecordingHead;
  readonly entries: readonly Entry[];
}

const mostBytes = 512 * 1024 * 1024;

export class Recorder {
  readonly file: string;
  readonly #stream: ReturnType<typeof createWriteStream>;
  readonly #done: Promise<void>;
  readonly #began: number = performance.now();

  constructor(file: string, head: Omit<RecordingHead, 'recording' | 'began'>) {
    this.file = file;
    this.#stream = createWriteStream(file, { mode: 0o600 });
    this.#done = finished(this.#stream);
    // Said once, by close; what is recorded must not be disturbed by it.
    this.#done.catch(() => undefined);
    const first: RecordingHead = { recording: 1, ...head, target: maskText(head.target), began: new Date().toISOString() };
    this.#stream.write(`${JSON.stringify(first)}\n`);
  }

  add(from: Side, entry: Omit<Entry, 't' | 'from'>): void {
    const { raw, stderr, head, ...rest } = entry;
    const kept: Entry = {
      t: Math.round((performance.now() - this.#began) * 10) / 10,
      from,
      ...rest,
      ...(raw !== undefined && { raw: maskText(raw) }),
      ...(stderr !== undefined && { stderr: maskText(stderr) }),
      ...(head !== undefined && { head: { ...head, headers: maskHeaders(head.headers) } }),
    };
    this.#stream.write(`${JSON.stringify(kept)}\n`);
  }

  /** Bytes of one line. */
  line(from: Side, bytes: Buffer): void {
    const text = bytes.toString('utf8');
    if (Buffer.from(text, 'utf8').equals(bytes)) this.add(from, { raw: text });
    else this.add(from, { bytes: bytes.toString('base64') });
  }

  async close(): Promise<void> {
    this.#stream.end();
    await this.#done.catch((error: Error) => process.stderr.write(`${this.file} could not be written: ${error.message}\n`));
  }
}

export function readRecording(file: string): Recording {
  const refuse = (why: string): CommandError =>
    new CommandError(exitCodes.usage, `${file} ${why}`, { hint: 'vivarium record makes recordings' });
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) throw new CommandError(exitCodes.usage, `There is no file ${file}`);
  if (size > mostBytes) throw refuse('is larger than 512 MiB');
  const lines = readFileSync(file, 'utf8').split('\n');
  const values = lines.map((line, at): unknown => {
    if (line.trim() === '') return undefined;
    try {
      return JSON.parse(line);
    } catch {
      // The last line may have been cut by the end of the recorder.
      if (at === lines.length - 1) return undefined;
      throw refuse(`is no recording: line ${at + 1} is no JSON`);
    }
  });
  const [head, ...entries] = values.filter((value) => typeof value === 'object' && value !== null);
  if ((head as Partial<RecordingHead> | undefined)?.recording !== 1) throw refuse('is no recording');
  const known = entries.filter((entry): entry is Entry => ['client', 'server'].includes((entry as Partial<Entry>).from as string));
  return { head: head as RecordingHead, entries: known };
}
