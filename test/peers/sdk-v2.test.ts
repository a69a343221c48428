// The official client of the 2.x line on our stdio server, in both eras.
import { type ClientOptions, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from 'vitest';
import { type Connect, commandFor, drive } from './peer.ts';
import { sdkV2, throughStdio } from './sdk.ts';

const legacy = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;

function connectWith(options: ClientOptions): Connect {
  return (serverOptions) => sdkV2(options, throughStdio(new StdioClientTransport(commandFor(serverOptions))));
}

for (const revision of legacy) drive('@modelcontextprotocol/client', revision, connectWith({ supportedProtocolVersions: [revision] }));

drive('@modelcontextprotocol/client, pinned,', '2026-07-28', connectWith({ versionNegotiation: { mode: { pin: '2026-07-28' } } }));
drive('@modelcontextprotocol/client, choosing by itself,', '2026-07-28', connectWith({ versionNegotiation: { mode: 'auto' } }));

describe('@modelcontextprotocol/client', () => {
  it('is tried at every legacy revision that both speak', () => {
    expect(SUPPORTED_PROTOCOL_VERSIONS.filter((revision) => revision !== '2024-10-07' && revision < '2026').sort()).toEqual(legacy);
  });

  it('falls back to a handshake where the server has no modern revision', async () => {
    const peer = await connectWith({ versionNegotiation: { mode: 'auto' } })({ revisions: ['2025-06-18', '2025-11-25'] });
    expect(peer.negotiated()).toBe('2025-11-25');
    expect((await peer.callTool('add', { a: 1, b: 2 })).content).toEqual([{ type: 'text', text: '3' }]);
    expect(peer.errors).toEqual([]);
    await peer.close();
  });

  it('needs no handshake where the server has no other revision', async () => {
    const peer = await connectWith({ versionNegotiation: { mode: 'auto' } })({ revisions: ['2026-07-28'] });
    expect(peer.negotiated()).toBe('2026-07-28');
    expect((await peer.callTool('add', { a: 1, b: 2 })).content).toEqual([{ type: 'text', text: '3' }]);
    expect(peer.errors).toEqual([]);
    await peer.close();
  });

  it('connects to a modern server without an error when it wants to hear of changes', async () => {
    const listChanged = { tools: { onChanged: () => undefined } };
    const peer = await connectWith({ versionNegotiation: { mode: { pin: '2026-07-28' } }, listChanged })({});
    expect(peer.errors).toEqual([]);
    await peer.close();
  });
});
