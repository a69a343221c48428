// Whether a request was meant for this machine: a page in a browser can be led here under another name.
import { isLoopback } from '../serve/gate.ts';

/** `host` is the header of that name. */
export function isLocalHost(host: string): boolean {
  return isLoopback(host.replace(/:\d{1,5}$/, '').toLowerCase());
}
