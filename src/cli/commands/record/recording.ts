// The file of a recording: what went between a client and a server, in order, one JSON object a line, secrets masked.
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { RecordedEntry } from '../../../check/cli.ts';
import { CommandError, exitCodes } from '../../args/command.ts';
import { readText } from '../../args/read-file.ts';
import { openPrivate } from '../../terminal/output.ts';
import { printable } from '../../terminal/terminal.ts';
import { maskBytes, maskHeaders, maskText } from './masking.ts';

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

export class Recorder {
  readonly file: string;
  readonly #stream: ReturnType<typeof createWriteStream>;
  readonly #done: Promise<void>;
  readonly #began: number = performance.now();

  constructor(file: string, head: Omit<RecordingHead, 'recording' | 'began'>) {
    this.file = file;
    this.#stream = createWriteStream(file, { fd: openPrivate(file) });
    this.#done = finished(this.#stream);
    // Said once, by close; what is recorded must not be disturbed by it.
    this.#done.catch(() => undefined);
    const first: RecordingHead = { recording: 1, ...head, target: maskText(head.target), began: new Date().toISOString() };
    this.#stream.write(`${JSON.stringify(first)}\n`);
  }

  add(from: Side, entry: Omit<Entry, 't' | 'from'>): void {
    const { raw, stderr, head, bytes, ...rest } = entry;
    const kept: Entry = {
      t: Math.round((performance.now() - this.#began) * 10) / 10,
      from,
      ...rest,
      ...(raw !== undefined && { raw: maskText(raw) }),
      ...(bytes !== undefined && { bytes: maskBytes(Buffer.from(bytes, 'base64')).toString('base64') }),
      ...(stderr !== undefined && { stderr: maskText(stderr) }),
      ...(head !== undefined && { head: maskedHead(head) }),
    };
    this.#stream.write(`${JSON.stringify(kept)}\n`);
  }

  /** Bytes of one line, or of one body. */
  line(from: Side, bytes: Buffer, more: Pick<Entry, 'exchange'> = {}): void {
    const text = bytes.toString('utf8');
    if (Buffer.from(text, 'utf8').equals(bytes)) this.add(from, { ...more, raw: text });
    else this.add(from, { ...more, bytes: bytes.toString('base64') });
  }

  async close(): Promise<void> {
    this.#stream.end();
    await this.#done.catch((error: Error) => process.stderr.write(`${printable(`${this.file} could not be written: ${error.message}`)}\n`));
  }
}

function maskedHead(head: NonNullable<Entry['head']>): NonNullable<Entry['head']> {
  const { path, headers } = head;
  return { ...head, ...(path !== undefined && { path: maskText(path) }), headers: maskHeaders(headers) };
}

export function readRecording(file: string): Recording {
  const refuse = (why: string): CommandError =>
    new CommandError(exitCodes.usage, `${file} ${why}`, { hint: 'vivarium record makes recordings' });
  const lines = readText(file, { mostMiB: 512 }).split('\n');
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
  return { head: head as RecordingHead, entries: entries.filter(isEntry) };
}

function isEntry(value: unknown): value is Entry {
  const { from, t, raw, bytes, stderr, head } = value as Record<keyof Entry, unknown>;
  const isText = [raw, bytes, stderr].every((one) => one === undefined || typeof one === 'string');
  const { headers, path = '/' } = (head ?? {}) as { readonly headers?: unknown; readonly path?: unknown };
  const isHead =
    head === undefined || (typeof headers === 'object' && headers !== null && typeof path === 'string' && path.startsWith('/'));
  return (from === 'client' || from === 'server') && typeof t === 'number' && isText && isHead;
}
