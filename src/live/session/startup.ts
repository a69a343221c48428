// The code every fresh image runs first. A failure is reported with the next answer; the image stays usable.
import { settledWithin } from '../../text/timeouts.ts';
import type { Ending } from '../access/audit.ts';
import { CellFault, type Engine, type LaunchOptions, type Note, type Notebook, type Start } from '../image/engine.ts';
import type { Image } from '../image/image.ts';
import { inBrief, outcomeOf } from '../image/outcome.ts';

export interface Started {
  readonly declares: readonly string[];
  /** In words. */
  readonly problem?: string;
}

/** Loads the parser while the image boots. */
export async function rehearse(engine: Engine, options: LaunchOptions): Promise<void> {
  try {
    await engine.open(options).prepare('0', 0);
  } catch {
    // The first cell reports it.
  }
}

/** Rejects with ImageEnded. */
export async function runStart(image: Image, notebook: Notebook, { what, code }: Start, maxMs: number): Promise<Started> {
  const id = image.number();
  try {
    const { fields, declares } = await notebook.prepare(code, 0);
    const frame = await settledWithin(maxMs, image.request('evaluate', { ...fields, cell: 0 }, id));
    if (frame === undefined) {
      image.request('abandon', {}).catch(() => undefined);
      return { declares: [], problem: `${what} has not come to its end within ${maxMs} ms; it goes on` };
    }
    const outcome = outcomeOf(frame);
    if (outcome.status === 'ok') return { declares, ...warned(what, outcome.notes) };
    return failed(what, inBrief(outcome));
  } catch (error) {
    if (!(error instanceof CellFault)) throw error;
    return failed(what, error.message);
  } finally {
    image.forget(id);
  }
}

export function startedEnding({ problem }: Started): Ending {
  return { outcome: problem === undefined ? 'ok' : 'error', line: problem ?? '' };
}

/** Warnings only: notes are about optimization. */
function warned(what: string, notes: readonly Note[] = []): Pick<Started, 'problem'> {
  const told = notes.filter(({ severity }) => severity !== 'note');
  if (told.length === 0) return {};
  const lines = told
    .slice(0, maxTold)
    .map(({ message, file, line, column }) => `${message}${file === '' ? '' : ` (${file}:${line}:${column})`}`);
  const more = told.length > maxTold ? [`… ${told.length - maxTold} more`] : [];
  return { problem: [`${what} was loaded with warnings:`, ...lines, ...more].join('\n') };
}

const maxTold = 10;
const maxWhy = 2_000;

function failed(what: string, why: string): Started {
  return { declares: [], problem: `${what} could not be loaded: ${why.slice(0, maxWhy)}` };
}
