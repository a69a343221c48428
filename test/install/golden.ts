// Configuration files as people write them, and the same with a server more. What an editor would not show stands in words:
// ␍ for a carriage return, <BOM> for a byte order mark, <no newline> for a missing end.
import { readFileSync, writeFileSync } from 'node:fs';
import type { InstalledServer } from '../../src/install/client.ts';

export const stdioServer: InstalledServer = {
  command: 'npx',
  args: ['-y', '@scope/notes', '--mode', 'read "only"'],
  env: { LEVEL: '3', NOTES_TOKEN: { variable: 'NOTES_TOKEN', before: '' } },
};

export const remoteServer: InstalledServer = {
  url: 'https://notes.example/mcp?team=a',
  headers: { Authorization: { variable: 'NOTES_TOKEN', before: 'Bearer ' }, 'X-Team': 'a' },
  sse: false,
};

export function golden(name: string): string {
  return read(readFileSync(fileOf(name), 'utf8'));
}

/** Compared with what is kept, or kept where UPDATE_GOLDEN is set. */
export function kept(name: string, text: string): string {
  if (process.env['UPDATE_GOLDEN'] !== undefined) writeFileSync(fileOf(name), written(text));
  return golden(name);
}

function fileOf(name: string): URL {
  return new URL(`../fixtures/clients/${name}.txt`, import.meta.url);
}

function read(text: string): string {
  return text.replace('<BOM>', '\uFEFF').replace('<no newline>\n', '').replaceAll('␍\n', '\r\n');
}

function written(text: string): string {
  const end = text.endsWith('\n') ? '' : '<no newline>\n';
  return `${text.replace('\uFEFF', '<BOM>').replaceAll('\r\n', '␍\n')}${end}`;
}
