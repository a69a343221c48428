import { describe, expect, it, vi } from 'vitest';
import { commandPipe } from '../../../src/check/wire/pipe.ts';
import { isAlive } from '../../serve/child.ts';

/** As a package runner does: the server is its child, has its standard streams, and hears of no signal. */
const runner = `
  const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
  console.log(child.pid);
  setInterval(() => {}, 1000);
`;

describe('a server behind a package runner', () => {
  it('does not outlive the runner that SIGTERM ended', async () => {
    let said = '';
    const pipe = commandPipe({ command: process.execPath, args: ['-e', runner] })({
      stdout: (bytes) => {
        said += bytes.toString();
      },
      stderr: () => undefined,
    });
    const pid = await vi.waitFor(
      () => {
        expect(said).toMatch(/^\d+\n$/);
        return Number(said);
      },
      { timeout: 60_000 },
    );
    expect(isAlive(pid)).toBe(true);
    pipe.kill('SIGTERM');
    expect(await pipe.ended).toEqual({ how: 'ended by SIGTERM', signal: 'SIGTERM' });
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 60_000 });
  });
});
