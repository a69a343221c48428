// No false alarm: every message that our servers send in the transcripts fits our own schemas, each in the revision of its request.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { checkMessage } from '../../../../src/check/schemas/message.ts';
import { isRevision, type Revision } from '../../../../src/protocol/revision.ts';

type Json = { readonly [key: string]: unknown; readonly id?: string | number; readonly method?: string };

const folder = new URL('../../../wire/', import.meta.url);
const versionKey = 'io.modelcontextprotocol/protocolVersion';

it.each(readdirSync(folder).filter((name) => name.endsWith('.txt')))('%s', (name) => {
  const asked = new Map<unknown, { readonly method: string; readonly revision: Revision | undefined }>();
  let negotiated: Revision | undefined;
  let checked = 0;
  for (const [sign, value] of linesOf(readFileSync(new URL(name, folder), 'utf8'))) {
    for (const message of [value].flat() as readonly Json[]) {
      if (sign === '→') {
        const own = (message.params as { _meta?: Json } | undefined)?._meta?.[versionKey];
        if (message.method !== undefined) asked.set(message.id, { method: message.method, revision: isRevision(own) ? own : undefined });
        continue;
      }
      const request = asked.get(message.id);
      const { protocolVersion } = (message['result'] ?? {}) as Json;
      if (request?.method === 'initialize' && isRevision(protocolVersion)) negotiated = protocolVersion;
      const revision = (message.method === undefined ? request?.revision : undefined) ?? negotiated ?? '2026-07-28';
      const answers = message.method === undefined ? request?.method : undefined;
      expect(checkMessage({ revision, from: 'server', message, answers }), JSON.stringify(message)).toEqual([]);
      checked += 1;
    }
  }
  expect(checked).toBeGreaterThan(0);
});

function linesOf(text: string): readonly (readonly [sign: string, value: unknown])[] {
  return text.split('\n').flatMap((line) => {
    const [, sign = '', json = ''] = /^(→|←) (.*)$/.exec(line) ?? [];
    try {
      return [[sign, JSON.parse(json)] as const];
    } catch {
      // Some requests of the transcripts are broken on purpose.
      return [];
    }
  });
}
