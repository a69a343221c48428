import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { stdio } from '../../src/connect/stdio.ts';
import { children, hear, play, start, throughShell, tree } from '../connect/stdio-fixture.ts';
import { isAlive } from '../serve/child.ts';

describe('closing', () => {
  it('a hundred times leaves no process and no listener', async () => {
    const before = { children: children(), listeners: process.listenerCount('exit') };
    for (let round = 0; round < 10; round++) {
      await Promise.all(
        Array.from({ length: 10 }, async () => {
          const channel = await stdio({ command: 'cat' }).open();
          channel.send({ round });
          await channel.close();
        }),
      );
    }
    expect({ children: children(), listeners: process.listenerCount('exit') }).toEqual(before);
  });

  it.each([
    ['directly', tree],
    ['through a shell', throughShell],
  ])('ends a child that ends with its stdin, and its own child, started %s', async (_, command) => {
    const { channel, count } = hear(await stdio(command(), { graceMs: 120_000 }).open());
    const [{ pids }] = await count(1);
    // Whoever waited for the grace would not be back in time for this test.
    await channel.close();
    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  it.each([
    ['directly', tree],
    ['through a shell', throughShell],
  ])('ends a child that ignores the end of stdin and SIGTERM, and its own child, started %s', async (_, command) => {
    const { channel, count } = hear(await stdio(command({ stubborn: true }), { graceMs: 200 }).open());
    const [{ pids }] = await count(1);
    await channel.close();
    expect(pids.map(isAlive)).toEqual([false, false]);
    expect(await channel.closed).toMatchObject({ wanted: true });
  });

  it('ends a child that reads nothing while much waits for it', async () => {
    const { channel, count } = await play([{ out: '{"ready":1}\n' }, { deaf: true }], { graceMs: 100 });
    await count(1);
    channel.send({ text: 'x'.repeat(10_000_000) });
    await channel.close();
    expect(await channel.closed).toMatchObject({ wanted: true, exitSignal: 'SIGTERM' });
  });

  it('ends a child that has only just been started', async () => {
    const { channel } = await start(['-e', 'setInterval(() => undefined, 1000)'], { graceMs: 50 });
    await channel.close();
    expect(await channel.closed).toMatchObject({ wanted: true });
  });

  it('collects what a child leaves behind that ended by itself', async () => {
    const before = children();
    const { channel, count } = hear(await stdio(tree({ stubborn: true, leaves: true }), { graceMs: 200 }).open());
    const [{ pids }] = await count(1);
    expect(await channel.closed).toMatchObject({ wanted: false, exitCode: 4 });
    await channel.close();
    expect(pids.map(isAlive)).toEqual([false, false]);
    expect(children()).toEqual(before);
  });

  it('never touches a process outside the group', async () => {
    const stranger = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] });
    const { channel, count } = hear(await stdio(tree({ stubborn: true }), { graceMs: 50 }).open());
    await count(1);
    await channel.close();
    expect(isAlive(stranger.pid as number)).toBe(true);
    stranger.stdin.end();
    await once(stranger, 'exit');
  });
});
