// A caller with the token of a live server pipelines more than it can do: it is refused, the server lives, and the session goes on.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Started } from '../../cli/started.ts';
import { modernBody } from './flood.ts';

const token = 'token-of-a-live-server-that-is-flooded';
const calls = 1_500;

it('A pipelined flood of evaluations through vivarium live --http is refused beyond the limit, and the rest is answered', {
  timeout: 240_000,
}, async () => {
  const home = mkdtempSync(join(tmpdir(), 'live-flood-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const live = new Started(['live', '--http', '0', '--auth-token-env', 'LIVE_TOKEN'], {
    cwd: home,
    env: { HOME: home, LIVE_TOKEN: token },
  });
  const [, port = ''] = await live.until('stderr', / is served at http:\/\/127\.0\.0\.1:(\d+)/);
  const evaluation = (code: string, id: number): Buffer => {
    const body = Buffer.from(JSON.stringify(modernBody('tools/call', { name: 'evaluate', arguments: { code, wait_ms: 600_000 } }, id)));
    const lines = ['POST /mcp HTTP/1.1', `Host: 127.0.0.1:${port}`, `Authorization: Bearer ${token}`, 'Content-Type: application/json'];
    const fields = [
      'Accept: application/json, text/event-stream',
      'MCP-Protocol-Version: 2026-07-28',
      'Mcp-Method: tools/call',
      'Mcp-Name: evaluate',
    ];
    return Buffer.concat([Buffer.from(`${[...lines, ...fields, `Content-Length: ${body.length}`].join('\r\n')}\r\n\r\n`), body]);
  };
  const flooding = connect({ port: Number(port), host: '127.0.0.1' });
  flooding.on('error', () => undefined).resume();
  await once(flooding, 'connect');
  for (let id = 1; id <= calls; id++) flooding.write(evaluation('await new Promise((done) => setTimeout(done, 600_000))', id));
  const asked = connect({ port: Number(port), host: '127.0.0.1' });
  onTestFinished(() => void asked.destroy());
  await once(asked, 'connect');
  let answered = '';
  asked.setEncoding('utf8').on('data', (text: string) => (answered += text));
  // The queue of the session is full of the others': that is said, at once.
  asked.write(evaluation('6 * 7', calls + 1));
  await expect.poll(() => answered, { timeout: 120_000 }).toMatch(/evaluations wait in \S+ already/);
  flooding.destroy();
  // Whoever hung up gave its calls up.
  answered = '';
  await expect
    .poll(
      () => {
        asked.write(evaluation('6 * 7', calls + 2));
        return answered;
      },
      { timeout: 120_000, interval: 1_000 },
    )
    .toMatch(/=> 42/);
  expect(live.process.exitCode).toBe(null);
});
