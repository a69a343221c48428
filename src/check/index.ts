// vivarium/check: judges any MCP server by the sentences of the specification.
export { catalogue, choose } from './catalogue.ts';
export type { CheckOptions, Progress } from './options.ts';
export type { Outcome, Tally } from './outcome.ts';
export { prettyReport } from './report/pretty.ts';
export type { Report, RevisionReport } from './report.ts';
export type { Level, Requirement, Strictness, Transport } from './requirement.ts';
export { runCheck } from './run.ts';
export type { Target } from './target.ts';
export type { Verdict } from './verdict.ts';
