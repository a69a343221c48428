// A new token in the place of the kept one: whole, for its owner only, and seen by those who watch.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type KeptToken, keptToken } from '../../../src/live/access/token.ts';
import { rotateToken, watchToken } from '../../../src/live/access/token-rotation.ts';
import { eventually } from '../fixture.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rotation-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function watched(kept: KeptToken): string[] {
  const told: string[] = [];
  onTestFinished(watchToken(kept, (token) => void told.push(token), 10));
  return told;
}

describe('a rotated token', () => {
  it('takes the place of the old one, for its owner only, and leaves nothing beside it', async () => {
    const before = await keptToken(folder);
    const after = await rotateToken(folder);
    expect(after.file).toBe(before.file);
    expect(after.token).not.toBe(before.token);
    expect(await keptToken(folder)).toEqual(after);
    expect(statSync(after.file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['token']);
  });

  it('is the first one where there was none', async () => {
    const { token } = await rotateToken(folder);
    expect((await keptToken(folder)).token).toBe(token);
  });

  it('takes the place of a link, and not of what the link leads to', async () => {
    const elsewhere = join(folder, 'elsewhere');
    writeFileSync(elsewhere, 'as it was');
    symlinkSync(elsewhere, join(folder, 'token'));
    await rotateToken(folder);
    expect(readFileSync(elsewhere, 'utf8')).toBe('as it was');
  });

  it('is always whole for those who read while many rotate', async () => {
    await keptToken(folder);
    const rotating = Promise.all(Array.from({ length: 20 }, () => rotateToken(folder)));
    let over = false;
    void rotating.finally(() => {
      over = true;
    });
    let read = 0;
    while (!over) {
      expect(readFileSync(join(folder, 'token'), 'utf8')).toMatch(/^[\w-]{43}\n$/);
      read++;
      await new Promise((resolve) => setImmediate(resolve));
    }
    await rotating;
    expect(read).toBeGreaterThan(0);
  });
});

describe('whoever watches the token', () => {
  it('is told of each new one, and not of the one it has', async () => {
    const told = watched(await keptToken(folder));
    const first = await rotateToken(folder);
    await eventually(() => told).toEqual([first.token]);
    const second = await rotateToken(folder);
    await eventually(() => told).toEqual([first.token, second.token]);
  });

  it('is told of the new one where the file was deleted', async () => {
    const kept = await keptToken(folder);
    const told = watched(kept);
    rmSync(kept.file);
    await eventually(() => told.length).toBe(1);
    expect(told[0]).toBe((await keptToken(folder)).token);
  });

  it('never takes a token from a file that others can read', async () => {
    const kept = await keptToken(folder);
    const told = watched(kept);
    chmodSync(kept.file, 0o644);
    writeFileSync(kept.file, `${'x'.repeat(43)}\n`);
    // It looks ten times meanwhile.
    for (let beat = 0; beat < 10; beat++) await new Promise((resolve) => setTimeout(resolve, 10));
    const { token } = await rotateToken(folder);
    await eventually(() => told).toEqual([token]);
  });
});
