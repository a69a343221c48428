// An image that waits, begun before anybody needs it: a session that is opened, or has lost its image, then goes on at once.
import type { Engine, Launch, LaunchOptions } from './engine.ts';
import { Image, type ImageEvents, type ImageLimits } from './image.ts';

/** `slow`: only where the language takes long to begin. */
export type SpareChoice = 'slow' | 'all' | 'none';

interface Waiting {
  readonly image: Image;
  /** Only what would begin in the same way may take its place. */
  readonly key: string;
  listen(events: ImageEvents): void;
}

/** One at a time, whatever was asked for last. Nothing of the project has run in it. */
export class Spares {
  readonly #choice: SpareChoice;
  #waiting: Waiting | undefined;
  #closed = false;

  constructor(choice: SpareChoice) {
    this.#choice = choice;
  }

  /** The one that waits, where it is as wanted, otherwise a new one; another one begins for the next. */
  begin({ slow }: Engine, { image: from }: LaunchOptions, launch: Launch, limits: ImageLimits, events: ImageEvents): Image {
    const isKept = this.#choice === 'all' || (this.#choice === 'slow' && slow === true);
    // What was there before us, or belongs to one session alone, cannot be begun twice.
    if (!isKept || (from ?? launch.wire ?? launch.socket ?? launch.callsBack) !== undefined) return new Image(launch, limits, events);
    const key = JSON.stringify(launch);
    const taken = this.#take(key);
    if (taken !== undefined) {
      taken.listen(events);
      this.#fill(key, launch, limits);
      return taken.image;
    }
    const image = new Image(launch, limits, events);
    // Not beside it: whoever waits for the first answer has the machine to themselves.
    image.ready.then(
      () => this.#fill(key, launch, limits),
      () => undefined,
    );
    return image;
  }

  /** Nobody works here any more; whoever comes begins as the first did. */
  async letGo(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    await waiting?.image.close('nobody needs it any more');
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.letGo();
  }

  #take(key: string): Waiting | undefined {
    const waiting = this.#waiting;
    if (waiting === undefined || waiting.key !== key) return undefined;
    this.#waiting = undefined;
    return waiting.image.over ? undefined : waiting;
  }

  #fill(key: string, launch: Launch, limits: ImageLimits): void {
    if (this.#closed || (this.#waiting?.key === key && !this.#waiting.image.over)) return;
    void this.letGo();
    let heard: ImageEvents | undefined;
    let said = '';
    const image = new Image(launch, limits, {
      output: (stream, text, cell, skipped) => {
        if (heard !== undefined) heard.output(stream, text, cell, skipped);
        // Why it did not begin, for whoever takes it meanwhile.
        else if (stream === 'err') said = `${said}${text}`.slice(-mostSaid);
      },
      event: (frame) => heard?.event(frame),
      ended: (reason) => heard?.ended(reason),
    });
    this.#waiting = {
      image,
      key,
      listen(events) {
        heard = events;
        if (said !== '') events.output('err', said, undefined, 0);
      },
    };
  }
}

const mostSaid = 2_000;
