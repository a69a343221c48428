// The streams a client opens with GET: messages of the server that belong to no call, and streams that are resumed.
import { encodeEvent, encodePriming } from '../jsonrpc/event-stream.ts';
import type { RevisionTraits } from '../protocol/revision.ts';
import type { Outlet } from '../server/context.ts';
import type { Following, Reader } from '../store/store.ts';
import type { EndpointHost } from './endpoint-host.ts';
import type { Exchange } from './exchange.ts';
import type { Account } from './limits/limits.ts';
import { OpenStream } from './open-stream.ts';

interface Line {
  readonly name: string;
  number: number;
  stream: OpenStream | undefined;
  leave: () => void;
}

/** Streams that were cut and may be resumed; of these, so many. */
const maxClosed = 8;

export class Standalone implements Outlet {
  readonly #endpoint: EndpointHost;
  readonly #session: string;
  readonly #account: Account;
  /** The newest last: a message goes to one of them only. */
  #lines: Line[] | undefined;

  constructor(endpoint: EndpointHost, session: string, account: Account) {
    this.#endpoint = endpoint;
    this.#session = session;
    this.#account = account;
  }

  /** How many streams are open. */
  get open(): number {
    let open = 0;
    for (const line of this.#lines ?? []) if (line.stream !== undefined) open++;
    return open;
  }

  /** To the newest stream that is open; when none is, to where the newest would be resumed. */
  send(message: object): void {
    const line = this.#lines?.findLast(({ stream }) => stream !== undefined) ?? this.#lines?.at(-1);
    if (line === undefined) return;
    const data = JSON.stringify(message);
    this.#endpoint.counters.events++;
    if (this.#endpoint.settings.tap !== undefined) this.#endpoint.show('out', data);
    if (this.#endpoint.settings.events === undefined) line.stream?.write(encodeEvent(data));
    else this.#endpoint.store.events.append(this.#session, line.name, ++line.number, data);
  }

  begin(exchange: Exchange, traits: RevisionTraits): void {
    const line = this.#line(this.#endpoint.streamName('g'), 0, exchange);
    this.#prime(line, traits);
  }

  #prime(line: Line, traits: RevisionTraits): void {
    const { settings, store } = this.#endpoint;
    if (settings.events !== undefined) line.leave = store.events.begin(this.#session, line.name, settings.events, this.#reader(line));
    if (settings.events !== undefined && traits.primedStreams) line.stream?.write(encodePriming(`${line.name}-0`, settings.retryMs));
    else line.stream?.greet();
  }

  /** Goes on after an event of a stream of this kind. False when there is no such stream, or too little of it is left. */
  async resume(exchange: Exchange, name: string, after: number, traits: RevisionTraits): Promise<boolean | 'trimmed'> {
    const { store, counters } = this.#endpoint;
    const reader = new LateReader(name);
    const following = await store.events.follow(this.#session, name, after, reader);
    if (following === undefined || following === 'trimmed') return following ?? false;
    counters.streamsResumed++;
    if (name.startsWith('g')) this.#goOn(exchange, name, following, reader, traits);
    else follow(this.#endpoint, exchange, this.#account, following, reader);
    return true;
  }

  #goOn(exchange: Exchange, name: string, following: Following, reader: LateReader, traits: RevisionTraits): void {
    this.#lines = this.#lines?.filter((line) => line.name !== name);
    // A stream that was given up is brought to its end, and goes on under another name.
    const again = following.ended ? this.#endpoint.streamName('g') : name;
    const line = this.#line(again, following.ended ? 0 : following.last, exchange);
    const { stream } = line;
    if (!following.ended) {
      line.leave = following.leave;
      reader.begin(following, this.#reader(line));
      stream?.greet();
    } else {
      for (const [number, data] of following.missed) stream?.write(encodeEvent(data, `${name}-${number}`));
      this.#prime(line, traits);
    }
  }

  #line(name: string, number: number, exchange: Exchange): Line {
    const closed = this.#lines?.filter(({ stream }) => stream === undefined) ?? [];
    for (const old of closed.slice(0, -maxClosed)) {
      this.#endpoint.store.events.end(this.#session, old.name);
      this.#lines = this.#lines?.filter((one) => one !== old);
    }
    const line: Line = { name, number, stream: undefined, leave: () => undefined };
    line.stream = new OpenStream(this.#endpoint, exchange, this.#account, [], () => {
      line.stream = undefined;
      line.leave();
    });
    this.#lines ??= [];
    this.#lines.push(line);
    return line;
  }

  #reader(line: Line): Reader {
    const close = (): void => {
      line.stream?.end();
      line.stream = undefined;
    };
    return {
      event: (number, data) => {
        line.number = Math.max(line.number, number);
        line.stream?.write(encodeEvent(data, `${line.name}-${number}`));
      },
      end: close,
      replaced: close,
    };
  }

  /** Ends what is open; it can be resumed, here or elsewhere. */
  hangUp(): void {
    for (const line of this.#lines ?? []) {
      line.leave();
      line.stream?.end();
      line.stream = undefined;
    }
  }

  /** The client listens elsewhere: what was cut here is resumed there. */
  yield(): void {
    this.#lines = this.#lines?.filter(({ stream }) => stream !== undefined);
  }

  close(): void {
    this.hangUp();
    this.#lines = undefined;
  }
}

/** The stream of a call that was cut: what was missed, then the rest as it comes. */
function follow(endpoint: EndpointHost, exchange: Exchange, account: Account, following: Following, reader: LateReader): void {
  const stream = new OpenStream(endpoint, exchange, account, [], () => following.leave());
  reader.begin(following, {
    event: (number, data) => stream.write(encodeEvent(data, `${reader.name}-${number}`)),
    end: () => stream.end(),
    replaced: () => stream.end(),
  });
  if (following.ended) stream.end();
  else stream.greet();
}

/** Events may come before what was missed has been written: they wait for it. */
class LateReader implements Reader {
  readonly name: string;
  #target: Reader | undefined;
  #early: ((reader: Reader) => void)[] = [];

  constructor(name: string) {
    this.name = name;
  }

  begin({ missed }: Following, target: Reader): void {
    for (const [number, data] of missed) target.event(number, data);
    for (const late of this.#early) late(target);
    this.#early = [];
    this.#target = target;
  }

  event(number: number, data: string): void {
    this.#pass((target) => target.event(number, data));
  }

  end(): void {
    this.#pass((target) => target.end());
  }

  replaced(): void {
    this.#pass((target) => target.replaced());
  }

  #pass(tell: (target: Reader) => void): void {
    if (this.#target === undefined) this.#early.push(tell);
    else tell(this.#target);
  }
}
