// The official clients of both lines on our server over HTTP: Streamable HTTP, and HTTP+SSE where the client has it.
import { type ClientOptions, StreamableHTTPClientTransport as StreamableV2 } from '@modelcontextprotocol/client';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it } from 'vitest';
import type { AnyClient } from './clients.ts';
import { leaves } from './http-clients.ts';
import { type Connect, drive } from './peer.ts';
import { sdkV1, sdkV2, type Way } from './sdk.ts';
import { serveFixture, watchFetch } from './served.ts';

const legacy = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;

async function way(server: object, endpoint: object, make: (url: string, fetch: typeof globalThis.fetch) => AnyClient): Promise<Way> {
  const served = await serveFixture('peer', { server, endpoint });
  const { fetch, listening } = watchFetch();
  const transport = make(served.url, fetch);
  const leave = async (): Promise<void> => void (await transport.terminateSession?.());
  const end = async (): Promise<number> => {
    await served.end();
    return 0;
  };
  return { transport, listening, leave, forgives: leaves, end };
}

const streamableV1 =
  (revision: string): Connect =>
  async (options) =>
    sdkV1(revision, await way(options, {}, (url, fetch) => new StreamableHTTPClientTransport(new URL(url), { fetch })));

const sse =
  (revision: string): Connect =>
  async (options) =>
    sdkV1(revision, await way(options, { sse: true }, (url, fetch) => new SSEClientTransport(new URL('/sse', url), { fetch })));

const streamableV2 =
  (options: ClientOptions, endpoint: object = {}): Connect =>
  async (server) =>
    sdkV2(options, await way(server, endpoint, (url, fetch) => new StreamableV2(new URL(url), { fetch })));

for (const revision of legacy) {
  drive('@modelcontextprotocol/sdk over Streamable HTTP', revision, streamableV1(revision));
  drive('@modelcontextprotocol/sdk over HTTP+SSE', revision, sse(revision));
  drive('@modelcontextprotocol/client over Streamable HTTP', revision, streamableV2({ supportedProtocolVersions: [revision] }));
}
const pinned: ClientOptions = { versionNegotiation: { mode: { pin: '2026-07-28' } } };
const auto: ClientOptions = { versionNegotiation: { mode: 'auto' } };
drive('@modelcontextprotocol/client, pinned, over Streamable HTTP', '2026-07-28', streamableV2(pinned));
drive('@modelcontextprotocol/client, choosing by itself, over Streamable HTTP', '2026-07-28', streamableV2(auto));
drive('@modelcontextprotocol/client, where there are no sessions,', '2026-07-28', streamableV2(pinned, { sessions: false }));
drive('@modelcontextprotocol/client, where everything is streamed,', '2026-07-28', streamableV2(pinned, { stream: 'always' }));

describe('@modelcontextprotocol/client over Streamable HTTP', () => {
  it.each([
    ['falls back to a handshake where the server has no modern revision', ['2025-06-18', '2025-11-25'], '2025-11-25'],
    ['needs no handshake where the server has no other revision', ['2026-07-28'], '2026-07-28'],
  ] as const)('%s', async (_, revisions, negotiated) => {
    const peer = await streamableV2(auto)({ revisions });
    expect(peer.negotiated()).toBe(negotiated);
    expect((await peer.callTool('add', { a: 1, b: 2 })).content).toEqual([{ type: 'text', text: '3' }]);
    await peer.close();
    expect(peer.errors).toEqual([]);
  });
});
