// Another program that rewrites the same file all the time: nothing is torn, and whatever is lost is noticed.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { applyPlan, type Change, planChange } from '../../../src/install/change.ts';
import type { ClientRow } from '../../../src/install/client.ts';
import { clientById } from '../../../src/install/clients.ts';
import { readServers } from '../../../src/install/edit/edit.ts';
import { Refusal } from '../../../src/install/edit/refusal.ts';
import { Journal } from '../../../src/install/journal.ts';

const folder = mkdtempSync(join(tmpdir(), 'vivarium-races-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const racer = fileURLToPath(new URL('../../fixtures/config-racer.mjs', import.meta.url));
const client = clientById('cursor') as ClientRow;
const settleMs = 15;
/** In each of two manners. */
const races = 500;

interface Raced {
  readonly writes: number;
  readonly lost: number;
  readonly unreadable: number;
}

describe('1,000 races with a program that rewrites the file', () => {
  it.each(['renaming', 'in-place'])('%s: nothing is torn, and every loss is noticed', { timeout: 1_800_000 }, async (manner) => {
    const file = join(folder, `${manner}.json`);
    const journal = new Journal(join(folder, `journal-${manner}`));
    writeFileSync(file, '{\n  "count": 0\n}\n');
    const child = fork(racer, [file, manner, '40'], { stdio: 'inherit' });
    onTestFinished(() => void child.kill('SIGKILL'));
    const tally = { written: 0, refused: 0, retried: 0, overwrote: 0 };
    const reports: number[] = [];
    for (let race = 0; race < races; race++) {
      const present = (await readServers(await whole(file), client)).has('new');
      const change: Change = {
        client,
        scope: 'user',
        file,
        name: 'new',
        entry: present ? undefined : { command: `c${race}` },
        replace: true,
      };
      try {
        const { retried, overwrote } = await applyPlan(await planChange(change, journal), journal, { batch: 'b', settleMs });
        tally.written++;
        if (retried) tally.retried++;
        if (overwrote) tally.overwrote++;
        reports.push(Number(retried) + Number(overwrote));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        // It says so, which is all that can be done.
        expect(['changed', 'conflict', 'missing', 'damaged']).toContain(error.reason);
        tally.refused++;
        reports.push(2);
      }
    }
    child.send('stop');
    const ended = once(child, 'exit');
    const told = (await Promise.race([once(child, 'message').then(([one]) => one), ended])) as Raced;
    await ended;
    expect(told.writes).toBeGreaterThan(races / 2);
    expect(tally.written).toBeGreaterThan(0);
    // A file that is being written in place is half there for whoever looks; one that is renamed never is.
    if (manner === 'renaming') expect(told.unreadable).toBe(0);
    expect(told.lost, JSON.stringify({ ...tally, ...told })).toBeLessThanOrEqual(reports.reduce((all, one) => all + one, 0));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ count: expect.any(Number) });
    expect(readdirSync(folder).filter((name) => name.endsWith('.vivarium'))).toEqual([]);
  });
});

/** As a patient reader would get it. */
async function whole(file: string): Promise<string> {
  for (;;) {
    const text = readFileSync(file, 'utf8');
    try {
      JSON.parse(text);
      return text;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
}
