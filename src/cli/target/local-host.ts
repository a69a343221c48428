// Whether a request comes from a program on this machine that means this address, and not from a page in a browser.
import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback } from '../../text/loopback.ts';

/** Browsers say for whom they ask, and a program has no reason to say it. Never with CORS headers: no page may read the answer. */
export function isFromProgram(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  const isPage = headers.origin !== undefined || (site !== undefined && site !== 'none' && site !== 'same-origin');
  // A page can be led here under another name.
  return isLoopback(headers.host ?? '') && !isPage && method !== 'OPTIONS';
}
