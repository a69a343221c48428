// What a configuration file leaves to somebody's answer, `${input:key}` of VS Code: asked for on the terminal, never sent as it stands.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { cut } from '../../jsonrpc/error.ts';
import { CommandError, exitCodes } from '../args/command.ts';
import { visible } from '../terminal/confirm.ts';
import type { ServerEntry } from './client-config.ts';

export interface ConfigInput {
  readonly description?: string;
  readonly password: boolean;
  readonly options: readonly string[];
  readonly otherwise?: string;
}

/** Taken apart by it, every second part of a text is a key. */
export const inputPattern: RegExp = /\$\{input:([^}]{1,200})\}/;
/** Filled in by one client only, from what it keeps itself. */
const foreign = /\$\{(?:command|config|workspaceFolder):[^}]{0,200}\}|\$\{\{[^}]{0,200}\}\}/;

/** As the file describes them; one that is used but not described is asked for by its name. */
export function inputsIn(list: unknown): ReadonlyMap<string, ConfigInput> {
  const found = new Map<string, ConfigInput>();
  for (const one of Array.isArray(list) ? list.slice(0, 1_000) : []) {
    const { id, description, password, options, default: otherwise } = (one ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof id !== 'string') continue;
    const picks = (Array.isArray(options) ? options : []).map((each) =>
      typeof each === 'string' ? each : String((each as { value?: unknown } | null)?.value),
    );
    found.set(id, {
      password: password === true,
      options: picks.slice(0, 100),
      ...(typeof description === 'string' && { description }),
      ...(typeof otherwise === 'string' && { otherwise }),
    });
  }
  return found;
}

/** The answer to each that the entry uses. */
export async function askInputs(
  entry: ServerEntry,
  known: ReadonlyMap<string, ConfigInput>,
  { name, file }: { readonly name: string; readonly file: string },
): Promise<ReadonlyMap<string, string>> {
  const texts = textsOf(entry);
  const refuse = (why: string): CommandError =>
    new CommandError(exitCodes.usage, `The server "${visible(cut(name))}" in ${file} ${why}`, {
      hint: 'In a copy of the file, write a variable of the environment in its place: $' + '{NAME}; name the copy with --config',
    });
  const odd = texts.map((text) => foreign.exec(text)?.[0]).find((one) => one !== undefined);
  if (odd !== undefined) throw refuse(`uses ${visible(odd)}, which only the client it was written for can fill in`);
  const answers = new Map<string, string>();
  for (const key of new Set(texts.flatMap((text) => text.split(inputPattern).filter((_, at) => at % 2 === 1)))) {
    if (process.stdin.isTTY !== true) throw refuse(`needs the input "${visible(key)}", which cannot be asked for without a terminal`);
    answers.set(key, await asked(key, `For the server "${visible(cut(name))}" in ${visible(file)}: `, known.get(key)));
  }
  return answers;
}

function textsOf(entry: ServerEntry): string[] {
  const texts: string[] = [];
  mapTexts(entry, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}

export function mapTexts(entry: ServerEntry, change: (text: string) => string): ServerEntry {
  const all = (values: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
  if ('url' in entry) return { ...entry, url: change(entry.url), headers: all(entry.headers) };
  const { command, args, env, cwd } = entry;
  return { command: change(command), args: args.map(change), env: all(env), ...(cwd !== undefined && { cwd: change(cwd) }) };
}

/** `whose` is said by us: what the file says of itself need not be so. */
async function asked(
  key: string,
  whose: string,
  { description, password, options, otherwise }: Partial<ConfigInput> = {},
): Promise<string> {
  const choices = options === undefined || options.length === 0 ? '' : ` [${options.join(', ')}]`;
  const question =
    whose + visible(cut(`${description ?? key}${choices}${otherwise === undefined ? '' : ` (default: ${otherwise})`}`, 1_000));
  // What is typed is echoed by the interface itself, so a secret gets one without a screen.
  const screen = password === true ? new Writable({ write: (_chunk, _encoding, done) => done() }) : process.stderr;
  const lines = createInterface({ input: process.stdin, output: screen, terminal: true });
  try {
    if (password === true) process.stderr.write(`${question}: `);
    const ended = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
    const answer = await Promise.race([lines.question(`${question}: `), ended]);
    if (password === true) process.stderr.write('\n');
    if (answer === undefined) throw new CommandError(exitCodes.interrupted, 'Nothing was started');
    return answer === '' ? (otherwise ?? '') : answer;
  } finally {
    lines.close();
  }
}
