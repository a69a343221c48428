// Runs cases against a server, one after the other, and compares what comes back with what was expected.

import { same } from '../advice/schema-change.ts';
import type { CheckOptions } from '../model/options.ts';
import type { CallTerms, Surface, ToolCall } from '../model/surface.ts';
import { asList, asRecord, brief } from '../model/value.ts';
import type { Answer, Peer } from '../servers/peer/peer.ts';
import { callable } from '../servers/surface.ts';
import { callTool } from '../servers/tool-call.ts';
import type { Case, ExpectedOutcome } from './case.ts';
import { differenceBetween, type Snapshot, snapshotOf } from './snapshot.ts';

export interface CaseResult {
  readonly case: Case;
  /** `not-run`: its tool is not there, or may not be called. */
  readonly verdict: 'passed' | 'failed' | 'not-run';
  /** Why, unless it passed. */
  readonly message: string;
  /** What came back, where snapshots are taken; `unsteady` where a second call gave something else. */
  readonly taken?: Snapshot | 'unsteady';
}

export interface RunTerms extends CallTerms, Pick<CheckOptions, 'onProgress' | 'signal'> {
  /** Take snapshots instead of comparing with them. */
  readonly takesSnapshots?: boolean;
}

/** A tool that does not say that it only reads is called only with the user's leave. Ends early when the server is gone. */
export async function runCases(peer: Peer, surface: Surface, cases: readonly Case[], terms: RunTerms): Promise<readonly CaseResult[]> {
  const allowed = new Map(callable(surface, terms).map((call) => [call.name, call.tool]));
  const listed = new Set(surface.tools.map(({ name }) => name));
  const results: CaseResult[] = [];
  for (const [index, one] of cases.entries()) {
    terms.onProgress?.({ revision: peer.revision, step: one.tool, done: index, of: cases.length });
    const tool = allowed.get(one.tool);
    if (terms.signal?.aborted === true) results.push({ case: one, verdict: 'not-run', message: 'the run was interrupted' });
    else if (peer.gone !== undefined) results.push({ case: one, verdict: 'failed', message: `the server is gone: ${peer.gone}` });
    else if (tool === undefined) results.push({ case: one, verdict: 'not-run', message: refusal(one, listed) });
    else results.push(await runCase(peer, one, { name: one.tool, arguments: one.arguments, tool }, terms));
  }
  return results;
}

function refusal({ tool }: Case, listed: ReadonlySet<unknown>): string {
  return listed.has(tool) ? `${tool} does not say that it only reads; --allow-side-effects calls it` : `there is no tool ${tool}`;
}

async function runCase(peer: Peer, one: Case, call: ToolCall, { takesSnapshots = false }: RunTerms): Promise<CaseResult> {
  const answer = await callTool(peer, call);
  const taken = snapshotOf(answer);
  const message = problemOf(one, answer) ?? (takesSnapshots ? undefined : snapshotProblem(one, taken));
  if (message !== undefined) return { case: one, verdict: 'failed', message };
  const passed: CaseResult = { case: one, verdict: 'passed', message: '' };
  if (!takesSnapshots || taken === undefined || one.expect.snapshot === false) return passed;
  // What holds a time or a number of its own would fail at every run.
  const again = snapshotOf(await callTool(peer, call));
  return { ...passed, taken: differenceBetween(taken, again) === undefined ? taken : 'unsteady' };
}

function snapshotProblem({ expect: { snapshot } }: Case, now: Snapshot | undefined): string | undefined {
  if (snapshot === undefined || snapshot === false) return undefined;
  const difference = differenceBetween(snapshot, now);
  return difference === undefined ? undefined : `is not its snapshot, ${difference}`;
}

function problemOf({ expect }: Case, { result, error, message, silence }: Answer): string | undefined {
  if (message === undefined)
    return silence?.reason === 'timeout' ? `${silence.message}; --timeout waits longer` : (silence?.message ?? 'no answer');
  const got = result === undefined ? 'error' : result['isError'] === true ? 'failure' : 'success';
  if (!allowed[expect.outcome].includes(got)) return `expected ${expect.outcome}, got ${got}: ${brief(result ?? error)}`;
  if (expect.contains !== undefined && !textOf(result).includes(expect.contains))
    return `the text does not contain ${brief(expect.contains)}`;
  if (expect.text !== undefined && textOf(result) !== expect.text) return `expected ${brief(expect.text)}, got ${brief(textOf(result))}`;
  if (expect.code !== undefined && error?.code !== expect.code) return `expected the error ${expect.code}, got ${brief(error?.code)}`;
  if ('structured' in expect && !same(expect.structured, result?.['structuredContent'])) {
    return `expected ${brief(expect.structured)}, got ${brief(result?.['structuredContent'])}`;
  }
  return undefined;
}

const allowed: Readonly<Record<ExpectedOutcome, readonly string[]>> = {
  accepted: ['success', 'failure'],
  ok: ['success'],
  refused: ['error', 'failure'],
  answered: ['success', 'failure', 'error'],
};

function textOf(result: unknown): string {
  return asList(asRecord(result)['content'])
    .map((block) => asRecord(block)['text'])
    .filter((text) => typeof text === 'string')
    .join('\n');
}
