// The file of a recording: what went between a client and a server, in order, one JSON object a line, secrets masked.
import { createWriteStream, statSync } from 'node:fs';
import { join, parse } from 'node:path';
import { finished } from 'node:stream/promises';
import type { RecordedEntry } from '../../../check/cli.ts';
import { CommandError, exitCodes } from '../../args/command.ts';
import { readText } from '../../args/read-file.ts';
import { isOpenStream, openPrivate } from '../../terminal/output.ts';
import { printable } from '../../terminal/terminal.ts';
import { maskBytes, maskHeaders, maskText } from './masking.ts';

/** Of recordings under one name. */
const maxNumber = 1_000;

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

  /** What is in the file stays, unless `overwrite` is set: then the recording is in another one beside it. */
  constructor(
    file: string,
    head: Omit<RecordingHead, 'recording' | 'began'>,
    { overwrite = false }: { readonly overwrite?: boolean } = {},
  ) {
    this.file = overwrite ? file : freeName(file);
    this.#stream = createWriteStream(this.file, { fd: openPrivate(this.file) });
    this.#done = finished(this.#stream);
    // At once, for it may go on for hours; what is recorded must not be disturbed by it.
    this.#done.catch((error: Error) => process.stderr.write(`${printable(`${this.file} cannot be written: ${error.message}`)}\n`));
    const first: RecordingHead = { recording: 1, ...head, target: maskText(head.target), began: new Date().toISOString() };
    this.#stream.write(`${JSON.stringify(first)}\n`);
  }

  /** What comes after the end of the recording is not part of it: connections that it closed itself still say so. */
  add(from: Side, entry: Omit<Entry, 't' | 'from'>): void {
    if (this.#stream.writableEnded) return;
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

  /** Refused where something is missing in the file. */
  async close(): Promise<void> {
    this.#stream.end();
    await this.#done.catch((cause: Error) => {
      throw new CommandError(exitCodes.usage, `${this.file} could not be written, so the recording is incomplete: ${cause.message}`, {
        cause,
      });
    });
  }
}

/** A client may start a server several times, and each time is worth as much: s.jsonl, then s-2.jsonl. */
function freeName(file: string): string {
  if (isOpenStream(file)) return file;
  const { dir, name, ext } = parse(file);
  for (let number = 1; number <= maxNumber; number++) {
    const one = number === 1 ? file : join(dir, `${name}-${number}${ext}`);
    const found = statSync(one, { throwIfNoEntry: false });
    if (found?.isFile() !== true || found.size === 0) return one;
  }
  throw new CommandError(exitCodes.usage, `${file} is there already, and so are ${maxNumber - 1} more beside it`, {
    hint: 'Remove some, or pass --overwrite',
  });
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
