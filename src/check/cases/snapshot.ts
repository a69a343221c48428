// What came back from a call, kept to be compared: the result without what belongs to one call only.
import { createHash } from 'node:crypto';
import { sorted } from '../advice/schema-change.ts';
import { asList, brief, isRecord } from '../model/value.ts';
import type { Answer } from '../servers/peer/peer.ts';

/** A large result is kept as its hash. */
export type Snapshot =
  | { readonly result: { readonly content?: unknown; readonly structuredContent?: unknown; readonly isError?: boolean } }
  | { readonly error: { readonly code: unknown; readonly message: unknown } }
  | { readonly sha256: string; readonly length: number };

const largest = 8_000;

/** Undefined where nothing came. */
export function snapshotOf({ result, error }: Answer): Snapshot | undefined {
  if (error !== undefined) return bound({ error: { code: error.code, message: error.message } });
  if (result === undefined) return undefined;
  const { content, structuredContent, isError } = result;
  return bound({
    result: {
      ...(content !== undefined && { content: asList(content).map(withoutMeta) }),
      ...(structuredContent !== undefined && { structuredContent }),
      ...(isError === true && { isError }),
    },
  });
}

/** In words where the two part; nothing where they are alike. */
export function differenceBetween(kept: unknown, now: unknown, path = ''): string | undefined {
  if (Array.isArray(kept) && Array.isArray(now)) {
    for (let index = 0; index < Math.max(kept.length, now.length); index += 1) {
      const found = differenceBetween(kept[index], now[index], `${path}/${index}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (isRecord(kept) && isRecord(now)) {
    for (const key of [...new Set([...Object.keys(kept), ...Object.keys(now)])].sort()) {
      const own = (value: typeof kept): unknown => (Object.hasOwn(value, key) ? value[key] : undefined);
      const found = differenceBetween(own(kept), own(now), `${path}/${key}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return Object.is(kept, now) ? undefined : `at ${path === '' ? '/' : path}: was ${brief(kept)}, is ${brief(now)}`;
}

export function isSnapshot(value: unknown): value is Snapshot {
  return isRecord(value) && (isRecord(value['result']) || isRecord(value['error']) || typeof value['sha256'] === 'string');
}

function bound(snapshot: Snapshot): Snapshot {
  const text = JSON.stringify(sorted(snapshot));
  if (text.length <= largest) return snapshot;
  return { sha256: createHash('sha256').update(text).digest('hex'), length: text.length };
}

function withoutMeta(block: unknown): unknown {
  if (!isRecord(block)) return block;
  const { _meta, ...rest } = block;
  return rest;
}
