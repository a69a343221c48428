// One request to an authorization server: no redirect, no long wait, no large answer, no address out of reach.
import { cut, VivariumError } from '../../jsonrpc/error.ts';
import { printable } from '../../text/printable.ts';
import { withTimeout } from '../../text/timeouts.ts';
import { type JsonObject, read } from '../server/fetch-json.ts';
import { checkedUrl, type Reach } from './allowed-addresses.ts';

/** `reach` is for a fetch that looks at the addresses a name resolves to; others pass over it. */
export interface AuthRequestInit extends RequestInit {
  readonly reach?: Reach;
}

export type AuthFetch = (url: string, init: AuthRequestInit) => Promise<Response>;

/** The answer has been read whole, whatever its status; a redirect is an answer without content. Throws when there is none. */
export type Ask = (url: URL, init?: RequestInit) => Promise<Response>;

export interface Asking {
  readonly fetch: AuthFetch;
  readonly reach: Reach;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export function createAsk({ fetch, reach, timeoutMs, signal }: Asking): Ask {
  return async (url, init = {}) => {
    checkedUrl(url.href, 'The authorization server', reach);
    const where = `${url.origin}${url.pathname}`;
    let limit: AbortSignal | undefined;
    const asked = async (within: AbortSignal): Promise<Response> => {
      limit = within;
      // `manual`, because some runtimes refuse `error`.
      const response = await fetch(url.href, { ...init, redirect: 'manual', signal: within, reach });
      if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
        await response.body?.cancel().catch(() => undefined);
        return new Response(null, { status: 302 });
      }
      const bytes = await read(response, url);
      return new Response(bytes.length === 0 ? null : bytes, { status: response.status, headers: response.headers });
    };
    try {
      return await withTimeout(timeoutMs, asked, signal);
    } catch (error) {
      if (signal.aborted) throw cancelled(signal);
      if (error instanceof VivariumError && error.code === 'ERR_AUTH_FAILED') throw error;
      if (limit?.aborted) throw refused(`${where} does not answer within ${timeoutMs} ms`, error);
      const reason = error instanceof VivariumError ? error.message : `${where} cannot be reached: ${reasonOf(error)}`;
      throw refused(reason, error);
    }
  };
}

/** Undefined when the answer is no JSON object. */
export async function jsonOf(response: Response): Promise<JsonObject | undefined> {
  try {
    const value: unknown = await response.json();
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

export function refused(text: string, cause?: unknown): VivariumError {
  return new VivariumError('ERR_AUTH_FAILED', text, cause === undefined ? undefined : { cause });
}

export function cancelled(signal: AbortSignal): VivariumError {
  return new VivariumError('ERR_CANCELLED', 'Nobody waits for the access token any more', { cause: signal.reason });
}

/** From outside, and shown to a person. */
export function quote(text: unknown): string {
  return printable(cut(typeof text === 'object' && text !== null ? JSON.stringify(text) : String(text)));
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return quote(error.cause instanceof Error ? error.cause.message : error.message);
}
