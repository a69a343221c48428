// One bounded request for JSON: no redirect, no long wait, no large answer, no plain HTTP beyond this machine.
import { VivariumError } from '../../jsonrpc/error.ts';
import { Bytes } from '../../jsonrpc/event-stream.ts';
import { isLoopback } from '../../text/loopback.ts';

const maxBytes = 1_048_576;

export type JsonObject = Readonly<Record<string, unknown>>;

export async function fetchJson(url: URL, signal: AbortSignal, init: RequestInit = {}): Promise<JsonObject> {
  // `manual`, because some runtimes refuse `error`; any status but 200 is refused anyway.
  const response = await fetch(url, { ...init, headers: { accept: 'application/json', ...init.headers }, redirect: 'manual', signal });
  try {
    if (response.status !== 200) throw failure(url, `answers with status ${response.status}`);
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(await read(response, url)));
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw failure(url, 'answers with something other than an object');
    return value as JsonObject;
  } catch (error) {
    if (!response.bodyUsed) await response.body?.cancel().catch(() => undefined);
    throw error;
  }
}

export async function read(response: Response, url: URL): Promise<Uint8Array> {
  const bytes = new Bytes();
  const reader = response.body?.getReader();
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    bytes.add(part.value);
    if (bytes.length > maxBytes) {
      await reader?.cancel();
      throw failure(url, `answers with more than ${maxBytes} bytes`);
    }
  }
  return bytes.whole();
}

/** Without its query, which may hold something secret. */
export function failure(url: URL, what: string): VivariumError {
  return new VivariumError('ERR_PROTOCOL', `${url.origin}${url.pathname} ${what}`);
}

/** An address that may be asked: https, or plain HTTP on this machine. */
export function isSafe(url: URL): boolean {
  return (
    (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) && url.username === '' && url.password === ''
  );
}

export function asHttpUrl(text: unknown, what: string): URL {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && isSafe(url)) return url;
  throw new VivariumError('ERR_CONFIG', `${what} must be an address: write https://…, or http:// for this machine only`);
}
