// The official client of the 1.x line on our stdio server.
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import { expect, it } from 'vitest';
import { commandFor, drive } from './peer.ts';
import { sdkV1, throughStdio } from './sdk.ts';

const spoken = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;

for (const revision of spoken) {
  drive('@modelcontextprotocol/sdk', revision, (options) => sdkV1(revision, throughStdio(new StdioClientTransport(commandFor(options)))));
}

it('@modelcontextprotocol/sdk is tried at every revision that both speak', () => {
  expect(SUPPORTED_PROTOCOL_VERSIONS.filter((revision) => revision !== '2024-10-07').sort()).toEqual(spoken);
});
