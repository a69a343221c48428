// Whether a request comes from a program on this machine that means this address, and not from a page in a browser.
import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback } from '../serve/gate.ts';

/** Browsers say for whom they ask, and a program has no reason to say it. Never with CORS headers: no page may read the answer. */
export function isFromProgram(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  const isPage = headers.origin !== undefined || (site !== undefined && site !== 'none' && site !== 'same-origin');
  return isLocalHost(headers.host ?? '') && !isPage && method !== 'OPTIONS';
}

/** `host` is the header of that name: a page can be led here under another one. */
function isLocalHost(host: string): boolean {
  return isLoopback(host.replace(/:\d{1,5}$/, '').toLowerCase());
}
