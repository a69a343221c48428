// What was evaluated with success, written down: a session cannot be frozen, but its work can be done again.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Session } from './session.ts';

export interface Journal {
  readonly name: string;
  readonly language: string;
  readonly cells: readonly string[];
}

const kind = '.journal.json';

/** Readable by its owner only: code may hold what nobody else should see. */
export async function saveJournal(folder: string, session: Session, name: string = defaultName()): Promise<string> {
  checkName(name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const cells = session.entries.filter(({ ok }) => ok).map(({ code }) => code);
  const journal: Journal = { name, language: session.engine.language, cells };
  await writeFile(join(folder, `${name}${kind}`), `${JSON.stringify(journal, null, 1)}\n`, { mode: 0o600 });
  return name;
}

export async function loadJournal(folder: string, name: string | undefined): Promise<Journal> {
  const saved = (await readdir(folder).catch(() => [])).filter((file) => file.endsWith(kind)).map((file) => file.slice(0, -kind.length));
  if (name === undefined || !saved.includes(name)) {
    const known = saved.length === 0 ? 'nothing was saved yet' : `saved are ${saved.join(', ')}`;
    throw new Error(name === undefined ? `restore needs a name; ${known}` : `There is nothing saved as "${name}"; ${known}`);
  }
  const journal = JSON.parse(await readFile(join(folder, `${name}${kind}`), 'utf8')) as Journal;
  if (!Array.isArray(journal.cells) || !journal.cells.every((cell) => typeof cell === 'string'))
    throw new Error(`What was saved as "${name}" cannot be read`);
  return journal;
}

/** In order, until one fails. */
export async function replay(
  session: Session,
  { cells }: Journal,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<{ readonly done: number; readonly failed?: { readonly cell: number; readonly text: string } }> {
  let done = 0;
  for (const code of cells) {
    if (signal.aborted) break;
    const run = session.evaluate(code, { timeoutMs });
    const stop = (): void => void session.stop(run, 'cancelled');
    signal.addEventListener('abort', stop, { once: true });
    await run.settled(2 ** 31 - 1);
    signal.removeEventListener('abort', stop);
    run.shown = true;
    const { outcome } = run;
    if (outcome?.status !== 'ok') {
      const text = outcome?.status === 'error' ? `${outcome.fault.type}: ${outcome.fault.message}` : (outcome?.status ?? 'paused');
      return { done, failed: { cell: done + 1, text } };
    }
    done++;
  }
  return { done };
}

function checkName(name: string): void {
  if (!/^[\w-][\w.-]{0,99}$/.test(name)) throw new Error('A name is made of letters, digits, dots, dashes and underscores');
}

function defaultName(): string {
  return new Date().toISOString().slice(0, 19).replaceAll(':', '-');
}
