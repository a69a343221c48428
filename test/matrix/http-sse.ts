// A client of HTTP+SSE, the transport of 2024-11-05: one stream for all that comes, POSTs for all that goes.
import { close, type Door, type Exchange, type Head } from './doors.ts';
import { readEvents } from './events.ts';
import type { Owner } from './http.ts';

export class SseClient {
  readonly #door: Door;
  readonly #owner: Owner;
  readonly #stream: Exchange;
  #target: Promise<string>;
  #tail: Promise<void> = Promise.resolve();

  constructor(door: Door, owner: Owner) {
    this.#door = door;
    this.#owner = owner;
    let found: (target: string) => void = () => undefined;
    this.#target = new Promise((resolve) => {
      found = resolve;
    });
    const events = readEvents(({ event, data, id }) => {
      if (id !== '') owner.blame(new Error(`The event ${id} has an id, but nothing is resumed in 2024-11-05`));
      if (event === 'endpoint') found(new URL(data, 'http://localhost/sse').href.slice('http://localhost'.length));
      else if (event === 'message') owner.arrive(JSON.parse(data));
      else owner.blame(new Error(`An event of the type ${event}`));
    });
    const head = ({ status, header }: Head): void => {
      if (status !== 200 || header('content-type') !== 'text/event-stream') owner.blame(new Error(`${status} ${header('content-type')}`));
    };
    this.#stream = door.ask({ method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } }, { head, text: events });
    void this.#stream.done.catch((error) => owner.blame(error));
  }

  send(message: object): void {
    const body = JSON.stringify(message);
    this.#tail = this.#tail.then(() => this.#deliver(body)).catch((error) => this.#owner.blame(error));
  }

  async settled(): Promise<void> {
    await this.#tail;
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  async #deliver(body: string): Promise<void> {
    let status = 0;
    let text = '';
    const head = (given: Head): void => {
      status = given.status;
    };
    const hearing = {
      head,
      text: (more: string): void => {
        text += more;
      },
    };
    const headers = { 'content-type': 'application/json' };
    const { done } = this.#door.ask({ method: 'POST', path: await this.#target, headers, body }, hearing);
    await done;
    // Whatever is refused is answered on the spot.
    if (status !== 202) this.#owner.arrive(JSON.parse(text));
  }

  async close(): Promise<void> {
    await this.#tail;
    await this.#stream.hangUp();
    await close(this.#door, (error) => this.#owner.blame(error));
  }
}
