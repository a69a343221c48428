// What `--attach` names: a process, or an inspector on this machine. Everything else is refused before anything is sent.
import { get } from 'node:http';
import { isLoopback } from '../../../../text/loopback.ts';

export type Target =
  | { readonly kind: 'pid'; readonly pid: number }
  | { readonly kind: 'inspector'; readonly host: string; readonly path?: string };

const answerMs = 3_000;
const maxBytes = 1024 * 1024;

/** Throws in words. */
export function targetOf(text: string): Target {
  const pid = /^pid:(\d{1,10})$/.exec(text)?.[1];
  if (pid !== undefined) return { kind: 'pid', pid: Number(pid) };
  if (/^pid:/.test(text)) throw new Error(`"${text}" names no process: pid:1234 does`);
  const url = urlOf(text);
  if (url === undefined) throw new Error(`"${text}" is nothing to attach to: pid:1234, 127.0.0.1:9229 and ws://127.0.0.1:9229/… are`);
  if (url.username !== '' || url.password !== '') throw new Error(`"${text}" has a name or a password in it: an inspector takes none`);
  if (!isLoopback(url.hostname)) {
    throw new Error(
      `${url.hostname} is not this machine: an inspector has no password, so only 127.0.0.1, [::1] and localhost are attached to`,
    );
  }
  if (url.port === '') throw new Error(`"${text}" has no port: 9229 is the usual one`);
  return { kind: 'inspector', host: url.host, ...(url.pathname !== '/' && { path: url.pathname }) };
}

function urlOf(text: string): URL | undefined {
  const whole = /^ws:\/\//i.test(text) ? text : /^[\w.-]+:\d+$|^\[[\da-f:.]+\]:\d+$/i.test(text) ? `ws://${text}` : undefined;
  try {
    // Ports that are a scheme's own are left out by URL; ws has 80.
    return whole === undefined ? undefined : new URL(whole);
  } catch {
    return undefined;
  }
}

/** Where the inspector at this host and port is spoken to, if it is Node's. */
export async function inspectorAt(host: string, path?: string): Promise<URL> {
  const version = (await json(host, '/json/version')) as { readonly Browser?: unknown };
  if (typeof version?.Browser !== 'string' || !version.Browser.startsWith('node.js/'))
    throw new Error(`What listens at ${host} is no inspector of Node`);
  // Only its path is taken: the rest is what the user said.
  if (path !== undefined) return new URL(`ws://${host}${path}`);
  const listed = await json(host, '/json/list');
  const found = Array.isArray(listed) ? listed.find((one: { type?: unknown }) => one?.type === 'node') : undefined;
  const id = (found as { readonly id?: unknown } | undefined)?.id;
  if (typeof id !== 'string' || !/^[\w-]{1,100}$/.test(id)) throw new Error(`The inspector at ${host} names no program`);
  return new URL(`ws://${host}/${id}`);
}

function json(host: string, path: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`The inspector at ${host} cannot be reached: ${why}`));
    const asked = get(`http://${host}${path}`, { timeout: answerMs, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (more: string) => {
        text += more;
        if (text.length > maxBytes) asked.destroy(new Error('it says more than an inspector would'));
      });
      response.once('end', () => {
        try {
          if (response.statusCode !== 200) throw new Error(`it answered ${response.statusCode}`);
          resolve(JSON.parse(text));
        } catch (error) {
          fail((error as Error).message);
        }
      });
    });
    asked.once('timeout', () => asked.destroy(new Error('it does not answer')));
    asked.on('error', (error) => fail(error.message));
  });
}
