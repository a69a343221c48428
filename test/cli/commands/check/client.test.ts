import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Report } from 'vivarium/check';
import { isAlive } from '../../../serve/child.ts';
import { Started } from '../../started.ts';
import { fixture, root, vivarium } from '../../vivarium.ts';

const driver = [process.execPath, join(root, 'test/fixtures/client-driver.mjs')];
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vivarium-check-client-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Once it has been written. */
async function pidIn(name: string): Promise<number> {
  const text = await vi.waitFor(() => readFileSync(join(folder, name), 'utf8') || Promise.reject(new Error('empty')), { timeout: 60_000 });
  onTestFinished(() => void (isAlive(Number(text)) && process.kill(Number(text), 'SIGKILL')));
  return Number(text);
}

describe.runIf(process.platform === 'linux')('what is started to be judged', () => {
  const clings = `require('fs').writeFileSync('clings.pid', String(process.pid)); process.on('SIGTERM', () => {}); setInterval(() => {}, 1e6)`;

  it('leaves nothing behind that the last client started', async () => {
    const child = `require('fs').writeFileSync('left.pid', String(process.pid)); setInterval(() => {}, 1e6)`;
    const client = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'ignore' });
      const wait = setInterval(() => require('fs').existsSync('left.pid') && process.exit(0), 10)`;
    const options = { cwd: folder };
    await vivarium(['check', '--client', '--spec-version', '2025-06-18', '--', process.execPath, '-e', client], options);
    const pid = await pidIn('left.pid');
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 60_000 });
  });

  it.each([
    ['a client', ['--client']],
    ['a server', []],
  ])('ends %s that clings to life when the check is ended', async (_, flags) => {
    rmSync(join(folder, 'clings.pid'), { force: true });
    const running = new Started(['check', ...flags, '--spec-version', '2025-06-18', '--', process.execPath, '-e', clings], { cwd: folder });
    const pid = await pidIn('clings.pid');
    expect(isAlive(pid)).toBe(true);
    running.process.kill('SIGTERM');
    expect(await running.ended).toBe(143);
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 60_000 });
  });
});

describe('vivarium check --client', () => {
  it('ends with 0 when nothing is broken, and with 6 under --strict because something is not verified', async () => {
    const args = ['check', '--client', '--spec-version', '2025-11-25', '--only', 'lifecycle'];
    const { code, stdout, stderr } = await vivarium([...args, '--', ...driver, '{url}']);
    expect(stdout + stderr).toContain('driver 1.0.0');
    expect(code).toBe(0);
    expect((await vivarium([...args, '--only', 'tasks', '--strict', '-t', 'stdio', '--', ...driver])).code).toBe(6);
  });

  it('is told of its variable where it waits for longer than the run does, and the run is over with its report', async () => {
    const patient = `import { connect } from 'vivarium';
      const client = await connect(process.argv.at(-1), { client: { name: 'patient', version: '1' }, timeouts: { totalMs: 60_000 } });
      for (const { name, inputSchema } of await client.listTools()) await client.callTool(name, inputSchema?.examples?.[0] ?? {});`;
    const began = performance.now();
    const chosen = ['--only', 'lifecycle/timeouts', '--spec-version', '2025-11-25', '--timeout', '1s', '--reporter', 'json'];
    const { stdout } = await vivarium([
      'check',
      '--client',
      ...chosen,
      '--',
      process.execPath,
      '--input-type=module',
      '-e',
      patient,
      '{url}',
    ]);
    const { runs, durationMs } = JSON.parse(stdout) as Report;
    expect(runs[0]?.outcomes.find(({ id }) => id === 'lifecycle/timeouts/established')?.message).toContain('VIVARIUM_CHECK_TIMEOUT');
    // What nobody waits for any more went on for twenty seconds.
    expect(performance.now() - began - durationMs).toBeLessThan(18_000);
  });

  it('starts the relay for {command}, within a word and as a word', async () => {
    const { code, stdout } = await vivarium([
      'check',
      '--client',
      '--spec-version',
      '2025-06-18',
      '--only',
      'stdio',
      '--',
      'sh',
      '-c',
      `exec ${driver.join(' ')} {command}`,
    ]);
    expect(stdout).toContain('stdio, score');
    expect(code).toBe(0);
  });

  it('ends with 1 when a MUST is broken, and shows the bytes', async () => {
    const script = `fetch(process.argv.at(-1), { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bare","version":"1"}}}' }).then((answer) => fetch(process.argv.at(-1), { method: 'POST', headers: { 'mcp-session-id': answer.headers.get('mcp-session-id') }, body: '{"jsonrpc":"2.0","method":"notifications/initialized"}' }));`;
    const { code, stdout } = await vivarium([
      'check',
      '--client',
      '--spec-version',
      '2025-11-25',
      '--',
      process.execPath,
      '-e',
      script,
      '--',
      '{url}',
    ]);
    expect(stdout).toContain('✗ http/post/accept');
    expect(stdout).toContain('← POST /mcp');
    expect(code).toBe(1);
  });

  it('ends with 4 when the client says nothing, and with 2 without a client', async () => {
    expect((await vivarium(['check', '--client', '--', process.execPath, '-e', 'process.exit(3)'])).code).toBe(4);
    expect((await vivarium(['check', '--client'])).code).toBe(2);
  });
});

describe('vivarium check --recording', () => {
  it('judges both sides of what was recorded', async () => {
    const file = join(folder, 'sound.jsonl');
    const lines = [
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}',
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      '{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
    ];
    await vivarium(['record', '-q', '-o', file, '--', ...fixture], { input: `${lines.join('\n')}\n` });
    const { code, stdout, stderr } = await vivarium(['check', '--recording', file]);
    expect(stdout + stderr).toContain(`${file} (the server)`);
    expect(stdout).toContain(`${file} (the client)`);
    expect(code, stdout).toBe(0);
  });

  it('ends with 1 when a side breaks a MUST, with the line of the file as evidence', async () => {
    const file = join(folder, 'broken.jsonl');
    const entries = [
      { recording: 1, target: 'x', transport: 'stdio', began: '2026-01-01T00:00:00Z' },
      {
        t: 1,
        from: 'client',
        raw: '{"jsonrpc":"2.0","id":null,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}',
      },
      {
        t: 2,
        from: 'server',
        raw: '{"jsonrpc":"2.0","id":null,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"b","version":"1"}}}',
      },
      { t: 3, from: 'server', raw: 'hello' },
    ];
    writeFileSync(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    const { code, stdout } = await vivarium(['check', '--recording', file]);
    expect(stdout).toMatch(/✗ stdio\/stdout-clean[\s\S]*← hello/);
    expect(stdout).toContain('✗ jsonrpc/request/id-not-null');
    expect(code).toBe(1);
  });

  it('judges results by schemas that are not plain', async () => {
    const file = join(folder, 'schema.jsonl');
    const outputSchema = { type: 'object', properties: { at: { type: 'string', format: 'date-time' } }, required: ['at'] };
    const client = (id: number, method: string, params: object) => ({ from: 'client', raw: { jsonrpc: '2.0', id, method, params } });
    const server = (id: number, result: object) => ({ from: 'server', raw: { jsonrpc: '2.0', id, result } });
    const entries = [
      client(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } }),
      server(1, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'b', version: '1' } }),
      { from: 'client', raw: { jsonrpc: '2.0', method: 'notifications/initialized' } },
      client(2, 'tools/list', {}),
      server(2, { tools: [{ name: 'now', inputSchema: { type: 'object' }, outputSchema }] }),
      client(3, 'tools/call', { name: 'now', arguments: {} }),
      server(3, { content: [{ type: 'text', text: '{"at":"noon"}' }], structuredContent: { at: 'noon' } }),
    ].map(({ from, raw }, t) => ({ t, from, raw: JSON.stringify(raw) }));
    const head = { recording: 1, target: 'x', transport: 'stdio', began: '2026-01-01T00:00:00Z' };
    writeFileSync(file, [head, ...entries].map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    expect((await vivarium(['check', '--recording', file])).stdout).toContain('✗ tools/call/output-schema');
  });

  it('ends with 4 where the recording holds no version, and with 2 where it is none', async () => {
    const file = join(folder, 'empty.jsonl');
    writeFileSync(file, `${JSON.stringify({ recording: 1, target: 'x', transport: 'stdio', began: '2026-01-01T00:00:00Z' })}\n`);
    expect((await vivarium(['check', '--recording', file])).code).toBe(4);
    expect((await vivarium(['check', '--recording', join(folder, 'none.jsonl')])).code).toBe(2);
  });
});
