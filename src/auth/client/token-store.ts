// Where a client keeps its tokens, and who it is at each authorization server, between requests and between runs.
import type { JsonObject } from '../server/fetch-json.ts';

/**
 * Keeps short texts by key, and lets only the one that knows the current text replace it: whoever is late never
 * overwrites what is newer. The texts hold tokens: keep them from others.
 */
export interface TokenStore {
  get(key: string): string | undefined | Promise<string | undefined>;
  /** False, and nothing done, unless `expected` is there now (undefined: nothing is there). Without a value it is removed. */
  set(key: string, value: string | undefined, expected: string | undefined): boolean | Promise<boolean>;
  /** Holds all others off, in every process that shares the store, until `work` has ended. Default: within this process only. */
  lock?<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** For as long as the process lives. */
export function memoryTokens(): TokenStore {
  const texts = new Map<string, string>();
  return {
    get: (key) => texts.get(key),
    set(key, value, expected) {
      if (texts.get(key) !== expected) return false;
      if (value === undefined) texts.delete(key);
      else texts.set(key, value);
      return true;
    },
  };
}

/** `identity`: the client as its author has described it. */
export const keys = {
  place: (endpoint: string, identity: string): string => JSON.stringify(['place', endpoint, identity]),
  grant: (issuer: string, resource: string, identity: string): string => JSON.stringify(['tokens', issuer, resource, identity]),
  registration: (issuer: string, redirect: string): string => JSON.stringify(['client', issuer, redirect]),
  /** The issuer that credentials given by the user were first shown to. */
  home: (clientId: string): string => JSON.stringify(['issuer', clientId]),
} as const;

export function decode(text: string | undefined): JsonObject | undefined {
  try {
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
