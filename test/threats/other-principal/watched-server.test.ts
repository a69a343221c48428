// serve --watch --http stands in front of the served endpoint: strangers get no further with it than without it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectTcp, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Started } from '../../cli/started.ts';
import { root, vivarium } from '../../cli/vivarium.ts';

const token = 'a-token-for-this-test';
let folder: string;

beforeAll(() => {
  mkdirSync(join(root, '.cache'), { recursive: true });
  folder = mkdtempSync(join(root, '.cache', 'watched-'));
  writeFileSync(
    join(folder, 'server.mjs'),
    `import { Server } from 'vivarium/server';
const server = new Server({ name: 'watched', version: '1' });
server.tool('say', {}, () => 'said');
server.tool('large', {}, () => 'x'.repeat(3_000_000));
export default server;
`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Raw {
  readonly socket: Socket;
  /** Once what came matches; fails when the connection ends without. */
  until(pattern: RegExp): Promise<string>;
  readonly ended: Promise<string>;
}

function raw(port: number, text: string): Raw {
  const socket = connectTcp(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let came = '';
  let wake: () => void = () => undefined;
  let over = false;
  socket.setEncoding('latin1').on('data', (piece: string) => {
    came += piece;
    wake();
  });
  socket.on('error', () => undefined);
  const ended = new Promise<string>((resolve) =>
    socket.once('close', () => {
      over = true;
      wake();
      resolve(came);
    }),
  );
  socket.write(text);
  return {
    socket,
    ended,
    async until(pattern) {
      while (!pattern.test(came)) {
        if (over) throw new Error(`It ended with: ${came}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return came;
    },
  };
}

const usual = ['Host: localhost', 'Accept: application/json, text/event-stream', 'Content-Type: application/json'];
const head = (...fields: string[]): string => `POST /mcp HTTP/1.1\r\n${[...fields].join('\r\n')}\r\n\r\n`;

async function serve(...flags: string[]): Promise<{ readonly port: number; readonly served: Started }> {
  const served = new Started(['serve', 'server.mjs', '--watch', '--http', '0', ...flags], { cwd: folder, env: { TOKEN: token } });
  const [, port] = await served.until('stderr', /served at http:\/\/127\.0\.0\.1:(\d+)/);
  return { port: Number(port), served };
}

describe('before anything of a body is sent, a watched server has refused', () => {
  it.each([
    ['a request without a token', 401, [...usual]],
    ['a request with a wrong token', 401, [...usual, 'Authorization: Bearer not-the-right-token']],
    ['a request with two tokens', 400, [...usual, `Authorization: Bearer ${token}`, `Authorization: Bearer ${token}`]],
    ['a name that only begins like ours', 403, [`Host: localhost.evil.example`, ...usual.slice(1), `Authorization: Bearer ${token}`]],
    ['two names', 400, ['Host: localhost', 'Host: evil.example', ...usual.slice(1), `Authorization: Bearer ${token}`]],
    ['a page from elsewhere', 403, [...usual, 'Origin: https://evil.example', `Authorization: Bearer ${token}`]],
    ['a body that is too large', 413, [...usual, `Authorization: Bearer ${token}`]],
    ['a body that is packed', 415, [...usual, `Authorization: Bearer ${token}`, 'Content-Encoding: gzip']],
  ] as const)('%s, with %i', async (_, status, fields) => {
    const { port } = await serve('--auth-token-env', 'TOKEN');
    const answer = await raw(port, head(...fields, 'Content-Length: 60000000')).until(/^HTTP\/1\.1 \d+[\s\S]*\r\n\r\n/);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  });
});

describe('a watched server', () => {
  it('refuses a body without a length once it is too large, and goes on serving', async () => {
    const { port } = await serve();
    const request = raw(port, head(...usual, 'Transfer-Encoding: chunked'));
    const piece = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    for (let sent = 0; sent < 80 && !request.socket.destroyed; sent++) request.socket.write(piece);
    expect(await request.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 413 /);
    await request.ended;
    expect((await vivarium(['call', `http://127.0.0.1:${port}/mcp`, 'say'])).stdout).toBe('said\n');
  });

  it('refuses a head that is too long, and one without a Host', async () => {
    const { port } = await serve();
    expect(await raw(port, head(...usual, `X-Long: ${'x'.repeat(20_000)}`)).ended).toMatch(/^HTTP\/1\.1 431 /);
    expect(await raw(port, 'POST /mcp HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}').ended).toMatch(/^HTTP\/1\.[01] 40[03] /);
  });

  it('hands on answers of any size', async () => {
    const { port } = await serve();
    const { stdout } = await vivarium(['call', `http://127.0.0.1:${port}/mcp`, 'large']);
    expect(stdout.length).toBe(3_000_001);
  });

  it('learns nothing from a request that was refused', async () => {
    const { port, served } = await serve('--auth-token-env', 'TOKEN');
    const allowed = [...usual, `Authorization: Bearer ${token}`];
    const post = (fields: readonly string[], message: object): Promise<string> => {
      const body = JSON.stringify({ jsonrpc: '2.0', ...message });
      return raw(port, `${head(...fields, `Content-Length: ${body.length}`, 'Connection: close')}${body}`).ended;
    };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'one', version: '1' } };
    const session = /mcp-session-id: (\S+)/i.exec(await post(allowed, { id: 1, method: 'initialize', params }))?.[1];
    const own = `Mcp-Session-Id: ${session}`;
    expect(await post([...allowed, own], { method: 'notifications/initialized' })).toMatch(/^HTTP\/1\.1 202/);
    // A stranger who has seen the id of the session.
    expect(await raw(port, `DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n${own}\r\nConnection: close\r\n\r\n`).ended).toMatch(
      /^HTTP\/1\.1 401/,
    );
    expect(await post([...usual, own], { id: 2, method: 'resources/subscribe', params: { uri: 'x://y' } })).toMatch(/^HTTP\/1\.1 401/);
    writeFileSync(join(folder, 'touched.txt'), String(Date.now()));
    await served.until('stderr', /The new version serves/);
    expect(await post([...allowed, own], { id: 3, method: 'tools/call', params: { name: 'say' } })).toContain('said');
  });

  it('does not listen where others can reach it, under whatever name', async () => {
    for (const host of ['127.evil.example', 'localhost.evil.example', '0.0.0.0']) {
      const { code, stderr } = await vivarium(['serve', 'server.mjs', '--watch', '--http', `${host}:0`], { cwd: folder });
      expect([code, stderr.includes(`${host} can be reached from elsewhere`)]).toEqual([2, true]);
    }
  });
});
