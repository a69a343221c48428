import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { watchFor } from '../../src/install/watch-for.ts';

const folder = mkdtempSync(join(tmpdir(), 'vivarium-watch-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const [draft, target] = ['draft', 'target'].map((name) => join(folder, name)) as [string, string];

beforeEach(() => {
  writeFileSync(target, 'old');
  writeFileSync(draft, 'new');
});

// Elsewhere the system does not keep the order of events.
describe.runIf(process.platform === 'linux')('a rename of ours', () => {
  const renamed = async (between: () => void, after: () => void = () => undefined): Promise<boolean> => {
    const watch = watchFor(folder, 'draft', 'target');
    between();
    renameSync(draft, target);
    after();
    const touched = await watch.wasTouched();
    watch.close();
    return touched;
  };

  it('is told of a program that wrote the file in place before it', async () => {
    expect(await renamed(() => writeFileSync(target, 'theirs'))).toBe(true);
  });

  it('is told of a program that replaced the file before it', async () => {
    const other = join(folder, 'other');
    writeFileSync(other, 'theirs');
    expect(await renamed(() => renameSync(other, target))).toBe(true);
  });

  it('is not blamed for what is written behind it, nor for other files', async () => {
    const inBetween = (): void => writeFileSync(join(folder, 'elsewhere'), 'x');
    expect(await renamed(inBetween, () => writeFileSync(target, 'theirs'))).toBe(false);
  });
});
