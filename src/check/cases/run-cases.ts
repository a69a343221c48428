// Runs cases against a server, one after the other, and compares what comes back with what was expected.
import type { Answer, Peer } from '../peer/peer.ts';
import { same } from '../quality/schema-change.ts';
import { type CallTerms, callable, type Surface } from '../surface.ts';
import { callTool } from '../tool-call.ts';
import { asList, asRecord, brief } from '../value.ts';
import type { Case, ExpectedOutcome } from './case.ts';

export interface CaseResult {
  readonly case: Case;
  /** `not-run`: its tool is not there, or may not be called. */
  readonly verdict: 'passed' | 'failed' | 'not-run';
  /** Why, unless it passed. */
  readonly message: string;
}

/** A tool that does not say that it only reads is called only with the user's leave. Ends early when the server is gone. */
export async function runCases(peer: Peer, surface: Surface, cases: readonly Case[], terms: CallTerms): Promise<readonly CaseResult[]> {
  const allowed = new Map(callable(surface, terms).map((call) => [call.name, call.tool]));
  const listed = new Set(surface.tools.map(({ name }) => name));
  const results: CaseResult[] = [];
  for (const one of cases) {
    const tool = allowed.get(one.tool);
    if (peer.gone !== undefined) results.push({ case: one, verdict: 'failed', message: `the server is gone: ${peer.gone}` });
    else if (tool === undefined) results.push({ case: one, verdict: 'not-run', message: refusal(one, listed) });
    else results.push(judge(one, await callTool(peer, { name: one.tool, arguments: one.arguments, tool })));
  }
  return results;
}

function refusal({ tool }: Case, listed: ReadonlySet<unknown>): string {
  return listed.has(tool) ? `${tool} does not say that it only reads; allow side effects` : `there is no tool ${tool}`;
}

function judge(one: Case, answer: Answer): CaseResult {
  const message = problemOf(one, answer);
  return { case: one, verdict: message === undefined ? 'passed' : 'failed', message: message ?? '' };
}

function problemOf({ expect }: Case, { result, error, message }: Answer): string | undefined {
  if (message === undefined) return 'no answer';
  const got = result === undefined ? 'error' : result['isError'] === true ? 'failure' : 'success';
  if (!allowed[expect.outcome].includes(got)) return `expected ${expect.outcome}, got ${got}: ${brief(result ?? error)}`;
  if (expect.contains !== undefined && !textOf(result).includes(expect.contains))
    return `the text does not contain ${brief(expect.contains)}`;
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
