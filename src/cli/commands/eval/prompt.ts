// The prompt of `vivarium eval`: lines in, answers out, with history and completion. Ctrl-C stops what runs, not the session.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { javascriptFacts } from '../../../live/languages/javascript/facts.ts';
import { languageNamed } from '../../../live/languages/languages.ts';
import { ownFolder, ownProblem } from '../../../node/own-folder.ts';
import { runFolder } from '../../../node/user-folders.ts';
import type { CallToolResult } from '../../../protocol/types.ts';
import { printable, printableLines } from '../../terminal/terminal.ts';
import { type Evaluator, linesOf } from './evaluator.ts';
import { isIncomplete } from './incomplete.ts';

export interface Surroundings {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Where what was typed is kept. */
  readonly history: string;
}

const maxHistory = 1_000;
const primary = '> ';
const further = '… ';

const help = [
  'What you type is evaluated in the session; its value is _ and stays there.',
  '  .reload [files]    brings edited files into the program, which keeps its state',
  '  .sessions          those there are',
  '  .session <handle>  goes to another one; without a handle back to main',
  '  .exit              leaves (Ctrl-D does, too); the sessions of a server stay',
  'Ctrl-C stops what runs. Tab completes names.',
  '',
].join('\n');

export function historyFile(): string {
  return join(dirname(runFolder()), 'eval-history');
}

/** Settles when the person leaves. */
export async function prompt(evaluator: Evaluator, { input, output, history }: Surroundings): Promise<void> {
  const language = await evaluator.language();
  const foreign = ownProblem(history, 'file');
  if (foreign !== undefined) output.write(`History is off: ${printable(foreign)}\n`);
  const terminal = createInterface({
    input,
    output,
    terminal: true,
    prompt: primary,
    history: foreign === undefined ? read(history) : [],
    historySize: maxHistory,
    removeHistoryDuplicates: true,
    completer: (line: string, done: (error: null, found: [string[], string]) => void) => {
      complete(evaluator, line, language).then(
        (found) => done(null, found),
        () => done(null, [[], line]),
      );
    },
  });
  const promptSession = new PromptSession(evaluator, terminal, output, language);
  if (foreign === undefined) terminal.on('history', (lines: string[]) => write(history, lines));
  terminal.on('line', (line) => promptSession.line(line));
  terminal.on('SIGINT', () => promptSession.interrupt());
  output.write(`${printable(evaluator.session ?? 'main')}: .help says what there is\n`);
  terminal.prompt();
  await new Promise<void>((resolve) => terminal.once('close', resolve));
  await promptSession.over();
}

class PromptSession {
  readonly #evaluator: Evaluator;
  readonly #terminal: Interface;
  readonly #output: NodeJS.WritableStream;
  readonly #language: string | undefined;
  /** Lines of something that is not complete yet. */
  #begun: string[] = [];
  #queue: Promise<void> = Promise.resolve();
  #running = false;
  #left = false;

  constructor(evaluator: Evaluator, terminal: Interface, output: NodeJS.WritableStream, language: string | undefined) {
    this.#evaluator = evaluator;
    this.#terminal = terminal;
    this.#output = output;
    this.#language = language;
    terminal.once('close', () => {
      this.#left = true;
    });
  }

  /** One after the other: what is pasted keeps its order. */
  line(text: string): void {
    this.#queue = this.#queue.then(() => this.#take(text));
  }

  interrupt(): void {
    if (this.#running) void this.#evaluator.interrupt().catch(() => undefined);
    else if (this.#begun.length > 0 || this.#terminal.line !== '') this.#anew();
    else this.#say('(.exit or Ctrl-D leaves)\n');
  }

  /** What still runs when the person has gone is stopped. */
  async over(): Promise<void> {
    if (this.#running) await this.#evaluator.interrupt().catch(() => undefined);
    await this.#queue;
  }

  async #take(text: string): Promise<void> {
    if (this.#left) return;
    try {
      await this.#obey(text);
    } catch (error) {
      // The server may have gone; what was typed before must not be lost with it.
      this.#output.write(`${printableLines((error as Error).message)}\n`);
    }
    // The cursor stays where it is: one may type ahead.
    if (!this.#left) this.#terminal.prompt(true);
  }

  async #obey(text: string): Promise<void> {
    if (this.#begun.length === 0 && /^\s*\.[a-z]+\b/.test(text)) return this.#command(text.trim());
    const code = [...this.#begun, text].join('\n');
    if (isIncomplete(code, this.#language)) {
      this.#begun.push(text);
      this.#terminal.setPrompt(further);
      return;
    }
    this.#begun = [];
    this.#terminal.setPrompt(primary);
    if (code.trim() !== '') await this.#evaluate(code);
  }

  async #command(text: string): Promise<void> {
    const [name, handle, ...more] = text.split(/\s+/);
    if (name === '.exit') this.#terminal.close();
    else if (name === '.help') this.#output.write(help);
    else if (name === '.sessions') this.#output.write(linesOf(await this.#evaluator.call('sessions', { action: 'list' })));
    else if (name === '.reload') this.#output.write(linesOf(await this.#evaluator.reload(handle === undefined ? [] : [handle, ...more])));
    else if (name === '.session') {
      this.#evaluator.session = handle;
      this.#output.write(`${printable(handle ?? 'main')}\n`);
    } else this.#output.write(`There is no ${printable(name ?? '')}; .help says what there is\n`);
  }

  async #evaluate(code: string): Promise<void> {
    this.#running = true;
    try {
      const sofar = (result: CallToolResult): void => void this.#output.write(linesOf(result));
      const result = await this.#evaluator.evaluate(code, sofar, (words) => this.#output.write(`${words}\n`));
      this.#output.write(linesOf(result));
    } finally {
      this.#running = false;
    }
  }

  #anew(): void {
    this.#begun = [];
    this.#terminal.setPrompt(primary);
    // What stands in the line is thrown away as Ctrl-U and Ctrl-K would.
    this.#terminal.write(null, { ctrl: true, name: 'e' });
    this.#terminal.write(null, { ctrl: true, name: 'u' });
    this.#say('');
  }

  #say(text: string): void {
    this.#output.write(`\n${text}`);
    this.#terminal.prompt();
  }
}

/** The last name of the line, in JavaScript with its dots. */
async function complete(evaluator: Evaluator, line: string, language = 'javascript'): Promise<[string[], string]> {
  const { nameAtEnd } = languageNamed(language) ?? javascriptFacts;
  const [prefix] = nameAtEnd.exec(line) ?? [];
  return prefix === undefined ? [[], line] : [[...(await evaluator.complete(prefix))], prefix];
}

/** The newest first, as readline wants it. */
function read(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean).slice(0, maxHistory);
  } catch {
    return [];
  }
}

/** For its owner only: code may hold what nobody else should see. */
function write(file: string, lines: readonly string[]): void {
  try {
    ownFolder(dirname(file));
    writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  } catch {
    // A prompt without a memory is still a prompt.
  }
}
