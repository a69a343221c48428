// A program of the user's own, started with --import vivarium/here, worked in while it runs.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { eventually, type Lab, onEachNode, openLab } from '../../fixture.ts';

const here = fileURLToPath(new URL('../../../../dist/live/languages/javascript/here.js', import.meta.url));
const program = `
import http from 'node:http';
globalThis.shop = { visits: 0 };
const server = http.createServer((_, response) => response.end(String(++shop.visits))).listen(0, '127.0.0.1', () => console.log('up'));
process.on('SIGTERM', () => process.exit(0));
`;

async function begin(lab: Lab, node: string): Promise<{ readonly child: ChildProcess; readonly session: string; readonly socket: string }> {
  writeFileSync(join(lab.folder, 'app.mjs'), program);
  const child = spawn(node, ['--import', here, 'app.mjs'], { cwd: lab.folder, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const socket = join(lab.folder, '.vivarium', `here-${child.pid}.sock`);
  // On a busy machine a program needs long to start; one that has ended never will.
  await expect.poll(() => existsSync(socket) || child.exitCode !== null).toBe(true);
  await once(child.stdout, 'data');
  expect(child.exitCode).toBe(null);
  return { child, session: `here-${child.pid}`, socket };
}

onEachNode((node) => {
  it('A program with vivarium/here is found, and its own state is looked at and changed', async () => {
    await using lab = await openLab({ attach: true });
    const { child, session } = await begin(lab, node);
    expect((await lab.call('sessions', { action: 'list' })).text).toContain(session);
    expect(await lab.value('process.pid', { session })).toBe(String(child.pid));
    await lab.evaluate('shop.visits = 41', { session });
    expect((await lab.call('inspect', { target: 'shop', session })).text).toContain('visits: 41');
  });

  it('A program with vivarium/here is left running whatever is stopped in it, and when the session is closed', async () => {
    await using lab = await openLab({ attach: true });
    const { child, session } = await begin(lab, node);
    expect((await lab.evaluate('for (;;);', { session, timeout_ms: 300 })).head).toContain('[INTERRUPTED]');
    await lab.call('sessions', { action: 'close', session });
    expect(await lab.value('typeof shop', { session })).toBe("'object'");
    expect(child.exitCode).toBe(null);
  });

  it('A program with vivarium/here opens its socket for its own user only, and takes it away at its end', async () => {
    await using lab = await openLab({ attach: true });
    const { child, socket } = await begin(lab, node);
    expect(statSync(join(lab.folder, '.vivarium')).mode & 0o777).toBe(0o700);
    await eventually(() => statSync(socket).mode & 0o777).toBe(0o600);
    child.kill('SIGTERM');
    await eventually(() => existsSync(socket)).toBe(false);
  });

  it('A program with vivarium/here is said to be gone when it has ended', async () => {
    await using lab = await openLab({ attach: true });
    const { child, session, socket } = await begin(lab, node);
    await lab.evaluate('1', { session });
    child.kill('SIGKILL');
    await eventually(async () => (await lab.evaluate('1', { session })).head).toContain('[STATE LOST]');
    await lab.call('sessions', { action: 'close', session });
    expect(existsSync(socket)).toBe(true);
    // Its parent hears of its end a moment later than its sockets do.
    await eventually(async () => (await lab.call('sessions', { action: 'list' })).text).not.toContain(session);
  });
});

it('A program is not attached to unless the user said so', async () => {
  await using lab = await openLab();
  const { session } = await begin(lab, process.execPath);
  const { isError, text } = await lab.evaluate('1', { session });
  expect([isError, text]).toEqual([true, expect.stringContaining('There is no session')]);
});
