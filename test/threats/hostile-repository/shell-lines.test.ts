// A configuration in a repository names variables, headers and programs: none of them is obeyed by the shell a line is pasted into.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { reproduction } from '../../../src/check/servers/reproduce.ts';
import { httpLines, stdioLines } from '../../../src/cli/commands/live/client-lines.ts';
import { isPlain } from '../../../src/text/printable.ts';

const attacks = [
  '$(touch seen)',
  '`touch seen`',
  'A; touch seen; B',
  'A=1 touch seen #',
  '"$(touch seen)"',
  "'; touch seen; '",
  '|touch\tseen|',
  '!touch',
];

function isObeyed(line: string): boolean {
  const cwd = mkdtempSync(join(tmpdir(), 'vivarium-paste-'));
  try {
    spawnSync('sh', ['-c', `${line} </dev/null`], { cwd, timeout: 60_000, env: { PATH: process.env['PATH'] ?? '' } });
    return existsSync(join(cwd, 'seen'));
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

const finding = (evidence: never[]): never => ({ id: 'stdio/exit-on-eof', verdict: 'failed', message: '', evidence }) as never;

it.each(attacks)(
  'A line of check that shows a failure again does not obey the name of a variable, a program or an argument: %j',
  (name) => {
    const target = { kind: 'command' as const, command: 'true', args: [name], env: { [name]: 'x' } };
    const lines = [target, { ...target, command: name }, { ...target, cwd: name }].map(
      (one) => reproduction(finding([]), one, '2026-07-28') ?? '',
    );
    expect(lines.map((line) => [line.length > 0, isObeyed(line)])).toEqual([
      [true, false],
      [true, false],
      [true, false],
    ]);
  },
);

it.each(['x`touch seen`', 'x-$(touch seen)', "x'|touch seen|'", 'x!touch', '"; touch seen; "'])(
  'Nor the name of a header, secret or not: %j',
  (name) => {
    const headers = { [name]: 'value', [`${name}-token`]: 'secret', 'mcp-session-id': 's' };
    const exchange = {
      number: 1,
      at: 0,
      wild: false,
      request: { method: name, url: 'http://127.0.0.1:9/mcp', headers, body: Buffer.from('{}'), secrets: [name] },
    };
    const line = reproduction(finding([exchange as never]), { kind: 'url', url: 'http://127.0.0.1:9/mcp' }, '2025-11-25') ?? '';
    expect([line.includes('curl'), line.includes('secret'), isObeyed(line.replaceAll('curl -isN', 'true'))]).toEqual([true, false, false]);
  },
);

it('Nor does a terminal obey what such a line holds', () => {
  const sequence = '\u001b]0;owned\u0007\u202e';
  const target = { kind: 'command' as const, command: sequence, args: [sequence], env: { [sequence]: '' } };
  expect(isPlain(reproduction(finding([]), target, '2026-07-28') ?? '\u001b')).toBe(true);
});

it.each(attacks)('The lines that add a server to a client do not obey its name: %j', (name) => {
  for (const line of [...stdioLines(name, ['true', name]), ...httpLines({ name, url: `http://127.0.0.1:9/${name}`, variable: name })]) {
    const pasted = /^ {2}(?:Claude Code|VS Code) +(.*)$/.exec(line)?.[1];
    if (pasted !== undefined) expect([pasted, isObeyed(pasted.replace(/^(?:claude|code)/, 'true'))]).toEqual([pasted, false]);
  }
  const table = stdioLines(name, ['true']).find((line) => line.includes('mcp_servers')) ?? '';
  expect(table.trim()).toBe(`[mcp_servers.${JSON.stringify(name)}]`);
});
