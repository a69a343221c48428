// Opens a page in the browser of whoever sits here. The address comes from outside: no shell gets to see it.
import { spawn } from 'node:child_process';

const openers: Readonly<Record<string, readonly [command: string, ...before: string[]]>> = {
  darwin: ['open'],
  // `start` would be a word of the shell.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** False when there is none. */
export async function openBrowser(url: URL): Promise<boolean> {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return false;
  const [command, ...before] = openers[process.platform] ?? ['xdg-open'];
  // As the parser writes it: it begins with the scheme, so it is never taken for an option, and holds no blanks or quotes.
  const child = spawn(command, [...before, url.href], { stdio: 'ignore', detached: true, shell: false, windowsHide: true });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
