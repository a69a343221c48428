// The PATH that a client starts its servers with.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { delimiter, isAbsolute } from 'node:path';
import type { ClientRow } from '../../../install/client.ts';

const longestMs = 10_000;
const bare: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: '/usr/bin:/bin:/usr/sbin:/sbin',
  linux: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
};
let loginShell: string | undefined;

/** What can be known without asking the login shell, which would run the user's profile. */
export function likelyPathOf({ starts }: ClientRow): string {
  const own = process.env['PATH'] ?? '';
  const few = bare[process.platform] ?? own;
  return starts === 'terminal' ? own : starts === 'desktop' ? few : `${own}${delimiter}${few}`;
}

export function pathOf({ starts }: ClientRow): string {
  const own = process.env['PATH'] ?? '';
  if (starts === 'terminal' || process.platform === 'win32') return own;
  if (starts === 'desktop') return bare[process.platform] ?? own;
  loginShell ??= shellPath() ?? own;
  return loginShell;
}

/** As editors do that are started from the desktop: they ask the user's login shell. It may print anything before. */
function shellPath(): string | undefined {
  const shell = process.env['SHELL'];
  if (shell === undefined || !isAbsolute(shell)) return undefined;
  const mark = randomUUID();
  const { HOME, USER, LOGNAME, LANG, TERM } = process.env;
  const { stdout } = spawnSync(shell, ['-l', '-c', `printf '%s%s%s' ${mark} "$PATH" ${mark}`], {
    encoding: 'utf8',
    timeout: longestMs,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { HOME, USER, LOGNAME, LANG, TERM, SHELL: shell, PATH: bare[process.platform] },
  });
  return stdout?.split(mark)[1];
}
