// Where state and caches are, by the environment.
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { cacheFolder, homeFolders, runFolder, stateFolder } from '../../src/node/user-folders.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

it('XDG_STATE_HOME and XDG_CACHE_HOME are followed where they are absolute', () => {
  vi.stubEnv('XDG_STATE_HOME', '/var/state');
  vi.stubEnv('XDG_CACHE_HOME', 'relative');
  expect([stateFolder(), cacheFolder()]).toEqual(['/var/state/vivarium', join(homedir(), '.cache/vivarium')]);
  vi.stubEnv('XDG_STATE_HOME', '');
  expect([stateFolder(), stateFolder('/local')]).toEqual([join(homedir(), '.local/state/vivarium'), '/local/vivarium']);
});

it('sockets are where both sides look, whatever the environment of a server lacks', () => {
  vi.stubEnv('XDG_STATE_HOME', '/var/state');
  vi.stubEnv('XDG_RUNTIME_DIR', '/run/user/1');
  expect(runFolder()).toBe(join(homedir(), '.local/state/vivarium/run'));
});

it('the home is known by the environment and by the system', () => {
  const { homedir: own } = userInfo();
  vi.stubEnv('HOME', '/home/other');
  expect(homeFolders()).toEqual(['/home/other', own]);
  vi.stubEnv('HOME', '/');
  expect(homeFolders()).toEqual([own]);
});
