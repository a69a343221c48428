// Golden transcripts: each is replayed against a server, whose messages must be those on paper, as JSON values.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Revision } from 'vivarium';
import { createWire, parseTranscript, type TranscriptEntry } from 'vivarium/testing';
import { notRun } from '../../scripts/prepare.mjs';
import { isRevision } from '../../src/protocol/revision.ts';
import { judgeMessage } from '../matrix/schemas.ts';
import { serveFor } from './servers.ts';

const folder = new URL('.', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.txt') && !name.startsWith('tour-'));

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly result?: { readonly protocolVersion?: unknown; readonly resultType?: unknown };
}

const messagesIn = (line: string): Message[] => [JSON.parse(line)].flat();

describe.each(files)('%s', (file) => {
  const text = readFileSync(new URL(file, folder), 'utf8');
  const entries = parseTranscript(text);

  it.skipIf(file.startsWith('lisp-') && notRun('sbcl'))('is answered as it is written', async () => {
    const { server, close } = serveFor(file);
    onTestFinished(close);
    // What was registered is announced at the end of the turn; no one listens yet.
    await new Promise((resolve) => void setImmediate(resolve));
    await using wire = createWire(server);
    for (const { from, line } of entries) {
      if (from === 'client') wire.send(`${line}\n`);
      else expect(await wire.next()).toEqual(JSON.parse(line, asWritten));
    }
    expect(await wire.quiet()).toEqual([]);
    expect(wire.transcript.entries.filter(({ from }) => from === 'client')).toEqual(entries.filter(({ from }) => from === 'client'));
  });

  it('says only what the official schema of its revision allows', () => {
    const methods = new Map<unknown, string>();
    let revision: Revision = revisionOf(entries);
    for (const { from, line } of entries) {
      if (from === 'client') for (const { id, method } of requestsIn(line)) methods.set(id, method);
      else {
        for (const message of messagesIn(line)) {
          const modern = message.result?.resultType !== undefined;
          judgeMessage(message, modern ? '2026-07-28' : revision, methods.get(message.id));
          const agreed = message.result?.protocolVersion;
          if (isRevision(agreed)) revision = agreed;
        }
      }
    }
  });

  it('begins with prose and holds messages of both sides', () => {
    expect(text).toMatch(/^[A-Z]/);
    expect(new Set(entries.map(({ from }) => from))).toEqual(new Set(['client', 'server']));
  });
});

/** Three dots on paper stand for whatever is there. */
function asWritten(_: string, value: unknown): unknown {
  if (typeof value !== 'string' || !value.includes('...')) return value;
  const parts = value.split('...').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return expect.stringMatching(new RegExp(`^${parts.join('[\\s\\S]*')}$`));
}

/** The one that is agreed on first; without a handshake, the modern one, or the first where nothing is agreed at all. */
function revisionOf(list: readonly TranscriptEntry[]): Revision {
  const agreed = list.flatMap(({ from, line }) => (from === 'server' ? messagesIn(line) : [])).map(({ result }) => result?.protocolVersion);
  const first = agreed.find(isRevision);
  return first ?? (list.some(({ line }) => line.includes('2026-07-28')) ? '2026-07-28' : '2025-03-26');
}

/** A line of the client need not be JSON. */
function requestsIn(line: string): { id: unknown; method: string }[] {
  try {
    return messagesIn(line).flatMap(({ id, method }) => (method === undefined ? [] : [{ id, method }]));
  } catch {
    return [];
  }
}
