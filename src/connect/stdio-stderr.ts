// The last words of a child process: lines of stderr, few and short, however much it writes.
import { StringDecoder } from 'node:string_decoder';

const maxLines = 50;
const maxLength = 1_000;
const blank = /^\s*$/;
/** What Node, npm and others write below the line that matters: a stack, the properties of an error, a version, where a log is. */
const beside = /^\s|^\W*$|^Node\.js v\d|^npm (?:warn|notice)\b|^npm (?:error|ERR!)\s*(?:\d{3}\s*|A complete log of this run .*)?$/;
/** npm says in many lines what one of them says. */
const npmVerdict = /^npm (?:error|ERR!) \d{3} .*Not Found/;

export class LastLines {
  readonly #listeners: readonly ((line: string) => void)[];
  readonly #decoder = new StringDecoder('utf8');
  readonly #lines: string[] = [];
  #open = '';

  constructor(listeners: readonly ((line: string) => void)[]) {
    this.#listeners = listeners;
  }

  push(chunk: Buffer): void {
    const text = this.#decoder.write(chunk);
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#add(text, from, end);
      this.#close();
      from = end + 1;
    }
    this.#add(text, from, text.length);
  }

  end(): void {
    this.#close();
  }

  /** With a last line that has no end yet: a crash seldom writes one. */
  get lines(): readonly string[] {
    return blank.test(this.#open) ? [...this.#lines] : [...this.#lines.slice(1 - maxLines), this.#open];
  }

  /** The line that most likely says what went wrong. */
  get verdict(): string | undefined {
    const { lines } = this;
    return lines.find((line) => npmVerdict.test(line)) ?? lines.findLast((line) => !beside.test(line)) ?? lines.at(-1);
  }

  #add(text: string, from: number, to: number): void {
    // One more than is kept shows that there was more.
    const room = maxLength + 1 - this.#open.length;
    if (room > 0 && to > from) this.#open += own(text.slice(from, Math.min(to, from + room)));
  }

  #close(): void {
    const whole = this.#open.endsWith('\r') ? this.#open.slice(0, -1) : this.#open;
    this.#open = '';
    if (blank.test(whole)) return;
    const line = short(whole);
    this.#lines.push(line);
    if (this.#lines.length > maxLines) this.#lines.shift();
    for (const listener of this.#listeners) later(listener, line);
  }
}

/** What is kept of a line from outside. */
export function short(line: string): string {
  return line.length <= maxLength ? line : `${own(line.slice(0, maxLength))}…`;
}

/** A failure of the listener's is reported as such, and not at the cost of what comes after it. */
export function later<T>(listener: (heard: T) => void, heard: T): void {
  try {
    listener(heard);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** A slice keeps the text it was cut from, which may be very long. */
function own(slice: string): string {
  return slice.length < maxLength ? slice : Buffer.from(slice, 'utf16le').toString('utf16le');
}
