import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { vivarium } from '../../vivarium.ts';

it('replays messages that are nested 100,000 deep, with the ids of now', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vivarium-replay-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const call = (id: number, value: string): string =>
    `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"x","arguments":{"a":${value}}}}`;
  const answer = (id: number): string => `{"jsonrpc":"2.0","id":${id},"result":${deep}}`;
  const lines = [
    { recording: 1, target: 'x', transport: 'stdio', began: '' },
    { t: 1, from: 'client', raw: call(1, deep) },
    { t: 2, from: 'server', raw: answer(1) },
  ];
  writeFileSync(join(folder, 'deep.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const input = `${call(7, deep)}\n${call(8, `[${deep}]`)}\n`;
  const { code, stdout, stderr } = await vivarium(['replay', 'deep.jsonl'], { cwd: folder, input });
  const [first, second = ''] = stdout.trimEnd().split('\n');
  expect(code).toBe(0);
  expect(first === answer(7)).toBe(true);
  expect(JSON.parse(second)).toMatchObject({ id: 8, error: { message: expect.stringContaining('Not in the recording: tools/call') } });
  expect(stderr).toContain('Not in the recording');
});
