// Plays one scenario: opens a door, starts the client, waits until it is done or has nothing more to say.
import type { Revision } from '../../protocol/revision.ts';
import type { Transport } from '../model/requirement.ts';
import type { CommandLine } from '../wire/pipe.ts';
import { type Launcher, launch } from './launch.ts';
import { openHttpDoor } from './mock-http-server.ts';
import { openPipeDoor } from './mock-stdio-server.ts';
import type { Ended, Known, Played, Scenario } from './scenario.ts';
import { Stage } from './stage.ts';

export interface PlayOptions {
  readonly revision: Revision;
  readonly transport: Transport;
  /** Milliseconds for an answer; after as long without a word the client has nothing more to say. */
  readonly timeoutMs: number;
  /** Until its first word. */
  readonly startTimeoutMs: number;
  readonly known: Known;
  readonly signal?: AbortSignal;
}

/** However much a client has to say. */
const longest = 60_000;

export async function play(scenario: Scenario, client: CommandLine | Launcher, options: PlayOptions): Promise<Played> {
  const { revision, transport, timeoutMs, startTimeoutMs, known } = options;
  const stage = new Stage(scenario, revision, transport, timeoutMs);
  const door = transport === 'stdio' ? await openPipeDoor(stage) : await openHttpDoor(stage);
  const { name, conformance } = scenario;
  const began = performance.now();
  const told = { scenario: name, conformance, revision, transport, timeoutMs };
  const running = typeof client === 'function' ? client(door, told) : launch(client, door, told);
  const watch = setInterval(() => {
    const now = performance.now();
    const quiet = stage.heardAt === undefined ? now - began > startTimeoutMs : now - stage.heardAt > timeoutMs && stage.busy === 0;
    if (quiet || now - began > longest || options.signal?.aborted === true) running.stop();
  }, 50);
  let process: Ended;
  try {
    process = await running.ended;
  } finally {
    clearInterval(watch);
    stage.isOver = true;
    await door.close();
  }
  const opened = stage.links.map((link) => ({ isJudged: link.isJudged, seen: link.seen() }));
  const seen = (isJudged: boolean) => opened.filter((one) => one.isJudged === isJudged).map((one) => one.seen);
  return {
    scenario: name,
    revision,
    transport,
    links: seen(true),
    others: seen(false),
    all: opened.map((one) => one.seen),
    exchanges: stage.exchanges,
    process,
    notes: stage.notes,
    known,
  };
}
