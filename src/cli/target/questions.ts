// What a server may ask in the middle of a call, answered on the terminal or by --answer.
import { createInterface, type Interface } from 'node:readline/promises';
import { pathToFileURL } from 'node:url';
import type { Handlers } from '../../client/index.ts';
import { RpcError } from '../../jsonrpc/error.ts';
import type {
  CreateMessageResult,
  ElicitRequestFormParams,
  ElicitRequestParams,
  ElicitResult,
  PrimitiveSchemaDefinition,
  SamplingMessage,
} from '../../protocol/types.ts';
import { type Arguments, CommandError, exitCodes, type Flag } from '../args/command.ts';
import { printable, printableLines } from '../terminal/terminal.ts';

export const questionFlags: Readonly<Record<string, Flag>> = {
  answer: {
    type: 'string',
    value: 'name=value',
    multiple: true,
    help: 'An answer for the form of a server that asks (default: asked for on the terminal)',
  },
  root: { type: 'string', value: 'folder', multiple: true, help: 'A folder the server may know of' },
};

export interface Asker {
  readonly answers: ReadonlyMap<string, string>;
  readonly roots: readonly string[];
  /** Somebody is there. */
  readonly terminal: boolean;
}

type Answer = string | number | boolean | readonly string[];

const decline = (): ElicitResult => ({ action: 'decline' });

export const nobody: Asker = { answers: new Map(), roots: [], terminal: false };

export function askerOf({ lists }: Arguments): Asker {
  const answers = new Map(
    (lists['answer'] ?? []).map((given): [string, string] => {
      const at = given.indexOf('=');
      if (at < 1) throw new CommandError(exitCodes.usage, `--answer takes name=value, not ${given}`);
      return [given.slice(0, at), given.slice(at + 1)];
    }),
  );
  return { answers, roots: lists['root'] ?? [], terminal: process.stdin.isTTY === true };
}

/** For a failure whose cause may be that the server was offered no one to ask; `told` is what it said. */
export function answerHint({ answers, terminal }: Asker, told: string): string | undefined {
  if (terminal || !/\belicit/i.test(told) || answers.size > 0) return undefined;
  return 'It wants to ask something. Answer with --answer name=value, or run this on a terminal';
}

/** Only what can be answered is offered to the server. */
export function handlersFor({ answers, roots, terminal }: Asker): { handlers: Handlers; features: readonly 'elicitation.url'[] } {
  const handlers: Handlers = {
    ...((terminal || answers.size > 0) && { elicit: (ask) => elicit(ask, answers, terminal) }),
    ...(roots.length > 0 && { roots: () => roots.map((folder) => ({ uri: pathToFileURL(folder).href })) }),
    ...(terminal && { sample: (params) => sample(params.messages) }),
  };
  return { handlers, features: terminal ? ['elicitation.url'] : [] };
}

async function elicit(ask: ElicitRequestParams, answers: ReadonlyMap<string, string>, terminal: boolean): Promise<ElicitResult> {
  if (ask.mode === 'url') return onTerminal((lines) => visitUrl(lines, ask.message, ask.url), decline);
  const { properties, required = [] } = ask.requestedSchema;
  const names = Object.keys(properties);
  if (names.some((name) => answers.has(name)) || !terminal) {
    const missing = required.find((name) => !answers.has(name));
    if (missing !== undefined) {
      process.stderr.write(
        `The server asks: ${printable(ask.message)}; it is declined, for there is no --answer ${printable(missing)}=…\n`,
      );
      return { action: 'decline' };
    }
    const content: Record<string, Answer> = {};
    for (const name of names) {
      const given = answers.get(name);
      const read = given === undefined ? undefined : readAnswer(properties[name] as PrimitiveSchemaDefinition, given);
      if (given !== undefined && read === undefined) return decline();
      if (read !== undefined) content[name] = read;
    }
    return { action: 'accept', content };
  }
  return onTerminal((lines) => fillForm(lines, ask), decline);
}

async function fillForm(lines: Interface, { message, requestedSchema }: ElicitRequestFormParams): Promise<ElicitResult> {
  const { properties, required = [] } = requestedSchema;
  process.stderr.write(`The server asks: ${printableLines(message)}\n  (an empty line leaves out what is optional; Ctrl-D declines)\n`);
  const content: Record<string, Answer> = {};
  for (const [name, schema] of Object.entries(properties)) {
    for (;;) {
      const given = await lines.question(
        `  ${printable(schema.title ?? name)}${choices(schema)}${required.includes(name) ? '' : ' (optional)'}: `,
      );
      if (given === '' && schema.default !== undefined) content[name] = schema.default;
      else if (given === '' && !required.includes(name)) break;
      else {
        const read = readAnswer(schema, given);
        if (read === undefined) continue;
        content[name] = read;
      }
      break;
    }
  }
  return { action: 'accept', content };
}

function choices(schema: PrimitiveSchemaDefinition): string {
  const all = optionsOf(schema);
  const text = all.length > 0 ? ` [${all.join(', ')}]` : schema.type === 'boolean' ? ' [yes, no]' : '';
  const otherwise = schema.default === undefined ? '' : ` (default: ${String(schema.default)})`;
  return printable(`${text}${otherwise}`);
}

function optionsOf(schema: PrimitiveSchemaDefinition): readonly string[] {
  if ('enum' in schema) return schema.enum;
  if ('oneOf' in schema) return schema.oneOf.map((one) => one.const);
  if (schema.type !== 'array') return [];
  return 'enum' in schema.items ? schema.items.enum : schema.items.anyOf.map((one) => one.const);
}

/** Undefined, with a word about it, where it is none. */
function readAnswer(schema: PrimitiveSchemaDefinition, given: string): Answer | undefined {
  const all = optionsOf(schema);
  const odd = (why: string): undefined => void process.stderr.write(`  ${printable(given)} ${why}\n`);
  if (schema.type === 'boolean')
    return /^(?:y|yes|true|1)$/i.test(given) ? true : /^(?:n|no|false|0)$/i.test(given) ? false : odd('is neither yes nor no');
  if (schema.type === 'number' || schema.type === 'integer') {
    const number = Number(given);
    return given.trim() !== '' && Number.isFinite(number) && (schema.type === 'number' || Number.isInteger(number))
      ? number
      : odd('is no such number');
  }
  if (schema.type === 'array') {
    const picked = given.split(',').map((one) => one.trim());
    return picked.every((one) => all.includes(one)) ? picked : odd('is not among them');
  }
  return all.length === 0 || all.includes(given) ? given : odd('is not among them');
}

async function visitUrl(lines: Interface, message: string, url: string): Promise<ElicitResult> {
  process.stderr.write(
    `The server asks: ${printableLines(message)}\n  Open this address in a browser, if you trust it: ${printable(url)}\n`,
  );
  const answer = await lines.question('  Done? [y/N] ');
  return { action: /^\s*y/i.test(answer) ? 'accept' : 'decline' };
}

async function sample(messages: readonly SamplingMessage[]): Promise<CreateMessageResult> {
  const answer = async (lines: Interface): Promise<CreateMessageResult> => {
    process.stderr.write('The server asks a model; you are it:\n');
    for (const { role, content } of messages) {
      for (const block of Array.isArray(content) ? content : [content]) {
        process.stderr.write(`  ${printable(role)}: ${printableLines(block.type === 'text' ? block.text : JSON.stringify(block))}\n`);
      }
    }
    const text = await lines.question('  assistant: ');
    return { role: 'assistant', content: { type: 'text', text }, model: 'a person', stopReason: 'endTurn' };
  };
  return onTerminal(answer, () => {
    throw new RpcError(-1, 'The user declined');
  });
}

/** One question at a time; the end of the input declines. */
async function onTerminal<T>(ask: (lines: Interface) => Promise<T>, declined: () => T): Promise<T> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // Whoever interrupts means the command, not the question.
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const ended = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
  try {
    return (await Promise.race([ask(lines), ended])) ?? declined();
  } finally {
    lines.close();
  }
}
