// Judges what was recorded between a client and a server, each by the rules that ask for nothing.

import type { Revision } from '../../protocol/revision.ts';
import { endpointOf, origin, pathOf } from '../../text/recorded-path.ts';
import { choose } from '../catalogue/catalogue.ts';
import { openLedger } from '../model/ledger.ts';
import type { CheckOptions } from '../model/options.ts';
import { outcomesOf } from '../model/outcome.ts';
import { isObservable, type Party, type Transport } from '../model/requirement.ts';
import { isModern, revisions } from '../model/revision.ts';
import type { Rule, Seen } from '../model/rule.ts';
import { type Exchange, isForeignRefusal, Recorder } from '../model/trace.ts';
import { asRecord, at, isRecord, type Json } from '../model/value.ts';
import { createJudge, type Finding } from '../model/verdict.ts';
import { type Report, revisionReport } from '../report/report.ts';
import { clientRules } from '../rules/client/index.ts';
import { rules } from '../rules/server/index.ts';

/** One line of a recording, as `vivarium record` writes it. */
export interface RecordedEntry {
  /** Milliseconds since the beginning. */
  readonly t: number;
  readonly from: 'client' | 'server';
  /** A message, or a line that is none, as it stood on the wire. */
  readonly raw?: string;
  /** The same where it is no UTF-8, in base64. */
  readonly bytes?: string;
  /** A line the server wrote to stderr. */
  readonly stderr?: string;
  /** Over HTTP: which request and answer it belongs to, and their heads. */
  readonly exchange?: number;
  readonly head?: {
    readonly method?: string;
    readonly path?: string;
    readonly status?: number;
    readonly headers: Readonly<Record<string, string>>;
  };
  /** Over HTTP: how an event of a stream was called. */
  readonly event?: { readonly id?: string; readonly type?: string };
  /** This side said nothing more. */
  readonly end?: { readonly code?: number | null; readonly signal?: string | null };
}

export interface Recorded {
  readonly label: string;
  readonly transport: 'stdio' | 'http';
  readonly entries: readonly RecordedEntry[];
}

type Side = Exclude<Party, 'both'>;

/** One report for the server and one for the client, by passive rules only. */
export function judgeRecording(recorded: Recorded, options: CheckOptions = {}): readonly Report[] {
  const began = performance.now();
  const agreement = agreed(recorded.entries);
  return (['server', 'client'] as const).map((party) => {
    const { greeting } = agreement;
    const info = asRecord(
      party === 'server'
        ? (at(greeting, 'serverInfo') ?? at(greeting, '_meta', 'io.modelcontextprotocol/serverInfo'))
        : agreement.clientInfo,
    );
    const base: Omit<Report, 'offered' | 'runs' | 'durationMs'> = {
      tool: 'vivarium check',
      target: `${recorded.label} (the ${party})`,
      party,
      server: { name: String(info['name'] ?? ''), version: String(info['version'] ?? '') },
      refused: [],
    };
    const { revision } = agreement;
    const durationMs = (): number => Math.round(performance.now() - began);
    if (revision === undefined) {
      const problem = { kind: 'unreachable' as const, message: 'the recording has no handshake and no version', stderr: '' };
      return { ...base, offered: [], problem, runs: [], durationMs: durationMs() };
    }
    const { level = 'may', only, skip } = options;
    const chosen = choose({ revision, party, level, ...(only && { only }), ...(skip && { skip }) }).filter(
      (one) => one.judged === 'rule' && isObservable(one, party),
    );
    const entries = isModern(revision) ? recorded.entries : withoutProbes(recorded.entries);
    const seen = seenBy(party, { ...recorded, entries }, { ...agreement, revision });
    const findings: Finding[] = [];
    const own: readonly Rule[] = party === 'server' ? rules : clientRules;
    for (const rule of own) rule.apply(seen, createJudge(findings, recorded.label));
    const capabilities = party === 'server' ? asRecord(at(greeting, 'capabilities')) : agreement.declared;
    const { transport } = seen.conversation;
    const outcomes = outcomesOf(chosen, findings, { party, revision, transport, capabilities, exercised: false }).map((one) =>
      one.verdict === 'not-verified' ? { ...one, message: 'it did not happen in the recording' } : one,
    );
    const run = revisionReport({ revision, transport, requests: seen.ledger.received.length, durationMs: durationMs() }, outcomes);
    return { ...base, offered: [revision], runs: [run], durationMs: durationMs() };
  });
}

interface Agreement {
  readonly revision: Revision | undefined;
  readonly greeting: Json;
  readonly declared: Json;
  readonly clientInfo: Json;
}

const prefix = 'io.modelcontextprotocol/';

/** What both said of themselves, wherever it stands. */
function agreed(entries: readonly RecordedEntry[]): Agreement {
  const values = entries.flatMap(({ from, raw }) => (raw === undefined ? [] : [{ from, value: parsed(raw) }]));
  const initialize = values.find(({ from, value }) => from === 'client' && at(value, 'method') === 'initialize')?.value;
  const greeting = values.find(({ from, value }) => from === 'server' && isRecord(at(value, 'result', 'capabilities')))?.value;
  const meta = values
    .map(({ value }) => asRecord(at(value, 'params', '_meta')))
    .find((one) => one[`${prefix}protocolVersion`] !== undefined);
  const said = at(greeting, 'result', 'protocolVersion') ?? meta?.[`${prefix}protocolVersion`];
  return {
    revision: revisions.find((one) => one === said),
    greeting: asRecord(at(greeting, 'result')),
    declared: asRecord(at(initialize, 'params', 'capabilities') ?? meta?.[`${prefix}clientCapabilities`]),
    clientInfo: asRecord(at(initialize, 'params', 'clientInfo') ?? meta?.[`${prefix}clientInfo`]),
  };
}

/** Without what a client asked in the manner of 2026-07-28 before it knew better, and what it was told: neither belongs to the revision agreed on. */
function withoutProbes(entries: readonly RecordedEntry[]): readonly RecordedEntry[] {
  const [asked, exchanges] = [new Set<unknown>(), new Set<number>()];
  const isProbe = (value: unknown): boolean =>
    at(value, 'method') === 'server/discover' || at(value, 'params', '_meta', `${prefix}protocolVersion`) !== undefined;
  const strays = new Set<RecordedEntry>();
  for (const entry of entries) {
    const value = entry.raw === undefined ? undefined : parsed(entry.raw);
    const id = at(value, 'id');
    if (entry.from === 'client' && isProbe(value)) {
      if (id !== undefined) asked.add(id);
      if (entry.exchange !== undefined) exchanges.add(entry.exchange);
      strays.add(entry);
    } else if (entry.from === 'server' && at(value, 'method') === undefined && asked.delete(id)) strays.add(entry);
  }
  return entries.filter((entry) => !strays.has(entry) && !exchanges.has(entry.exchange ?? -1));
}

/** The conversation as the one who is not judged saw it. */
function seenBy(
  party: Side,
  { label, transport: carried, entries }: Recorded,
  { revision, greeting, declared }: Agreement & { revision: Revision },
): Seen {
  const isOld = carried === 'http' && entries.some(({ event }) => event?.type === 'endpoint');
  const transport: Transport = isOld ? 'sse' : carried;
  const recorder = new Recorder(label, transport, revision);
  const exchanges = new Map<number, Exchange>();
  const endpoints = endpointsOf(entries);
  for (const { t, from, raw, bytes, stderr, exchange: number, head, event, end } of entries) {
    const exchange = number === undefined ? undefined : exchanges.get(number);
    if (head !== undefined && number !== undefined && from === 'client') {
      const url = `${origin}${head.path ?? '/'}`;
      const request = { method: head.method ?? 'GET', url, headers: head.headers, body: undefined };
      const made: Exchange = { number, at: t, request, wild: false, ...(party === 'client' && { inbound: true as const }) };
      exchanges.set(number, made);
      if (made.request.method !== 'POST' || endpoints.has(pathOf(head.path))) recorder.exchanges.push(made);
    } else if (head !== undefined && exchange !== undefined) {
      exchange.response = { at: t, status: head.status ?? 0, headers: head.headers, body: Buffer.alloc(0), events: [] };
    }
    if (stderr !== undefined) recorder.hearStderr(Buffer.from(`${stderr}\n`));
    if (event !== undefined) exchange?.response?.events.push({ at: t, event: event.type, id: event.id, retry: undefined, data: raw });
    const carriesMessage = (raw !== undefined || bytes !== undefined) && event?.type !== 'endpoint' && !(event !== undefined && raw === '');
    const text = bytes === undefined ? Buffer.from(raw ?? '') : Buffer.from(bytes, 'base64');
    const isAside = from === 'server' && event === undefined && isNote(exchange, text, isOld);
    if (carriesMessage && !isAside && isOfProtocol(exchange, endpoints)) {
      const form = event === undefined ? 'body' : 'event';
      recorder.message(from === party ? 'received' : 'sent', text, { at: t, ...(exchange !== undefined && { exchange, form }) });
    }
    if (end === undefined) continue;
    if (exchange?.response !== undefined && from === 'server') exchange.response.endedAt = t;
    if (number === undefined) recorder.happenings.push({ at: t, what: from === 'client' ? 'end-of-input' : 'exit', detail: '' });
  }
  const said = {
    capabilities: asRecord(greeting['capabilities']),
    info: asRecord(greeting['serverInfo']),
    instructions: greeting['instructions'],
    revision,
    supported: undefined,
    result: greeting,
  };
  return { conversation: recorder, ledger: openLedger(recorder), greeting: said, declared };
}

/** The body of an answer that is none: in HTTP+SSE answers come as events, and a page may say why something is refused. */
function isNote(exchange: Exchange | undefined, body: Buffer, isOld: boolean): boolean {
  const { response } = exchange ?? {};
  return exchange !== undefined && (isOld || (response !== undefined && isForeignRefusal(response, body)));
}

/** Where messages were posted: where HTTP+SSE says, or wherever one was. Forms and registrations for a token pass the same door. */
function endpointsOf(entries: readonly RecordedEntry[]): ReadonlySet<string> {
  const told = entries.filter(({ event, raw }) => event?.type === 'endpoint' && raw !== undefined);
  if (told.length > 0) return new Set(told.map(({ raw = '' }) => endpointOf(raw).pathname));
  const heads = new Map(
    entries.flatMap(({ from, exchange, head }) => (from === 'client' && head !== undefined ? [[exchange, head] as const] : [])),
  );
  const posted = entries.filter(
    ({ from, exchange, raw }) => from === 'client' && exchange !== undefined && raw !== undefined && isMessage(parsed(raw)),
  );
  return new Set(posted.map(({ exchange }) => pathOf(heads.get(exchange)?.path)));
}

function isMessage(value: unknown): boolean {
  return Array.isArray(value) ? value.some(isMessage) : at(value, 'jsonrpc') !== undefined;
}

/** Neither are pages of other kinds, such as metadata. */
function isOfProtocol(exchange: Exchange | undefined, endpoints: ReadonlySet<string>): boolean {
  if (exchange === undefined) return true;
  const { method, url } = exchange.request;
  if (method === 'POST') return endpoints.has(pathOf(url.slice(origin.length)));
  return exchange.response?.headers['content-type']?.startsWith('text/event-stream') === true;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
