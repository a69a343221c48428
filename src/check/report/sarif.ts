// SARIF 2.1.0, for code scanning: one result for each requirement that was seen broken.
import { createHash } from 'node:crypto';
import type { Outcome } from '../outcome.ts';
import type { Report } from '../report.ts';

export function sarifReport(reports: readonly Report[]): string {
  const broken = reports.flatMap(({ target, runs }) =>
    runs.flatMap(({ revision, outcomes }) =>
      outcomes.filter(({ verdict }) => verdict === 'failed' || verdict === 'warned').map((outcome) => ({ target, revision, outcome })),
    ),
  );
  const rules = new Map(broken.map(({ outcome }) => [outcome.id, outcome]));
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
              helpUri: url,
              properties: { level },
            })),
          },
        },
        results: broken.map(({ target, revision, outcome }) => ({
          ruleId: outcome.id,
          ruleIndex: ids.indexOf(outcome.id),
          level: outcome.verdict === 'failed' ? 'error' : 'warning',
          message: { text: `${revision}: ${outcome.text} ${outcome.message}`.trim() },
          locations: [{ logicalLocations: [{ fullyQualifiedName: target, kind: 'module' }] }],
          partialFingerprints: { 'requirement/v1': fingerprint(target, revision, outcome) },
          properties: { revision, level: outcome.level, evidence: outcome.evidence.map(({ direction, text }) => ({ direction, text })) },
        })),
        // What was not verified is no result, and still no pass.
        properties: {
          runs: reports.flatMap(({ target, runs }) => runs.map(({ revision, tally, score }) => ({ target, revision, ...tally, score }))),
        },
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function fingerprint(target: string, revision: string, { id }: Outcome): string {
  return createHash('sha256').update([target, revision, id].join('\n')).digest('hex').slice(0, 32);
}
