// SARIF 2.1.0, for code scanning: one result for each requirement that was seen broken, each change of the surface, each piece of advice.
import { createHash } from 'node:crypto';
import { jsonText } from './json-text.ts';
import type { Report } from './report.ts';

interface Found {
  readonly target: string;
  readonly rule: { readonly id: string; readonly text: string; readonly url?: string; readonly level?: string };
  readonly severity: 'error' | 'warning' | 'note';
  readonly message: string;
  /** What else tells it from its like. */
  readonly mark: readonly string[];
  readonly properties: Readonly<Record<string, unknown>>;
  readonly expected?: true | undefined;
}

export function sarifReport(reports: readonly Report[]): string {
  const found = reports.flatMap((report) => [...brokenIn(report), ...changesIn(report), ...adviceIn(report)]);
  const rules = new Map(found.map(({ rule }) => [rule.id, rule]));
  const ids = [...rules.keys()];
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'vivarium check',
            informationUri: 'https://modelcontextprotocol.io/specification',
            rules: [...rules.values()].map(({ id, text, url, level }) => ({
              id,
              shortDescription: { text },
              ...(url !== undefined && { helpUri: url }),
              ...(level !== undefined && { properties: { level } }),
            })),
          },
        },
        invocations: reports.map(({ target, problem }) => ({
          executionSuccessful: problem === undefined,
          ...(problem !== undefined && {
            toolExecutionNotifications: [{ level: 'error', message: { text: text(`${target}: ${problem.message}`) } }],
          }),
        })),
        results: found.map((one) => ({
          ruleId: one.rule.id,
          ruleIndex: ids.indexOf(one.rule.id),
          level: one.severity,
          message: { text: text(one.message) },
          locations: [locationOf(one.target)],
          partialFingerprints: { 'requirement/v1': fingerprint([one.target, ...one.mark, one.rule.id]) },
          properties: one.properties,
          ...(one.expected === true && { suppressions: [{ kind: 'external', justification: 'It is in the list of expected failures.' }] }),
        })),
        // What was not verified is no result, and still no pass.
        properties: {
          runs: reports.flatMap(({ target, runs }) => runs.map(({ revision, tally, score }) => ({ target, revision, ...tally, score }))),
        },
      },
    ],
  };
  return jsonText(log);
}

function brokenIn({ target, runs }: Report): Found[] {
  return runs.flatMap(({ revision, outcomes }) =>
    outcomes
      .filter(({ verdict }) => verdict === 'failed' || verdict === 'warned')
      .map(({ id, text: says, url, level, verdict, message, evidence, reproduce, expected }) => ({
        target,
        rule: { id, text: says, url, level },
        severity: verdict === 'failed' ? 'error' : 'warning',
        message: `${revision}: ${says} ${message}`.trim(),
        mark: [revision],
        expected,
        properties: {
          revision,
          level,
          evidence: evidence.map(({ direction, text: line }) => ({ direction, text: line })),
          ...(reproduce !== undefined && { reproduce }),
        },
      })),
  );
}

function changesIn({ target, quality }: Report): Found[] {
  return (quality?.changes ?? []).map(({ kind, about, path, message, breaking }) => ({
    target,
    rule: { id: `surface/${kind}`, text: `What the server offers is ${kind} since it was locked.` },
    severity: breaking ? 'error' : 'note',
    message: `${about} ${path} ${message}`.replace(/ +/g, ' '),
    mark: [about, path],
    properties: { about, path, breaking },
  }));
}

function adviceIn({ target, quality }: Report): Found[] {
  return (quality?.advice ?? []).map(({ id, about, path = '', message, vendors = [] }) => ({
    target,
    rule: { id, text: 'Advice on what a server offers, no part of any verdict.' },
    severity: 'note',
    message: `${about} ${message}${vendors.length === 0 ? '' : ` (${vendors.join(', ')})`}`,
    mark: [about, path],
    properties: { about, path, vendors },
  }));
}

/** There is no line of a file to point at, and code scanning wants one: the target stands for the file. */
function locationOf(target: string): object {
  const uri = encodeURI(wellFormed(target)).replaceAll('[', '%5B').replaceAll(']', '%5D');
  return {
    physicalLocation: { artifactLocation: { uri }, region: { startLine: 1 } },
    logicalLocations: [{ fullyQualifiedName: target, kind: 'module' }],
  };
}

/** A result without words is none. */
function text(words: string): string {
  return words === '' ? '–' : words;
}

function wellFormed(given: string): string {
  return given.replace(/\p{Cs}/gu, '\ufffd');
}

function fingerprint(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32);
}
