// Memory after many sessions and many calls, each case in a process of its own (H38).
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';

const fixture = fileURLToPath(new URL('../../fixtures/http-leaks.mjs', import.meta.url));

// Machines differ, and so does what else they do.
vi.setConfig({ testTimeout: 180_000 });

async function figures(name: string, count: number): Promise<Record<string, number>> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', fixture, name, `${count}`]);
  return JSON.parse(stdout) as Record<string, number>;
}

it('10,000 abandoned handshakes leave nothing once they have expired (H38)', async () => {
  const { before, after, opened } = await figures('abandoned', 10_000);
  expect(opened).toBe(13_000);
  expect(after).toBeLessThan((before as number) * 1.1);
});

it('50,000 calls in one session keep the heap flat (H38)', async () => {
  const { before, after, running } = await figures('calls', 50_000);
  expect(running).toBe(0);
  expect(after).toBeLessThan((before as number) * 1.1);
});

it('5,000 calls that report progress keep the heap flat (H38)', async () => {
  const { before, after, events, streams } = await figures('progress', 5_000);
  expect([events, streams]).toEqual([14_000, 0]);
  expect(after).toBeLessThan((before as number) * 1.1);
});

it('4,000 streams of every kind whose reader hangs up leave nothing (H38)', async () => {
  const { before, after, streamsOpened } = await figures('gone', 1_000);
  expect(streamsOpened).toBe(7_200);
  expect(after).toBeLessThan((before as number) * 1.1);
});

it('a session that is open and not used takes at most 6 KB (H38)', async () => {
  const { open, each } = await figures('idle', 10_000);
  expect(open).toBe(11_000);
  expect(each).toBeLessThanOrEqual(6 * 1024);
});
