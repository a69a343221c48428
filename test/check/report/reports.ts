// Reports of every sort, for the tests of their forms: broken, sound, changed, out of reach, behind a token, and with a past.
import { type Report, runCheck } from 'vivarium/check';
import { Server } from 'vivarium/server';
import { judgeRecording } from '../../../src/check/recording/judge-recording.ts';
import { historyRecord, trendsOf } from '../../../src/check/report/history.ts';
import { pipeTarget } from '../pipe-target.ts';

/** Markup, controls, half a character: whatever a stranger may call his things. */
const noise = '<script>alert("x")</script> & | `a` [b](c) ]]> \u001b[2J \u009b2J \ud800 \u202e';

const loud = pipeTarget(
  () => {
    const server = new Server({ name: 'loud', version: '1.0.0' });
    server.tool('delete_file', { description: `Deletes ${noise}` }, () => 'done');
    return server;
  },
  () => ({ greeting: `${noise}\n` }),
);

const calm = (): Server => {
  const server = new Server({ name: 'calm', version: '2.0.0' });
  server.tool('look', { description: 'Looks', annotations: { readOnlyHint: true } }, () => 'seen');
  return server;
};

export async function reportsOfEverySort(): Promise<readonly Report[]> {
  const broken = await runCheck(loud, { revision: '2025-11-25' });
  const lock = { version: 1, surface: { tools: [{ name: `${noise} gone` }], resources: [], templates: [], prompts: [] } } as const;
  const changed = await runCheck({ ...pipeTarget(calm), label: `calm ${noise}` }, { revision: 'all', lock });
  const gone = await runCheck({ kind: 'command', command: process.execPath, args: ['-e', `console.error(${JSON.stringify(noise)})`] });
  const before = historyRecord(broken, '2026-01-02T03:04:05.000Z');
  const mended = { ...before, runs: before.runs.map((run) => ({ ...run, score: 50, failed: ['ping/empty'], open: [] })) };
  const now = historyRecord(broken, '2026-01-03T03:04:05.000Z');
  const unauthorized: Report = { ...gone, problem: { kind: 'unauthorized', message: 'the server asks for authorization', stderr: '' } };
  return [{ ...broken, trends: trendsOf([mended], now) }, changed, gone, unauthorized];
}

/** Of both sides of a recording: there is no run of a probe behind them. */
export function reportsOfRecording(): readonly Report[] {
  const client = (message: object) => ({ t: 1, from: 'client' as const, raw: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: noise, version: '1' } };
  const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: noise, version: '1' } };
  const answer = { t: 2, from: 'server' as const, raw: JSON.stringify({ jsonrpc: '2.0', id: 1, result }) };
  const entries = [client({ id: 1, method: 'initialize', params }), answer, { t: 3, from: 'server' as const, raw: noise }];
  return judgeRecording({ label: 's.jsonl', transport: 'stdio', entries });
}
