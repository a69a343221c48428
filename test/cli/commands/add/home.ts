// A home with nothing in it but what a test puts there.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Ended, vivarium } from '../../vivarium.ts';

export interface Home {
  readonly path: string;
  readonly project: string;
  /** Files by their paths from the home. */
  put(path: string, text: string): void;
  read(path: string): string;
  run(...args: readonly string[]): Promise<Ended>;
  runWith(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Ended>;
}

export function emptyHome(): Home {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'vivarium-home-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const project = join(path, 'project');
  mkdirSync(project);
  const own = {
    HOME: path,
    XDG_CONFIG_HOME: '',
    XDG_STATE_HOME: '',
    CODEX_HOME: join(path, '.codex'),
    PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
    SHELL: '/bin/sh',
  };
  const runWith: Home['runWith'] = (env, ...args) => vivarium(args, { cwd: project, env: { ...own, ...env } });
  return {
    path,
    project,
    put(name, text) {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), text);
    },
    read: (name) => readFileSync(join(path, name), 'utf8'),
    run: (...args) => runWith({}, ...args),
    runWith,
  };
}
