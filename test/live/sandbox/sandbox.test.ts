// Images behind bubblewrap: what they can and cannot reach.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLive } from 'vivarium/live';
import { notRun } from '../../../scripts/prepare.mjs';
import { sandboxProblem } from '../../../src/live/sandbox/sandbox.ts';
import { eventually, type Lab, openLab } from '../fixture.ts';

const read = (file: string): string => `require('node:fs').readFileSync(${JSON.stringify(file)}, 'utf8')`;

async function project(sandbox: true | { readonly write: true }): Promise<Lab> {
  const lab = await openLab({ sandbox });
  mkdirSync(join(lab.folder, 'src'));
  writeFileSync(join(lab.folder, 'src/own.mjs'), 'export const own = 42;\n');
  return lab;
}

describe.skipIf(notRun('bubblewrap'))('an image in a sandbox', () => {
  it.each(['/', '/tmp'])('is refused at the start, not at the first evaluation, where the project would be %s', (cwd) => {
    expect(() => createLive({ cwd, sandbox: true })).toThrow(
      expect.objectContaining({ code: 'ERR_CONFIG', message: expect.stringContaining('cannot be shown in a sandbox') }),
    );
  });

  it('runs the project, is interrupted, and keeps its state', async () => {
    await using lab = await project(true);
    expect(await lab.value("import { own } from './src/own.mjs'; own")).toBe('42');
    expect((await lab.evaluate('for (;;);', { timeout_ms: 300 })).head).toContain('[INTERRUPTED]');
    expect(await lab.value('own')).toBe('42');
  });

  it('sees no accounts, no other processes and no network', async () => {
    await using lab = await project(true);
    expect((await lab.evaluate(read('/etc/passwd'))).head).toContain('ENOENT');
    expect(await lab.value("Object.keys(require('node:os').networkInterfaces()).join()")).toBe("'lo'");
    expect((await lab.evaluate(`process.kill(${process.pid}, 0)`)).head).toContain('ESRCH');
    expect((await lab.evaluate('process.kill(process.ppid, 9); 1')).isError).toBe(false);
    process.kill(process.pid, 0);
  });

  it('E28 cannot read the environment of the host', async () => {
    await using lab = await project(true);
    const found = await lab.value(
      "require('node:fs').readdirSync('/proc').filter((n) => /^\\d+$/.test(n)).map((n) => { try { return require('node:fs').readFileSync('/proc/' + n + '/environ', 'utf8') } catch { return '' } }).join('').includes('VITEST')",
    );
    expect(found).toBe('false');
  });

  it('may write to the project only where that was asked for', async () => {
    await using closed = await project(true);
    expect((await closed.evaluate("require('node:fs').writeFileSync('made.txt', '')")).head).toContain('EROFS');
    expect(existsSync(join(closed.folder, 'made.txt'))).toBe(false);
    await using open = await project({ write: true });
    await open.evaluate("require('node:fs').writeFileSync('made.txt', '')");
    expect(existsSync(join(open.folder, 'made.txt'))).toBe(true);
  });

  it('E17 takes processes that detached themselves along when it is closed', async () => {
    await using lab = await project({ write: true });
    const code =
      "require('node:child_process').spawn('sh', ['-c', 'while :; do date > beat; sleep 0.05; done'], { detached: true, stdio: 'ignore' }).unref()";
    await lab.evaluate(code);
    await eventually(() => existsSync(join(lab.folder, 'beat'))).toBe(true);
    const { structured } = await lab.evaluate('1');
    await lab.call('sessions', { action: 'close', session: structured.session });
    const { statSync } = await import('node:fs');
    const last = statSync(join(lab.folder, 'beat')).mtimeMs;
    // Six beats later there would be another one.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(statSync(join(lab.folder, 'beat')).mtimeMs).toBe(last);
  });
});

describe('Without bubblewrap', () => {
  it('a sandbox is refused, not left out', () => {
    vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin');
    onTestFinished(() => void vi.restoreAllMocks());
    expect(() => createLive({ sandbox: true })).toThrow(
      expect.objectContaining({ code: 'ERR_CONFIG', message: expect.stringContaining('bubblewrap') }),
    );
  });

  it('it says how to install it, and where it was looked for', () => {
    expect(sandboxProblem(['/nowhere', '/else'])).toMatch(/apt-get install bubblewrap.*\/nowhere, \/else/);
  });
});
