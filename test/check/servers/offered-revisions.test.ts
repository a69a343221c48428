import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { runCheck } from 'vivarium/check';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vivarium-'));
  folders.push(folder);
  return folder;
}

/** As an older server that says nothing to what comes before the handshake. */
const mute = `
const greeting = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'mute', version: '1' } };
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined || method === 'server/discover') return;
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'initialize' ? greeting : {} }));
});
`;

it('does not wait as long for an answer in the newest revision as for a server to start', { timeout: 120_000 }, async () => {
  const target = { kind: 'command', command: process.execPath, args: ['-e', mute] } as const;
  const { offered, durationMs } = await runCheck(target, { only: ['ping'], startTimeout: 60_000 });
  expect(offered).toEqual(['2025-11-25']);
  expect(durationMs).toBeLessThan(55_000);
});

/** Needs `delay` milliseconds before it reads anything: each time, or only until `marker` is there, as a program that is fetched first. */
const slow = (delay: number, marker?: string): string => `
const { existsSync, writeFileSync } = require('node:fs');
const marker = ${JSON.stringify(marker ?? '')};
const about = { supportedVersions: ['2026-07-28'], capabilities: {}, _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'slow', version: '1' } } };
const greeting = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'slow', version: '1' } };
const isWarm = marker !== '' && existsSync(marker);
if (marker !== '') writeFileSync(marker, '');
setTimeout(() => require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === 'initialize' ? greeting : { resultType: 'complete', ...(method === 'server/discover' && about) };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
}), isWarm ? 0 : ${delay});
process.stdin.on('end', () => process.exit());
`;

it('finds the newest revision of a server that is slow only the first time', { timeout: 60_000 }, async () => {
  const marker = join(newFolder(), 'warm');
  const target = { kind: 'command', command: process.execPath, args: ['-e', slow(7_000, marker)] } as const;
  const { offered, refused } = await runCheck(target, { only: ['ping'] });
  expect([existsSync(marker), offered, refused]).toEqual([true, ['2026-07-28'], []]);
});

it('finds the newest revision of a server that is slow each time', { timeout: 60_000 }, async () => {
  const target = { kind: 'command', command: process.execPath, args: ['-e', slow(6_500)] } as const;
  expect((await runCheck(target, { only: ['ping'], timeout: 1_000 })).offered).toEqual(['2026-07-28']);
});

it('asks a server that never says anything no third time', { timeout: 60_000 }, async () => {
  const target = { kind: 'command', command: process.execPath, args: ['-e', 'process.stdin.resume()'] } as const;
  const { offered, durationMs } = await runCheck(target, { startTimeout: 10_000 });
  expect(offered).toEqual([]);
  expect(durationMs).toBeLessThan(29_000);
});
