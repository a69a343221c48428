import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { describeEvidence } from '../../src/check/evidence.ts';
import { reproduction } from '../../src/check/reproduce.ts';
import { type Exchange, Recorder } from '../../src/check/trace.ts';
import type { Finding } from '../../src/check/verdict.ts';

const finding = (evidence: Finding['evidence']): Finding => ({ id: 'ping/empty', kind: 'broken', message: '', evidence });

function posted(headers: Record<string, string>, secrets: readonly string[] = []): Exchange {
  const request = { method: 'POST', url: 'http://127.0.0.1:1/mcp', headers, body: Buffer.from('{"jsonrpc":"2.0"}'), secrets };
  return { number: 1, at: 0, wild: false, request };
}

describe('a line that shows a failure again', () => {
  it('has the headers that a user gave by name only, where a shell puts them in', () => {
    const exchange = posted({ authorization: 'Bearer abc', 'x-my-key': 'top secret', accept: 'application/json' }, ['x-my-key']);
    const target = { kind: 'url', url: 'http://127.0.0.1:1/mcp' } as const;
    const line = reproduction(finding([exchange]), target, '2025-11-25') ?? '';
    expect(line).not.toMatch(/abc|top secret/);
    expect(JSON.stringify(describeEvidence(exchange))).not.toMatch(/abc|top secret/);
    const echo = line.replace(/^curl/, 'printf "%s\\n"');
    const env = { ...process.env, AUTHORIZATION: 'Bearer mine', X_MY_KEY: 'my own' };
    const words = execFileSync('sh', ['-c', echo], { env }).toString().split('\n');
    expect(words).toEqual(expect.arrayContaining(['authorization: Bearer mine', 'x-my-key: my own', 'accept: application/json']));
  });

  it('starts the program in its folder, with the variables it was given', () => {
    const env = { SECRET: 'abc' };
    const target = { kind: 'command', command: 'sh', args: ['-c', 'cat >/dev/null; pwd; echo "$SECRET"'], env, cwd: '/usr' } as const;
    const line = reproduction(finding([]), target, '2026-07-28') ?? '';
    expect(line).not.toContain('abc');
    const said = execFileSync('sh', ['-c', line.replace('sleep 1', ':')], { env: { ...process.env, SECRET: 'mine' } }).toString();
    expect(said).toBe('/usr\nmine\n');
  });

  it('holds the same JSON without a character that a terminal obeys', () => {
    const name = 'a\u009b31m\u202eb\u{e0001}';
    const sent = new Recorder('main', 'stdio', '2026-07-28').message('sent', Buffer.from(JSON.stringify({ name })));
    const line = reproduction(finding(sent), { kind: 'command', command: 'cat', args: [] }, '2026-07-28') ?? '';
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(JSON.parse(execFileSync('sh', ['-c', line.replace('sleep 1', ':')]).toString())).toEqual({ name });
  });
});
