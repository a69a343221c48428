// Made-up files: added to, removed from, and undone, each with the journal.
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { applyPlan, type Change, planChange, planUndo } from '../../../src/install/change.ts';
import type { ClientRow } from '../../../src/install/client.ts';
import { clientById } from '../../../src/install/clients.ts';
import { addServer, readServers } from '../../../src/install/edit/edit.ts';
import { Refusal } from '../../../src/install/edit/refusal.ts';
import { Journal } from '../../../src/install/journal.ts';
import { type WrittenFile, writtenFile } from '../written-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'vivarium-made-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const journal = new Journal(join(folder, 'journal'));
const file = join(folder, 'settings');
const entry = { command: 'npx', args: ['-y', 'x'], env: { A: 'é "b"' } };
const terms = { batch: 'b', settleMs: 0 };
const runs = 150;

function changeOf({ place }: WrittenFile, wanted: object | undefined): Change {
  const client = { ...(clientById('cursor') as ClientRow), ...place };
  return { client, scope: 'user', file, name: 'new', entry: wanted };
}

/** Whether it was written; only two forms that are written in one line may be refused, and none damaged. */
async function added(made: WrittenFile): Promise<boolean> {
  writeFileSync(file, made.text);
  try {
    await applyPlan(await planChange(changeOf(made, entry), journal), journal, terms);
    return true;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    expect(readFileSync(file, 'utf8')).toBe(made.text);
    expect(['shape', 'unproven']).toContain(error.reason);
    return false;
  }
}

async function hold(property: (made: WrittenFile) => Promise<void>): Promise<void> {
  let [all, refused] = [0, 0];
  const once = async (made: WrittenFile): Promise<void> => {
    rmSync(join(folder, 'journal'), { recursive: true, force: true });
    all++;
    if (await added(made)) await property(made);
    else refused++;
  };
  await fc.assert(fc.asyncProperty(writtenFile, once), { seed: 20_261_118, numRuns: runs });
  expect(refused / all, 'the share of files that are refused').toBeLessThan(0.02);
}

describe('a made-up file', () => {
  it('is the same, byte for byte, after a server was added and removed', async () => {
    await hold(async (made) => {
      expect(readFileSync(file, 'utf8')).not.toBe(made.text);
      await applyPlan(await planChange(changeOf(made, undefined), journal), journal, terms);
      expect(readFileSync(file, 'utf8')).toBe(made.text);
    });
  });

  it('is not touched when the same server is added once more', async () => {
    await hold(async (made) => {
      const once = readFileSync(file, 'utf8');
      expect((await planChange(changeOf(made, entry), journal)).after).toBe(once);
    });
  });

  it('keeps what another program has changed since, when the change is undone', async () => {
    await hold(async (made) => {
      const theirs = { command: 'theirs' };
      const now = await addServer(readFileSync(file, 'utf8'), made.place, 'theirs', theirs);
      writeFileSync(file, now);
      const record = journal.records().at(-1);
      await applyPlan(await planUndo(record!, changeOf(made, entry).client, journal), journal, terms);
      const kept = await readServers(readFileSync(file, 'utf8'), made.place);
      expect(kept.get('theirs')).toEqual(theirs);
      expect(kept.has('new')).toBe(false);
      for (const [name, one] of await readServers(made.text, made.place)) expect(kept.get(name)).toEqual(one);
    });
  });

  it('keeps a remark that somebody wrote meanwhile, and is otherwise the same, when the change is undone', async () => {
    await hold(async (made) => {
      const remark = made.place.format === 'jsonc' ? '\n// mine' : '\n# mine';
      // Behind the end of a YAML document there is nothing but its end.
      writeFileSync(file, readFileSync(file, 'utf8') + remark);
      const record = journal.records().at(-1);
      await applyPlan(await planUndo(record!, changeOf(made, entry).client, journal), journal, terms);
      expect(readFileSync(file, 'utf8')).toBe(made.text + remark);
    });
  });
});

describe('a file', () => {
  it.skipIf(process.platform === 'win32')('keeps its mode', async () => {
    writeFileSync(file, '{}');
    chmodSync(file, 0o640);
    const made: WrittenFile = { text: '{}', place: { format: 'json', path: ['mcpServers'] } };
    await applyPlan(await planChange(changeOf(made, entry), journal), journal, terms);
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });
});
