// No false alarms: what `vivarium check` holds against servers that others made, over each transport, with the reason for every red line.
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import type { CheckTarget } from 'vivarium/check';
import { program, redLines, start } from './judged.ts';

const path = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
const limit = 240_000;

const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A fixture over HTTP: its first line says where it is. */
async function served(file: string): Promise<CheckTarget> {
  const running = await start([path(file), 'http'], /^http:/);
  closing.push(() => running.stop());
  return { kind: 'url', url: running.line };
}

/** It takes the port it is told, and says so when it listens. */
async function everythingAt(kind: 'streamableHttp' | 'sse'): Promise<CheckTarget> {
  const free = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => free.once('listening', resolve));
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  const running = await start([everything, kind], /on port/, { PORT: String(port) });
  closing.push(() => running.stop());
  const at = `http://127.0.0.1:${port}`;
  return kind === 'sse' ? { kind: 'url', url: `${at}/sse`, transport: 'sse' } : { kind: 'url', url: `${at}/mcp`, transport: 'http' };
}

const legacy = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** What the specification says, and what these servers do. */
const argued = {
  // "Implementations … MUST support receiving JSON-RPC batches." The SDKs drop them on stdio, and refuse them over HTTP+SSE.
  noBatches: ['jsonrpc/batch/received@2025-03-26'],
  // "Receivers that do not declare the task capability … MUST process requests of that type normally, ignoring any task-augmentation
  // metadata". SDK 1 refuses the call.
  noTasks: ['tasks/augment/ignored@2025-11-25'],
  // "Progress notifications MUST only reference tokens that …". A tool of the fixtures reports progress also to those who sent no
  // token, and the SDKs send the notification without one.
  noToken: legacy.map((revision) => `progress/token/type@${revision}`),
  // A version that the server does not have gets UnsupportedProtocolVersionError. SDK 2 answers server/discover in whatever version it
  // is asked in, on stdio only.
  anyVersion: ['versioning/unsupported@2026-07-28'],
  // "Servers MUST validate the Origin header on all incoming connections". The SDKs leave it to whoever serves with them.
  anyOrigin: (...revisions: readonly string[]) => revisions.map((revision) => `http/origin/validated@${revision}`),
  // Links to resources came with 2025-06-18, forms with several choices with 2025-11-25; older clients get them as well.
  newerContent: ['tools/call/shape@2025-03-26', 'tools/call/shape@2024-11-05', 'elicitation/request/shape@2025-06-18'],
  // A tool with taskSupport "required" that is called without a task: "Servers MUST return a -32601 (Method not found) error". It is a
  // result with isError.
  wrongRefusal: ['tasks/tool/required-refused@2025-11-25'],
  // "…the taskId parameter in the request as the source of truth … ignore" what _meta says. SDK 1 takes the one in _meta.
  wrongTask: ['tasks/related/params-count@2025-11-25'],
  // The same call is then never answered at all, where replies about a task go by its queue.
  lostTask: ['jsonrpc/request/answered@2025-11-25'],
  // "After a session is terminated … it MUST respond to requests containing that session ID with HTTP 404". It is 400.
  endedSession: ['2025-11-25', '2025-06-18', '2025-03-26'].map((revision) => `http/session/ended@${revision}`),
  // "The server MUST NOT replay messages that would have been delivered on a different stream." Its store keeps all streams in one row.
  otherStreams: ['2025-11-25', '2025-06-18', '2025-03-26'].map((revision) => `http/resume/other-stream@${revision}`),
  // Every message is a request, a notification or a response. What stands for the first, empty event in its store is sent as {}.
  emptyMessage: ['jsonrpc/conformance@2025-11-25'],
};

describe.concurrent('a server of the official SDK', () => {
  it('of version 1 breaks on stdio what is argued', { timeout: limit }, async () => {
    const expected = [...argued.noBatches, ...argued.noTasks, ...argued.noToken];
    expect(await redLines(program(path('official-v1.mjs'), 'stdio'))).toEqual(expected.sort());
  });

  it('of version 2 breaks on stdio what is argued', { timeout: limit }, async () => {
    const expected = [...argued.noBatches, ...argued.anyVersion, ...argued.noToken];
    expect(await redLines(program(path('official-v2.mjs'), 'stdio'))).toEqual(expected.sort());
  });

  it('of version 1 breaks over HTTP what is argued', { timeout: limit }, async () => {
    const expected = [...argued.anyOrigin(...legacy), ...argued.noTasks, ...argued.noToken];
    expect(await redLines(await served('official-v1.mjs'))).toEqual(expected.sort());
  });

  it('of version 2 breaks over HTTP what is argued', { timeout: limit }, async () => {
    const expected = [...argued.anyOrigin(...legacy, '2026-07-28'), ...argued.noToken];
    expect(await redLines(await served('official-v2.mjs'))).toEqual(expected.sort());
  });
});

describe.concurrent('server-everything', () => {
  const anywhere = [...argued.newerContent, ...argued.wrongRefusal, ...argued.wrongTask];

  it('breaks on stdio what is argued', { timeout: limit }, async () => {
    const expected = [...anywhere, ...argued.noBatches, ...argued.lostTask];
    expect(await redLines(program(everything, 'stdio'))).toEqual(expected.sort());
  });

  it('breaks over Streamable HTTP what is argued', { timeout: limit }, async () => {
    const own = [...argued.anyOrigin(...legacy), ...argued.endedSession, ...argued.otherStreams, ...argued.emptyMessage];
    expect(await redLines(await everythingAt('streamableHttp'))).toEqual([...anywhere, ...own].sort());
  });

  it('breaks over HTTP+SSE what is argued', { timeout: limit }, async () => {
    expect(await redLines(await everythingAt('sse'))).toEqual([...anywhere, ...argued.noBatches].sort());
  });
});
