// Images started ahead of time, so that a session that opens, or has lost its image, has one at once.
import { statSync } from 'node:fs';
import type { Engine, Launch, LaunchOptions } from './engine.ts';
import { Image, type ImageEvents, type ImageLimits } from './image.ts';

/** `slow`: only for languages that take long to start. */
export type SpareChoice = 'slow' | 'all' | 'none';

interface Waiting {
  readonly image: Image;
  /** Of the launch: only a session with the same one may take this image. */
  readonly key: string;
  listen(events: ImageEvents): void;
}

const maxSaid = 2_000;

/** One image of each language, for the launch that was requested last. No code of the project has run in it. */
export class WarmPool {
  readonly #choice: SpareChoice;
  readonly #waiting: Map<string, Waiting> = new Map();
  #closed = false;

  constructor(choice: SpareChoice) {
    this.#choice = choice;
  }

  /** The waiting image where its launch is the same, otherwise a new one; then another one is started for the next session. */
  begin({ language, slow }: Engine, { image: from }: LaunchOptions, launch: Launch, limits: ImageLimits, events: ImageEvents): Image {
    const isKept = this.#choice === 'all' || (this.#choice === 'slow' && slow === true);
    // An attached program or a saved image belongs to one session.
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
    // Not in parallel: it would slow down the start that somebody waits for.
    image.ready.then(fill, () => undefined);
    return image;
  }

  /** No session uses this language any more. */
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
        // Why it did not start, for the session that takes it.
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

/** Identity of the folder: a process stays in the folder it was started in, although the path may name another one by now. */
function placeOf(folder: string): string {
  const { dev, ino } = statSync(folder, { throwIfNoEntry: false }) ?? {};
  return `${dev} ${ino}`;
}
