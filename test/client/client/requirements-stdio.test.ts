// What the requirement lists ask of a client on stdio: what it writes to a server's stdin, byte by byte.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { connect } from '../doors.ts';
import { type Any, fixture, gone } from '../rude.ts';

const program = `
  import { appendFileSync } from 'node:fs';
  const { createGuest } = await import(process.argv[2]);
  const { serveStdio } = await import('vivarium/serve/stdio');
  process.stdin.on('data', (chunk) => appendFileSync(process.argv[1], chunk));
  await serveStdio(createGuest(JSON.parse(process.argv[3])));
`;

it.each(['2024-11-05', '2025-11-25', '2026-07-28'] as const)(
  'A child that the client started reads nothing but lines of UTF-8, each one message, until its stdin is closed: %s',
  async (revision) => {
    const folder = mkdtempSync(join(tmpdir(), 'stdin-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const log = join(folder, 'bytes');
    const args = [
      '--input-type=module',
      '--eval',
      program,
      '--',
      log,
      fixture('rude-guest.mjs'),
      JSON.stringify({ revisions: [revision] }),
    ];
    const client = await connect({ command: process.execPath, args });
    const odd = 'one\ntwo\r\nthree\u2028four\u2029\u0085\0\u{1f98e} ü \ud800';
    const pid = Number(((await client.callTool('pid')).content as Any[])[0].text);
    expect(pid).not.toBe(process.pid);
    await client.callTool('grow', { name: 'grown', [odd]: odd });
    await client.close();
    await gone(pid);

    const bytes = readFileSync(log);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    expect(text.endsWith('\n')).toBe(true);
    const messages = text
      .slice(0, -1)
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(messages.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
    const call = messages.findLast(({ method }) => method === 'tools/call');
    expect(call.params.arguments).toEqual({ name: 'grown', [odd]: odd });
  },
);
