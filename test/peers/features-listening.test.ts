// The official client of the 2.x line listens for changes, as 2026-07-28 has it, on our stdio server.
import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { driveListening } from './features-listening.ts';

const fixture = fileURLToPath(new URL('../fixtures/features.mjs', import.meta.url));

driveListening('@modelcontextprotocol/client at 2026-07-28', 'remote', async () => ({
  transport: new StdioClientTransport({ command: process.execPath, args: [fixture], stderr: 'inherit' }),
  end: async () => undefined,
}));
