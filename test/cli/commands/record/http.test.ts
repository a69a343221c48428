import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Started } from '../../started.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vivarium-record-http-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Counts what it is sent, or refuses it by its head and hangs up. */
async function serve(refuses: boolean): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    let length = 0;
    incoming.on('data', (piece: Buffer) => {
      length += piece.length;
    });
    incoming.once('end', () => outgoing.end(String(length)));
  });
  if (refuses)
    server.on('checkContinue', (incoming, outgoing) =>
      outgoing.writeHead(413, { connection: 'close' }).end('too large', () => incoming.socket.destroySoon()),
    );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

function post(url: string, body: Buffer): Promise<readonly [status: number | undefined, text: string]> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: { 'content-length': body.length } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      answer.once('end', () => resolve([answer.statusCode, text]));
    });
    sent.on('error', reject).end(body);
  });
}

describe('a large POST through record', () => {
  it.each([
    ['arrives whole, and is recorded', false, 20_000_000, 200],
    ['arrives whole, and is not recorded beyond the limit', false, 70_000_000, 200],
    ['is refused with the status of the server that hangs up on it', true, 20_000_000, 413],
  ] as const)('%s', async (what, refuses, length, status) => {
    const file = `${what.replaceAll(/\W+/g, '-')}.jsonl`;
    const recorder = new Started(['record', await serve(refuses), '-o', file], { cwd: folder });
    const [, url = ''] = await recorder.until('stderr', /\n(http:\S+)\n/);
    // More than once: what can go wrong is a race.
    for (let time = 0; time < 3; time++)
      expect(await post(url, Buffer.alloc(length, 'a'))).toEqual([status, refuses ? 'too large' : String(length)]);
    recorder.process.kill('SIGINT');
    expect(await recorder.ended).toBe(0);
    const lines = readFileSync(join(folder, file), 'utf8').trim().split('\n').slice(1);
    const bodies = lines
      .map((line) => JSON.parse(line))
      .flatMap(({ from, raw }) => (from === 'client' && raw !== undefined ? [raw.length] : []));
    if (!refuses) expect(bodies).toEqual(Array(3).fill(length > 64 * 1024 * 1024 ? '(a body larger than 64 MiB)'.length : length));
  });
});
