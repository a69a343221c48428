// What a server does with the bytes of stdin, from the first to the last.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Child, onEachNode, request } from './child.ts';

const porch = fileURLToPath(new URL('../fixtures/porch.mjs', import.meta.url));
const ids = (lines: readonly string[]) => lines.map((line) => JSON.parse(line).id);

onEachNode((node) => {
  describe('the end of stdin', () => {
    it('ends a server that was asked nothing, with code 0 and without a word', async () => {
      const child = new Child('stdio.mjs', { node });
      expect(await child.end()).toMatchObject({ code: 0, signal: null });
      expect(child.lines).toEqual([]);
      expect(child.stderr).toBe('');
    });

    it('comes after the answers to everything that was read', async () => {
      const child = new Child('stdio.mjs', { node });
      const lines = Array.from({ length: 500 }, (_, id) => request(id, 'tools/call', { name: 'echo', arguments: { text: `${id}` } }));
      void child.write(`${lines.join('\n')}\n`);
      expect(await child.end()).toMatchObject({ code: 0 });
      expect(ids(child.lines)).toEqual(lines.map((_, id) => id));
    });

    it('leaves a running tool the time to answer', async () => {
      const child = new Child('porch.mjs', { node });
      const id = child.start('tools/call', { name: 'late/end' });
      await child.complained('late is running');
      expect(await child.end()).toMatchObject({ code: 0 });
      expect((await child.answer(id)).result.content).toEqual([{ type: 'text', text: 'late' }]);
    });

    it('lets a large answer out whole', async () => {
      const child = new Child('porch.mjs', { node });
      const id = child.start('tools/call', { name: 'late/large' });
      await child.complained('late is running');
      expect(await child.end()).toMatchObject({ code: 0 });
      expect((await child.answer(id)).result.content[0].text).toHaveLength(4 * 1024 * 1024);
    });

    it('lets a large answer out whole to a client that takes a second before it reads', async () => {
      const child = new Child('porch.mjs', { node, unread: true });
      const id = child.start('tools/call', { name: 'late/large' });
      await child.complained('late is running');
      child.process.stdin.end();
      setTimeout(() => child.read(), 1_000);
      expect((await child.answer(id)).result.content[0].text).toHaveLength(4 * 1024 * 1024);
      expect(await child.exit).toMatchObject({ code: 0 });
    });

    it('aborts a call that is still running when the time is over', async () => {
      const child = new Child('porch.mjs', { node, settings: { shutdownMs: 50 } });
      child.start('tools/call', { name: 'hold' });
      await child.call('pid');
      expect(await child.end()).toMatchObject({ code: 0 });
      expect(child.stderr).toContain('aborted: ERR_CLOSED');
      expect(child.lines).toHaveLength(1);
    });

    it('in the middle of a message costs that message only, without a stack trace', async () => {
      const child = new Child('porch.mjs', { node });
      const late = child.start('tools/call', { name: 'late/end' });
      await child.complained('late is running');
      const whole = child.start('server/discover');
      void child.write('{"jsonrpc":"2.0","id":99,"method":"pi');
      expect(await child.end()).toMatchObject({ code: 0 });
      expect(ids(child.lines).sort()).toEqual([late, whole]);
      expect(child.stderr).toBe('late is running\nclosed\n');
    });

    it('in the middle of a character costs that message only', async () => {
      const child = new Child('stdio.mjs', { node });
      const message = Buffer.from(request(1, 'tools/call', { name: 'echo', arguments: { text: '🦎' } }));
      await child.write(message.subarray(0, message.indexOf('🦎') + 2));
      expect(await child.end()).toMatchObject({ code: 0 });
      expect(child.lines).toEqual([]);
      expect(child.stderr).toBe('');
    });

    it('stands for the newline of a last message without one', async () => {
      const child = new Child('stdio.mjs', { node });
      void child.write(request(7, 'tools/call', { name: 'echo', arguments: { text: 'last words' } }));
      expect(await child.end()).toMatchObject({ code: 0 });
      expect(ids(child.lines)).toEqual([7]);
      expect((await child.answer(7)).result.content[0].text).toBe('last words');
    });
  });

  it('reads a message that comes one byte at a time', async () => {
    const child = new Child('stdio.mjs', { node });
    const text = 'a lizard 🦎, a snake 🐍, ünïcödé and \u2028';
    const message = Buffer.from(`${request(1, 'tools/call', { name: 'echo', arguments: { text } })}\n`);
    for (const byte of message) {
      await child.write(Uint8Array.of(byte));
      // The pace of the case: without it the pipe would put the bytes together again.
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect((await child.answer(1)).result.content[0].text).toBe(text);
    expect(await child.end()).toMatchObject({ code: 0 });
  });

  it('serves from a file to a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'vivarium-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [input, output] = [join(folder, 'in'), join(folder, 'out')];
    writeFileSync(input, [1, 2, 3].map((id) => `${request(id, 'tools/call', { name: 'pid' })}\n`).join(''));
    const run = spawnSync('sh', ['-c', '"$0" "$1" < "$2" > "$3"', node, porch, input, output], { encoding: 'utf8', timeout: 60_000 });
    expect(run).toMatchObject({ status: 0, stderr: 'closed\n' });
    expect(ids(readFileSync(output, 'utf8').trim().split('\n'))).toEqual([1, 2, 3]);
  });

  it('serves between the pipes of a shell', () => {
    const lines = Array.from({ length: 2_000 }, (_, id) => request(id, 'server/discover'));
    const run = spawnSync('sh', ['-c', 'cat | "$0" "$1" | cat', node, porch], {
      encoding: 'utf8',
      timeout: 60_000,
      input: lines.join('\n'),
    });
    expect(run).toMatchObject({ status: 0, stderr: 'closed\n' });
    expect(ids(run.stdout.trim().split('\n'))).toEqual(lines.map((_, id) => id));
  });

  it('ends at once where there is no stdin', () => {
    expect(spawnSync(node, [porch], { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8', timeout: 60_000 })).toMatchObject({
      status: 0,
      stdout: '',
      stderr: 'closed\n',
    });
  });

  describe('close() by the program', () => {
    it('ends the serving, not the process, and gives the streams back', async () => {
      const child = new Child('porch.mjs', { node });
      expect(await child.call('close')).toBe('closing');
      await child.printed('from a child');
      void child.write('hello\n');
      expect(await child.exit).toMatchObject({ code: 7 });
      await child.silent;
      expect(child.lines.slice(1)).toEqual(['from console.log', 'from fs.writeSync', 'from writeSync', 'from a child', 'read hello']);
      expect(child.stderr).toBe('closed\n');
    });

    it('gives the signals back', async () => {
      const child = new Child('porch.mjs', { node });
      await child.call('close');
      await child.printed('from a child');
      child.process.kill('SIGTERM');
      expect(await child.exit).toMatchObject({ code: null, signal: 'SIGTERM' });
    });

    it('runs the shutdown hook and answers what was read', async () => {
      const child = new Child('porch.mjs', { node, settings: { hook: 'waits' } });
      await child.write(`${request(1, 'tools/call', { name: 'close' })}\n${request(2, 'server/discover')}\n`);
      await child.printed('from a child');
      expect(ids(child.lines.slice(0, 2))).toEqual([1, 2]);
      expect(child.stderr).toBe('hook ran\nclosed\n');
      void child.write('done\n');
      await child.exit;
    });
  });
});
