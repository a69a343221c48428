// A line for a shell that shows a failure again: the bytes themselves, through printf or curl.

import type { Revision } from '../../protocol/revision.ts';
import { isPlain } from '../../text/printable.ts';
import { shellQuote as quote, shellCommand, shellEnvironment, shellWithVariable } from '../../text/shell-quote.ts';
import { visible } from '../model/evidence.ts';
import { openLedger } from '../model/ledger.ts';
import { isModern } from '../model/revision.ts';
import { isSecret, withoutSecrets, wordsWithoutSecrets } from '../model/secrets.ts';
import { type Conversation, decodeUtf8, type Exchange, type Message } from '../model/trace.ts';
import { at } from '../model/value.ts';
import type { Evidence, Finding } from '../model/verdict.ts';
import type { CommandLine } from '../wire/pipe.ts';
import { initializeParams } from './peer/greet.ts';
import { fullCapabilities, isReply } from './peer/peer.ts';
import type { CheckTarget } from './target.ts';

/** Nobody copies more than that. */
const longest = 8_000;
const maxCauses = 6;

/** What shows once a server is started and its input ends, whatever was said. */
const shownByStart: ReadonlySet<string> = new Set(['stdio/exit-on-eof', 'stdio/stdout-clean']);

/** Undefined where what was seen cannot be had by sending something. */
export function reproduction(
  finding: Finding,
  target: CheckTarget,
  revision: Revision,
  conversations: readonly Conversation[] = [],
): string | undefined {
  const line =
    target.kind === 'url'
      ? byCurl(finding.evidence, conversations)
      : target.kind === 'command'
        ? byPipe(finding, target, revision, conversations)
        : undefined;
  return line === undefined || line.length > longest ? undefined : line;
}

function byPipe({ id, evidence }: Finding, target: CommandLine, revision: Revision, all: readonly Conversation[]): string | undefined {
  const messages = evidence.filter((one): one is Message => typeof one !== 'string' && 'direction' in one);
  if (messages.length === 0 && !shownByStart.has(id)) return undefined;
  const sent = sentFor(messages, all) ?? [
    ...opening(revision),
    ...messages.filter(({ direction, value }) => direction === 'sent' && !isOpening(value)),
  ];
  // The end of input would end a server before it has answered.
  const steps = [...printed(sent), 'sleep 1'];
  return `${steps.length === 1 ? 'sleep 1' : `(${steps.join('; ')})`} | ${commandLine(target)}`;
}

/** In the order in which it was said on the one connection they all belong to: how that began, and what brought about what was seen. */
function sentFor(evidence: readonly Message[], all: readonly Conversation[]): readonly Message[] | undefined {
  const [shown, ...rest] = evidence;
  const conversation = all.find(({ messages }) => shown !== undefined && messages.includes(shown));
  if (conversation === undefined || rest.some((one) => !conversation.messages.includes(one))) return undefined;
  const { messages } = conversation;
  const causes = new Set(evidence.flatMap((one) => (one.direction === 'sent' ? [one] : causesOf(one, conversation))).slice(0, maxCauses));
  const last = messages.findLastIndex((one) => causes.has(one));
  // Where there is no handshake, a server may take the version of a connection from the first request that is more than discovery.
  const isBeginning = ({ direction, wild, value }: Message) =>
    direction === 'sent' && wild !== true && at(value, 'method') !== 'server/discover';
  const first = isModern(conversation.revision) ? messages.find(isBeginning) : undefined;
  const begins = (one: Message) => one === first || isOpening(one.value);
  const said = messages.filter((one, index) => one.direction === 'sent' && (causes.has(one) || (index < last && begins(one))));
  // Each member of a batch is a message, and all of them have the same bytes.
  return said.filter(({ bytes }, index) => said.findIndex((one) => one.bytes === bytes) === index);
}

/** The request that it answers; of anything else, those that waited for an answer when it came, or what was said last. */
function causesOf(received: Message, conversation: Conversation): readonly Message[] {
  const { answered, requests } = openLedger(conversation);
  const asked = answered.get(received);
  if (asked !== undefined) return [asked.message];
  const { messages } = conversation;
  const before = messages.slice(0, messages.indexOf(received));
  const known = new Set(before);
  const waiting = requests.filter(({ message, replies }) => known.has(message) && !replies.some((one) => known.has(one)));
  if (waiting.length > 0) return waiting.slice(-maxCauses).map(({ message }) => message);
  return before.filter(({ direction }) => direction === 'sent').slice(-1);
}

type Said = Pick<Message, 'bytes' | 'value'>;

/** Commands that print each as a line. */
function printed(sent: readonly Said[]): string[] {
  const commands: string[] = [];
  let plain: string[] = [];
  const flush = (): void => {
    if (plain.length > 0) commands.push(`printf '%s\\n' ${plain.map(quote).join(' ')}`);
    plain = [];
  };
  for (const { bytes, value } of sent) {
    if (isReply(value)) {
      // Nobody answers what was not asked yet.
      flush();
      commands.push('sleep 1');
    }
    const text = wordOf(bytes);
    if (text !== undefined) plain.push(text);
    else {
      flush();
      commands.push(...bytewise(Buffer.concat([bytes, Buffer.from('\n')])));
    }
  }
  flush();
  return commands;
}

/** Undefined for what a word of a command line cannot hold, or not so that a person may read it. */
function wordOf(bytes: Buffer): string | undefined {
  const text = decodeUtf8(bytes);
  return text !== undefined && isPlain(text) && !longRun.test(bytes.toString('latin1')) ? text : undefined;
}

const longRun = /([\s\S])\1{255,}/;

/** Octal where a byte is no character that is only shown; one byte many times as so many of them. */
function bytewise(bytes: Buffer): string[] {
  const text = bytes.toString('latin1');
  const run = longRun.exec(text);
  if (run === null) return text === '' ? [] : [`printf ${quote(octal(text))}`];
  const [all, one = ''] = run;
  const rest = text.slice(run.index + all.length);
  return [
    ...bytewise(bytes.subarray(0, run.index)),
    `head -c ${all.length} /dev/zero | tr '\\0' ${quote(octal(one))}`,
    ...bytewise(Buffer.from(rest, 'latin1')),
  ];
}

function octal(latin: string): string {
  return latin
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')
    .replace(/[^ -~]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

/** In its folder, with the variables it was given by name: their values may be secrets. */
function commandLine({ command, args, env = {}, cwd }: CommandLine): string {
  const line = shellEnvironment(Object.keys(env)) + shellCommand(wordsWithoutSecrets([command, ...args]));
  return cwd === undefined ? line : `(cd ${quote(cwd)} && ${line})`;
}

function isOpening(value: unknown): boolean {
  const method = at(value, 'method');
  return method === 'initialize' || method === 'notifications/initialized';
}

function opening(revision: Revision): Said[] {
  if (isModern(revision)) return [];
  const params = initializeParams({ revision, capabilities: fullCapabilities(revision) });
  return [
    { jsonrpc: '2.0', id: 0, method: 'initialize', params },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
  ].map((value) => ({ value, bytes: Buffer.from(JSON.stringify(value)) }));
}

function byCurl(evidence: readonly Evidence[], all: readonly Conversation[]): string | undefined {
  const carried = evidence.flatMap((one) => (typeof one === 'string' ? [] : 'request' in one ? [one] : (one.exchange ?? [])));
  const [first, ...rest] = [...new Set(carried)].slice(0, maxCauses);
  if (first === undefined) return undefined;
  const conversation = all.find(({ exchanges }) => exchanges.includes(first));
  // Where to send anything, HTTP+SSE tells anew on each of its streams.
  if (conversation?.transport === 'sse' && first.request.method === 'POST') return undefined;
  const session = sessionOf(first, conversation);
  const own = [first, ...rest].filter((one) => session?.begun.includes(one) !== true);
  if (session === undefined || own.length === 0) return joined([first, ...rest].map((one) => curl(one)));
  const [begin, ...begun] = session.begun;
  const id = begin === undefined ? '' : `session=$(${curl(begin)} | tr -d '\\r' | awk 'tolower($1) == "mcp-session-id:" { print $2 }')`;
  return [id, joined([...begun, ...own].map((one) => curl(one, session.id)))].join('; ');
}

/** What does not answer should not keep the others from being sent. */
function joined(lines: readonly string[]): string {
  return lines.length === 1 ? lines.join('') : lines.map((line) => line.replace('curl -isN', 'curl -isN -m 5')).join('; ');
}

/** A session that is over by now, and how another is begun in its place. */
function sessionOf(
  { request: { headers } }: Exchange,
  conversation: Conversation | undefined,
): { readonly id: string; readonly begun: readonly Exchange[] } | undefined {
  const begun = (conversation?.messages ?? [])
    .filter(({ direction, value, wild }) => direction === 'sent' && isOpening(value) && wild !== true)
    .flatMap(({ exchange }) => exchange ?? [])
    .slice(0, 2);
  const id = begun[0]?.response?.headers['mcp-session-id'];
  return id !== undefined && headers['mcp-session-id'] === id ? { id, begun } : undefined;
}

function curl({ request }: Exchange, session?: string): string {
  const { method, url, headers, body } = request;
  const shown = Object.entries(headers).map(([name, value]) => {
    if (session !== undefined && value === session) return `-H ${shellWithVariable(`${name}: `, 'session')}`;
    if (isSecret(name, request)) return `-H ${shellWithVariable(`${name}: `, name.toUpperCase())}`;
    return `-H ${quote(`${name}: ${visible(value)}`)}`;
  });
  const word = body === undefined ? undefined : wordOf(body);
  const isPiped = body !== undefined && word === undefined;
  const data = isPiped ? ['--data-binary @-'] : word === undefined ? [] : [`--data-raw ${quote(word)}`];
  const line = ['curl -isN', ...(method === 'POST' ? [] : [`-X ${quote(method)}`]), ...shown, ...data, quote(withoutSecrets(url))].join(
    ' ',
  );
  if (!isPiped) return line;
  const steps = bytewise(body);
  return `${steps.length === 1 ? steps.join('') : `(${steps.join('; ')})`} | ${line}`;
}
