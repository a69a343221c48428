// A program that was edited and reloaded beside one that is freshly started from the same files.
import { mkdirSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Files, writeProject } from '../fixtures/live/projects.ts';
import { onEachNode, openLab } from './fixture.ts';

const require = createRequire(import.meta.url);

export interface Row {
  readonly edit: string;
  readonly files: Files;
  readonly load: string;
  readonly saved: Files | readonly Files[];
  readonly says: string | RegExp;
  readonly look: string;
  /** What it sees where that differs from a fresh start, which the answer says. */
  readonly sees?: string;
  /** What a fresh start sees, where state makes a difference. */
  readonly fresh?: string;
}

/** Each of them as a test. */
export function asFreshlyStarted(groups: readonly (readonly [string, readonly Row[]])[]): void {
  onEachNode((node) => {
    describe.each(groups.map((one) => [...one] as const))('%s', (_, rows) => {
      it.each(rows.map((row) => [row.edit, row] as const))('%s', async (_, { files, load, saved, says, look, sees, fresh }) => {
        await using lab = await openLab({ node });
        const settings = '{ "compilerOptions": { "experimentalDecorators": true } }';
        writeProject(lab.folder, { 'package.json': '{ "type": "module" }', 'tsconfig.json': settings, ...files });
        mkdirSync(join(lab.folder, 'node_modules'));
        symlinkSync(dirname(require.resolve('esbuild/package.json')), join(lab.folder, 'node_modules/esbuild'));
        await lab.value(load);
        let text = '';
        for (const edit of [saved].flat() as Files[]) {
          writeProject(lab.folder, edit);
          ({ text } = await lab.call('reload'));
        }
        if (typeof says === 'string') expect(text).toBe(says);
        else expect(text).toMatch(says);
        const seen = await lab.value(look);
        const session = await lab.open();
        await lab.evaluate(load, { session });
        expect(await lab.value(look, { session })).toBe(fresh ?? seen);
        expect(seen).toBe(sees ?? seen);
        expect((await lab.call('reload')).text).toBe('Nothing changed on disk.');
      });
    });
  });
}
