// Waits on this machine for a person to come back from the authorization server (RFC 8252, section 7.3).
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { VivariumError } from '../../jsonrpc/error.ts';
import type { Redirect } from '../client/authorization-code.ts';
import { mistake } from '../server/options.ts';
import { openBrowser } from './browser.ts';

export interface LoopbackOptions {
  /** The same each time, because it is registered with the authorization server. Default: 47823. */
  readonly port?: number;
  /** Default: `/callback`. */
  readonly path?: string;
  /** False: the address is printed for someone to open. A function opens it, and says whether it could. Default: the system's browser. */
  readonly openBrowser?: boolean | ((url: URL) => boolean | Promise<boolean>);
  /** Default: five minutes. */
  readonly timeoutMs?: number;
  /** Default: on stderr. */
  readonly print?: (line: string) => void;
}

const host = '127.0.0.1';

/** By port, until whoever waits there has ended. */
const turns = new Map<number, Promise<void>>();

export function loopbackRedirect(options: LoopbackOptions = {}): Redirect {
  const { port = 47_823, path = '/callback', timeoutMs = 300_000, print = (line) => console.error(line) } = options;
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw mistake('`port` must be a number from 1 to 65535: it is registered, so it is chosen beforehand');
  if (!/^\/[\w./~-]*$/.test(path)) throw mistake('`path` must begin with a slash and hold no more than letters, digits and . _ ~ - /');
  const uri = `http://${host}:${port}${path}`;
  const show = async (url: URL): Promise<void> => {
    const { openBrowser: opener = true } = options;
    const opened = opener === false ? false : await (opener === true ? openBrowser(url) : opener(url));
    if (!opened) print(`Open this address in a browser to go on:\n${url.href}`);
  };
  const wait = (url: URL, signal: AbortSignal, state: string): Promise<URL> =>
    new Promise<URL>((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abandon);
        server.close();
      };
      const fail = (error: unknown): void => {
        stop();
        server.closeAllConnections();
        reject(error);
      };
      const abandon = (): void => fail(signal.reason);
      const server = createServer((request, response) => {
        const came = receive(request, response, uri, state);
        if (came === undefined) return;
        // One use: nothing is listening afterwards, and nobody who only connected keeps the process alive.
        stop();
        response.once('close', () => server.closeAllConnections());
        resolve(came);
      });
      const late = new VivariumError('ERR_AUTH_REQUIRED', `Nobody came back from ${url.origin} within ${timeoutMs} ms`);
      const timer = setTimeout(() => fail(late), timeoutMs);
      if (signal.aborted) return abandon();
      signal.addEventListener('abort', abandon, { once: true });
      server.once('error', (cause) =>
        fail(new VivariumError('ERR_AUTH_FAILED', `Port ${port} cannot be used to come back to: choose another \`port\``, { cause })),
      );
      server.listen(port, host, () => void show(url).catch(fail));
    });
  return {
    uri,
    open(url, { signal, state }) {
      // Servers that are connected to at the same time each send the person somewhere: one page after the other.
      const turn = (turns.get(port) ?? Promise.resolve()).then(() => wait(url, signal, state));
      const ended = turn.then(
        () => undefined,
        () => undefined,
      );
      turns.set(port, ended);
      return turn;
    },
  };
}

/** Undefined for whatever is not the answer that is awaited. */
function receive(request: IncomingMessage, response: ServerResponse, uri: string, state: string): URL | undefined {
  const expected = new URL(uri);
  // A page elsewhere whose name was made to resolve to this machine.
  if (request.headers.host !== expected.host) return answer(response, 403, 'This address is not for you.');
  const target = `${expected.origin}${request.url ?? ''}`;
  const came = URL.canParse(target) ? new URL(target) : undefined;
  if (came?.pathname !== expected.pathname) return answer(response, 404, 'There is nothing here.');
  if (request.method !== 'GET') return answer(response, 405, 'There is nothing here.');
  // Anyone can send a browser here: only who knows the state ends the waiting.
  if (came.searchParams.get('state') !== state) return answer(response, 400, 'This does not belong to the authorization that is awaited.');
  const isGood = came.searchParams.has('code');
  answer(response, 200, isGood ? 'Thank you. You can close this page.' : 'This was not authorized. You can close this page.');
  return came;
}

/** Holds nothing that came with the request: it may be anyone's. */
function answer(response: ServerResponse, status: number, text: string): undefined {
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Authorization</title><p>${text}</p></html>\n`;
  response
    .writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      connection: 'close',
    })
    .end(page);
}
