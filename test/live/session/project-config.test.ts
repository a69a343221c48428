import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openLab } from '../fixture.ts';

function project(config: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'live-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'app.ts'), 'export const answer: number = 42;\n');
  writeFileSync(join(folder, 'other.js'), 'export const other = 7;\n');
  writeFileSync(join(folder, 'vivarium.config.json'), config);
  return folder;
}

it('vivarium.config.json has the program in every image, also after a reset', async () => {
  await using lab = await openLab({ cwd: project('{ "live": { "load": ["app.ts"] } }') });
  expect(await lab.value('app.answer')).toBe('42');
  await lab.call('sessions', { action: 'reset' });
  expect(await lab.value('app.answer')).toBe('42');
});

it('What was asked for by name stands in place of it', async () => {
  await using lab = await openLab({ cwd: project('{ "live": { "load": ["app.ts"] } }'), load: ['other.js'] });
  expect(await lab.value("[other.other, typeof app].join(' ')")).toBe("'7 undefined'");
});

it.each([
  ['{', 'is no JSON'],
  ['{ "live": { "load": "app.ts" } }', 'no list of files'],
  [
    '{ "live": { "laod": ["app.ts"] } }',
    'vivarium.config.json has "live.laod", which nobody knows: there is only "live.load"; write { "live": { "load"',
  ],
  ['{ "Live": { "load": ["app.ts"] } }', 'has "Live", which nobody knows: there is only "live"'],
  ['[]', 'is no object'],
  ['{ "live": ["app.ts"] }', 'has a "live" that is no object'],
  ['{ "live": { "load": ["../up.ts"] } }', 'which is not in the project'],
  ['{ "live": { "load": ["/etc/passwd"] } }', 'which is not in the project'],
])('%s is refused with the reason', async (config, said) => {
  await using lab = await openLab({ cwd: project(config) });
  expect((await lab.evaluate('1')).text).toContain(said);
});
