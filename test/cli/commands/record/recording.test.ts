import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Recorder } from '../../../../src/cli/commands/record/recording.ts';
import { main } from '../../started.ts';
import { vivarium } from '../../vivarium.ts';

let folder: string;
const echo = [process.execPath, '-e', 'process.stdin.pipe(process.stdout)'];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vivarium-recording-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const record = (args: readonly string[], input: string) => vivarium(['record', ...args, '--', ...echo], { cwd: folder, input });

describe('the file of a recording', () => {
  it.skipIf(!existsSync('/dev/full'))('that cannot be written is a failure, though everything passes', async () => {
    const { code, stdout, stderr } = await record(['-o', '/dev/full'], 'hello\n');
    expect([code, stdout]).toEqual([2, 'hello\n']);
    expect(stderr).toContain('vivarium: /dev/full could not be written, so the recording is incomplete: ENOSPC');
    expect(stderr).not.toContain('Recorded');
  });

  it('is whole, though a connection ends after it', async () => {
    const file = join(folder, 'late.jsonl');
    const recorder = new Recorder(file, { target: 'a server', transport: 'http' });
    recorder.add('server', { raw: 'before' });
    const closed = recorder.close();
    recorder.add('server', { end: {} });
    await closed;
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(2);
  });

  it('that is there already is kept, and the recording is beside it', async () => {
    await record(['-o', 's.jsonl'], 'first\n');
    const { code, stderr } = await record(['-o', 's.jsonl'], 'second\n');
    expect([code, stderr]).toEqual([0, 'Recorded in s-2.jsonl, for s.jsonl was there already\n']);
    expect(readFileSync(join(folder, 's.jsonl'), 'utf8')).toContain('"raw":"first"');
    expect(readFileSync(join(folder, 's-2.jsonl'), 'utf8')).toContain('"raw":"second"');
  });

  it('is replaced where that is asked for, or where it is empty', async () => {
    writeFileSync(join(folder, 'empty.jsonl'), '');
    expect((await record(['-o', 'empty.jsonl'], 'first\n')).stderr).toBe('Recorded in empty.jsonl\n');
    expect((await record(['-o', 'empty.jsonl', '--overwrite'], 'second\n')).stderr).toBe('Recorded in empty.jsonl\n');
    const text = readFileSync(join(folder, 'empty.jsonl'), 'utf8');
    expect([text.includes('first'), text.includes('second')]).toEqual([false, true]);
  });

  it.skipIf(!existsSync('/dev/stdout'))('may be an open stream, of which no other is made beside it and nothing is lost', async () => {
    const log = join(folder, 'log.txt');
    writeFileSync(log, 'kept\n', { mode: 0o644 });
    for (const stream of ['/dev/stdout', '/dev/fd/1']) {
      const out = openSync(log, 'a');
      const child = spawn(process.execPath, [main, 'record', '-o', stream, '--', process.execPath, '-e', ''], {
        cwd: folder,
        stdio: ['ignore', out, 'pipe'],
      });
      closeSync(out);
      let said = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      const [code] = await once(child, 'close');
      expect([code, said]).toEqual([0, `Recorded in ${stream}\n`]);
      expect(existsSync(`${stream}-2`)).toBe(false);
    }
    const lines = readFileSync(log, 'utf8').split('\n');
    expect([lines[0], lines.filter((line) => line.startsWith('{"recording":1')).length]).toEqual(['kept', 2]);
    expect(statSync(log).mode & 0o777).toBe(0o644);
  });
});
