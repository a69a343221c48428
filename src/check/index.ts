// vivarium/check: judges any MCP server by the sentences of the specification.
export { catalogue, choose } from './catalogue/catalogue.ts';
export type { CheckOptions, Progress } from './model/options.ts';
export type { Outcome, Tally } from './model/outcome.ts';
export type { Level, Requirement, Strictness, Transport } from './model/requirement.ts';
export type { Verdict } from './model/verdict.ts';
export { prettyReport } from './report/pretty.ts';
export type { Report, RevisionReport } from './report/report.ts';
export { runCheck } from './servers/run.ts';
export type { CheckTarget } from './servers/target.ts';
