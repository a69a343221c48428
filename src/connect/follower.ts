// A stream that is asked for with GET, again and again from where it broke.
import { Bytes, EventParser, type EventSink } from '../jsonrpc/event-stream.ts';
import type { ChannelFailure } from '../protocol/channel.ts';
import { headerNames } from '../protocol/headers.ts';
import type { Authorized } from './authorized.ts';
import { answerType, broken, maxRefusalBytes, noAnswer, noMessage, refusal } from './refusal.ts';
import type { HeaderLookup, Reception, Underway } from './requester.ts';
import type { WebSettings } from './web-options.ts';

export interface Following {
  readonly line: Authorized;
  readonly settings: WebSettings;
  /** Asked for each time: a session may have begun, a revision may be known. */
  fields(): string[];
  /** Empty for a stream that begins here. */
  readonly lastId: string;
  readonly retryMs?: number | undefined;
  /** How often in a row nothing new may come; without end for a stream that nobody in particular waits for. */
  readonly maxFailures: number;
  event(data: string, type: string): void;
  /** The server has answered, one way or the other. */
  begun?(opened: boolean): void;
  /** Whether it is worth asking again. */
  wanted(): boolean;
  /** There will be no more; undefined when nobody wanted more. */
  over(why: ChannelFailure | undefined): void;
}

const usualMs = 1_000;
const maxMs = 30_000;
/** From here the waiting doubles, where a server asked for less. */
const leastMs = 100;
const utf8 = new TextDecoder();

export class Follower implements Reception, EventSink {
  readonly #following: Following;
  readonly #body: Bytes = new Bytes();
  #parser: EventParser | undefined;
  #refused: { readonly status: number; readonly header: HeaderLookup } | undefined;
  #underway: Underway | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastId: string;
  #retryMs: number | undefined;
  #failures = 0;
  #news = false;
  #over = false;

  constructor(following: Following) {
    this.#following = following;
    this.#lastId = following.lastId;
    this.#retryMs = following.retryMs;
  }

  /** At once where the stream begins, and in time where it goes on. */
  begin(): void {
    if (this.#lastId === '') this.#ask();
    else this.#wait(this.#delay());
  }

  close(): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#parser?.stop();
    this.#underway?.abort();
  }

  head(status: number, header: HeaderLookup): void {
    const opened = status === 200 && answerType(header('content-type')) === 'events';
    this.#following.begun?.(opened);
    if (opened) {
      this.#parser = new EventParser(this, this.#following.settings.maxMessageBytes, this.#lastId);
    } else {
      this.#refused = { status, header };
      this.#timer = setTimeout(() => this.end(), usualMs);
    }
  }

  data(bytes: Uint8Array): void {
    if (this.#parser !== undefined) return this.#parser.push(bytes);
    this.#body.add(bytes);
    if (this.#body.length > maxRefusalBytes) this.end();
  }

  end(): void {
    this.#underway?.abort();
    if (this.#refused === undefined) return this.#again(broken('The stream ended before the answer'));
    clearTimeout(this.#timer);
    const { status, header } = this.#refused;
    this.#refused = undefined;
    const body = this.#body.take(utf8);
    const failure = status === 200 ? noAnswer(status, header('content-type'), body) : refusal(status, header, body);
    if (status === 429 || status >= 500) return this.#again(failure);
    // Only these say something about the session; any other says that streams are not resumed here.
    const kind = status === 401 || status === 403 || status === 404 ? 'status' : 'network';
    this.#end({ ...failure, kind, message: `The stream cannot be resumed: ${failure.message}` });
  }

  failed(failure: ChannelFailure): void {
    if (this.#refused !== undefined) this.end();
    else if (failure.kind === 'network') this.#again({ ...failure, unsent: false });
    else this.#end({ ...failure, unsent: false });
  }

  event(data: string, type: string): void {
    if (this.#over) return;
    if (data !== '') this.#news = true;
    this.#following.event(data, type);
  }

  overflow(): void {
    this.#underway?.abort();
    const why = noMessage(`An event is larger than ${this.#following.settings.maxMessageBytes} bytes: raise maxMessageBytes`);
    if (this.#following.maxFailures !== Number.POSITIVE_INFINITY) return this.#end(why);
    // After its id the same event would come again and again.
    this.#parser = undefined;
    this.#lastId = '';
    this.#again(why);
  }

  #again(why: ChannelFailure): void {
    const parser = this.#parser;
    this.#parser = undefined;
    if (parser !== undefined) {
      this.#lastId = parser.lastId;
      this.#retryMs = parser.retryMs ?? this.#retryMs;
    }
    if (this.#over) return;
    if (!this.#following.wanted()) return this.#end(undefined);
    this.#failures = this.#news ? 0 : this.#failures + 1;
    this.#news = false;
    if (this.#failures > this.#following.maxFailures) {
      return this.#end({ ...why, message: `The stream cannot be resumed: ${why.message}`, unsent: false });
    }
    this.#wait(Math.min(maxMs, Math.max(this.#delay(), why.retryAfterMs ?? 0)));
  }

  #delay(): number {
    const asked = Math.min(maxMs, this.#retryMs ?? usualMs);
    // Who waits for a call may be in a hurry; a stream that is there for good is not.
    if (this.#failures === 0) return this.#following.maxFailures === Number.POSITIVE_INFINITY ? Math.max(asked, leastMs) : asked;
    return Math.min(maxMs, Math.max(asked, leastMs) * 2 ** Math.min(10, this.#failures - 1));
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => (this.#following.wanted() ? this.#ask() : this.#end(undefined)), ms);
  }

  #ask(): void {
    const { line, settings } = this.#following;
    const fields = this.#following.fields();
    if (this.#lastId !== '') fields.push(headerNames.lastEvent, toByteString(this.#lastId));
    this.#body.clear();
    this.#underway = line.send({ verb: 'GET', path: settings.path, fields, body: undefined, holds: false }, this);
    if (this.#over) this.#underway.abort();
  }

  #end(why: ChannelFailure | undefined): void {
    if (this.#over) return;
    this.close();
    this.#following.over(why);
  }
}

/** A header holds bytes: the id goes back as it came. */
function toByteString(id: string): string {
  if (/^[\x20-\x7e]*$/.test(id)) return id;
  let bytes = '';
  for (const byte of new TextEncoder().encode(id)) bytes += String.fromCharCode(byte);
  return bytes;
}
