// A server that answers nothing without a token: judged by how it asks for one, and by nothing that it never said.
import { expect, it } from 'vitest';
import { type Outcome, type Report, runCheck } from 'vivarium/check';
import type { Revision } from 'vivarium/protocol';
import { Server } from 'vivarium/server';
import { type Around, httpTarget } from '../../http-target.ts';

/** As the official SDKs and most gateways refuse: a body of OAuth's, not of JSON-RPC's. */
const refuse: Around = ({ path, headers }) => {
  const metadata = `http://${headers.get('host')}/.well-known/oauth-protected-resource`;
  if (path.startsWith('/.well-known/oauth-protected-resource'))
    return Response.json({ resource: `http://${headers.get('host')}/mcp`, authorization_servers: ['https://as.example'] });
  if (path.startsWith('/.well-known')) return new Response(null, { status: 404 });
  const body = { error: 'invalid_token', error_description: 'No authorization provided' };
  const challenge = `Bearer error="invalid_token", resource_metadata="${metadata}"`;
  return Response.json(body, { status: 401, headers: { 'www-authenticate': challenge } });
};

async function judged(around: Around, revision?: Revision): Promise<Report> {
  const { target, close } = await httpTarget(() => new Server({ name: 'closed', version: '1.0.0' }), { around });
  const report = await runCheck(target, { timeout: 2_000, ...(revision !== undefined && { revision }) });
  await close();
  return report;
}

const ids = ({ runs }: Report, ...verdicts: Outcome['verdict'][]): string[] =>
  runs.flatMap(({ outcomes }) => outcomes.filter(({ verdict }) => verdicts.includes(verdict)).map(({ id }) => id));

it('does not take the body of a 401 for a message of JSON-RPC', async () => {
  const report = await judged(refuse);
  expect(report.problem?.kind).toBe('unauthorized');
  expect(ids(report, 'failed')).toEqual([]);
  expect(ids(report, 'passed')).toContain('authorization/resource-metadata/served');
});

it('does not judge 2026-07-28, or what one revision alone asks for, where nobody said which is spoken', async () => {
  const report = await judged(refuse);
  expect(report.runs.map(({ revision }) => revision)).toEqual(['2025-11-25']);
  expect(ids(report, 'warned')).toEqual([]);
  // 2025-06-18 knows no scopes in a challenge.
  expect(report.runs[0]?.outcomes.find(({ id }) => id === 'authorization/scope/challenge')?.verdict).toBe('not-verified');
});

it('judges the revision that it is told to', async () => {
  const report = await judged(refuse, '2026-07-28');
  expect(report.runs.map(({ revision }) => revision)).toEqual(['2026-07-28']);
  expect(ids(report, 'warned')).toEqual(['authorization/scope/challenge']);
});

it('holds against it what every revision demands', async () => {
  const report = await judged((arrival, next) => {
    if (!arrival.path.startsWith('/.well-known')) return refuse(arrival, next);
    return Response.json({ resource: `http://${arrival.headers.get('host')}/mcp` });
  });
  expect(ids(report, 'failed')).toEqual(['authorization/resource-metadata/servers']);
});

it('takes the body of an HTTP error for a message where that says so itself', async () => {
  const report = await judged((arrival, next) => {
    if (arrival.path !== '/mcp') return refuse(arrival, next);
    return Response.json({ jsonrpc: '2.0', id: null, error: 'no token' }, { status: 401, headers: { 'www-authenticate': 'Bearer' } });
  });
  expect(ids(report, 'failed')).toContain('errors/shape');
});
