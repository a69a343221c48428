import { expect, it } from 'vitest';
import { brokenIn, judge, ours, v1, v2 } from '../official.ts';

/** Each red line of a client, and why it is no false alarm. */
const reasons = {
  'http/session/new-on-404': 'It goes on sending the session id that got 404; the specification wants a new initialize without one.',
  'authorization/pkce/verified':
    'It asks for authorization though the metadata have no code_challenge_methods_supported; it must refuse to proceed.',
  'sampling/tools/undeclared-refused':
    'It hands a request with tools to its handler without having declared sampling.tools; an error is wanted.',
  'tasks/augment/ignored':
    'It answers a request with a task with an error; without tasks it must carry the request out as if nothing were said of them.',
  'tasks/tool/required': 'It calls a tool whose taskSupport is required, and not as a task; it must call it as one or not at all.',
  'stdio/shutdown/wait':
    'SHOULD. The process that it starts to ask for the revision, and no longer needs, gets SIGTERM in the same moment as the end of its input.',
  'stdio/restart': 'SHOULD. A server that exited unexpectedly is not started again; the connection is closed.',
  'jsonrpc/batch/received': 'It drops what comes in a batch; in 2025-03-26 a client need not send batches, but must read them.',
} as const;

const cases = [
  { name: 'our client over HTTP in 2026-07-28', client: ours, revision: '2026-07-28', transport: 'http', broken: [] },
  { name: 'our client on stdio in 2025-11-25', client: ours, revision: '2025-11-25', transport: 'stdio', broken: [] },
  { name: 'our client over HTTP+SSE', client: ours, revision: '2024-11-05', transport: 'sse', broken: [] },
  {
    name: 'the official client v1 over HTTP in 2025-11-25',
    client: v1,
    revision: '2025-11-25',
    transport: 'http',
    broken: ['authorization/pkce/verified', 'http/session/new-on-404', 'sampling/tools/undeclared-refused', 'tasks/augment/ignored'],
  },
  {
    name: 'the official client v1 on stdio in 2025-03-26',
    client: v1,
    revision: '2025-03-26',
    transport: 'stdio',
    broken: ['jsonrpc/batch/received'],
  },
  {
    name: 'the official client v2 on stdio in 2025-11-25',
    client: v2,
    revision: '2025-11-25',
    transport: 'stdio',
    broken: ['sampling/tools/undeclared-refused', 'tasks/tool/required'],
  },
  {
    name: 'the official client v2 on stdio in 2026-07-28',
    client: v2,
    revision: '2026-07-28',
    transport: 'stdio',
    level: 'should',
    broken: ['stdio/restart', 'stdio/shutdown/wait'],
  },
  { name: 'the official client v2 over HTTP+SSE', client: v2, revision: '2024-11-05', transport: 'sse', broken: [] },
  {
    name: 'the official client v2 over HTTP in 2026-07-28',
    client: v2,
    revision: '2026-07-28',
    transport: 'http',
    broken: ['authorization/pkce/verified'],
  },
] as const;

it.each(cases)(
  'breaks nothing but what is argued: $name',
  { timeout: 240_000 },
  async ({ client, revision, transport, broken, ...more }) => {
    const report = await judge(client, { revision, transports: [transport], level: 'level' in more ? more.level : 'must' });
    expect(report.problem).toBeUndefined();
    expect(brokenIn(report)).toEqual([...broken]);
    expect(broken.every((id) => reasons[id] !== undefined)).toBe(true);
    expect(report.runs[0]?.tally.passed).toBeGreaterThan(30);
  },
);
