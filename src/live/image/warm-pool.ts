// Images that wait, begun before anybody needs them: a session that is opened, or has lost its image, then goes on at once.
import { statSync } from 'node:fs';
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

const maxSaid = 2_000;

/** One of each language, as it was asked for last. Nothing of the project has run in it. */
export class WarmPool {
  readonly #choice: SpareChoice;
  readonly #waiting: Map<string, Waiting> = new Map();
  #closed = false;

  constructor(choice: SpareChoice) {
    this.#choice = choice;
  }

  /** The one that waits, where it is as wanted, otherwise a new one; another one begins for the next. */
  begin({ language, slow }: Engine, { image: from }: LaunchOptions, launch: Launch, limits: ImageLimits, events: ImageEvents): Image {
    const isKept = this.#choice === 'all' || (this.#choice === 'slow' && slow === true);
    // What was there before us, or belongs to one session alone, cannot be begun twice.
    if (!isKept || (from ?? launch.wire ?? launch.socket ?? launch.callsBack) !== undefined) return new Image(launch, limits, events);
    const key = JSON.stringify([launch, placeOf(launch.cwd)]);
    const fill = (): void => this.#fill(language, key, launch, limits);
    const taken = this.#take(language, key);
    if (taken !== undefined) {
      taken.listen(events);
      fill();
      return taken.image;
    }
    const image = new Image(launch, limits, events);
    // Not beside it: until it is there, whoever waits for it has the machine to themselves.
    image.ready.then(fill, () => undefined);
    return image;
  }

  /** Nobody works in this language any more; whoever comes begins as the first did. */
  async letGo(language: string): Promise<void> {
    const waiting = this.#waiting.get(language);
    this.#waiting.delete(language);
    await waiting?.image.close('nobody needs it any more');
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#waiting.keys()].map((language) => this.letGo(language)));
  }

  #take(language: string, key: string): Waiting | undefined {
    const waiting = this.#waiting.get(language);
    if (waiting === undefined || waiting.key !== key) return undefined;
    this.#waiting.delete(language);
    return waiting.image.over ? undefined : waiting;
  }

  #fill(language: string, key: string, launch: Launch, limits: ImageLimits): void {
    const before = this.#waiting.get(language);
    if (this.#closed || (before?.key === key && !before.image.over)) return;
    void this.letGo(language);
    let heard: ImageEvents | undefined;
    let said = '';
    const image = new Image(launch, limits, {
      output: (stream, text, cell, skipped) => {
        if (heard !== undefined) heard.output(stream, text, cell, skipped);
        // Why it did not begin, for whoever takes it meanwhile.
        else if (stream === 'err') said = `${said}${text}`.slice(-maxSaid);
      },
      event: (frame) => heard?.event(frame),
      ended: (reason) => heard?.ended(reason),
    });
    this.#waiting.set(language, {
      image,
      key,
      listen(events) {
        heard = events;
        if (said !== '') events.output('err', said, undefined, 0);
      },
    });
  }
}

/** Which folder it is: under the same name there may be another by now, and a process stays in the one it began in. */
function placeOf(folder: string): string {
  const { dev, ino } = statSync(folder, { throwIfNoEntry: false }) ?? {};
  return `${dev} ${ino}`;
}
