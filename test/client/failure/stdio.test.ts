// Servers on stdio that are broken, and the one line that says why.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect, VivariumError, type Warning } from '../../../src/client/index.ts';
import { connect as connectTo, stdio } from '../doors.ts';
import { type Any, failureOf, rudeStart } from '../rude.ts';

const patient = { timeouts: { probeMs: 20_000, connectMs: 20_000 } };
/** For those that never answer; a child needs some time to say what it says. */
const impatient = { timeouts: { probeMs: 300, connectMs: 6_000 } };
const started = (how: string, limits = patient): Promise<Any> => failureOf(connectTo(rudeStart(how), limits));

function expectOneLine(error: Any): void {
  expect(error).toBeInstanceOf(VivariumError);
  expect(error.message).not.toMatch(/[\r\n]/);
  expect(error.failure.elapsedMs).toBeGreaterThanOrEqual(0);
  expect(error.failure.target).not.toBe('');
  expect(error.failure.cause).not.toBe('');
  // Whoever has five servers sees which it was.
  expect(error.message).toContain(error.failure.target.slice(0, 200));
}

describe('a broken server on stdio is told of in one line', () => {
  it('when there is no such command', async () => {
    const error = await failureOf(connectTo({ command: 'no-such-command-at-all', args: ['--port', '1'] }, patient));
    expectOneLine(error);
    expect(error.code).toBe('ERR_CONNECT');
    expect(error.message).toContain('There is no command no-such-command-at-all on PATH');
    expect(error.failure).toMatchObject({
      phase: 'open',
      target: 'no-such-command-at-all --port 1',
      hint: expect.stringContaining('install'),
    });
  });

  it('when the file may not be executed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rude-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'server.sh');
    await writeFile(file, '#!/bin/sh\nexit 0\n');
    await chmod(file, 0o644);
    const error = await failureOf(connectTo({ command: file }, patient));
    expectOneLine(error);
    expect(error.code).toBe('ERR_CONNECT');
    expect(error.message).toContain('may not be executed');
    expect(error.failure).toMatchObject({ phase: 'open', target: file, hint: expect.stringContaining('chmod +x') });
  });

  it('when it exits with a message', async () => {
    const error = await started('exits with a message');
    expectOneLine(error);
    expect(error.code).toBe('ERR_CONNECT');
    expect(error.message).toMatch(/exited with code 3.*FATAL: missing DATABASE_URL/);
    expect(error.failure).toMatchObject({ phase: 'initialize', exitCode: 3, stderr: ['FATAL: missing DATABASE_URL'] });
    expect(error.failure.target).toContain('rude-start.mjs');
  });

  it('when it exits silently', async () => {
    const error = await started('exits silently');
    expectOneLine(error);
    expect(error.code).toBe('ERR_CONNECT');
    expect(error.message).toContain('exited with code 4 without a word');
    expect(error.failure).toMatchObject({ phase: 'initialize', exitCode: 4 });
    expect(error.failure.stderr).toBeUndefined();
  });

  it('when it prints something and ends: then it is no MCP server', async () => {
    const error = await failureOf(connectTo({ command: process.execPath, args: ['-e', 'console.log("hello")'] }, patient));
    expectOneLine(error);
    expect(error.message).toMatch(/^The server exited with code 0, having printed: hello; is it an MCP server\?/);
    expect(error.failure).toMatchObject({ exitCode: 0, lastLine: 'hello', hint: 'is it an MCP server?' });
  });

  it('when it ends before it is asked anything, by its exit all the same', async () => {
    const error = await failureOf(connectTo({ command: 'true' }, patient));
    expectOneLine(error);
    expect(error.message).toContain('exited with code 0 without a word');
    expect(error.failure).toMatchObject({ phase: 'initialize', exitCode: 0, exitSignal: null });
  });

  it('when it throws, by what it threw and not by the line below the stack', async () => {
    const error = await started('throws');
    expectOneLine(error);
    expect(error.code).toBe('ERR_CONNECT');
    expect(error.message).toContain('the key is not set');
    expect(error.message).not.toContain('Node.js v');
    expect(error.failure).toMatchObject({ exitCode: 1 });
  });

  it('when it is ended by a signal', async () => {
    const error = await started('kills itself');
    expectOneLine(error);
    expect(error.code).toBe('ERR_CONNECT');
    expect(error.message).toContain('was ended by SIGKILL');
    expect(error.failure).toMatchObject({ exitSignal: 'SIGKILL' });
  });

  it('when it prints nothing but junk', async () => {
    const error = await started('prints only junk', impatient);
    expectOneLine(error);
    expect(error.code).toBe('ERR_TIMEOUT');
    expect(error.message).toContain('prints text instead of messages');
    expect(error.message).toContain('what do you want?');
    expect(error.failure).toMatchObject({ limit: 'connectMs', lastLine: 'what do you want?', hint: expect.stringContaining('stdout') });
  });

  it('when it never answers', async () => {
    const error = await started('never answers', impatient);
    expectOneLine(error);
    expect(error.code).toBe('ERR_TIMEOUT');
    expect(error.message).toContain('was started but does not answer');
    expect(error.failure).toMatchObject({ phase: 'initialize', limit: 'connectMs', hint: expect.any(String) });
  });

  it('when it never answers but sends messages, which are no junk', async () => {
    const error = await started('tells, and never answers', impatient);
    expectOneLine(error);
    expect(error.code).toBe('ERR_TIMEOUT');
    expect(error.message).not.toContain('prints text');
    expect(error.failure.lastLine).toContain('notifications/message');
  });

  it('when it refuses the handshake', async () => {
    const error = await failureOf(connect(stdio({ command: process.execPath, args: ['-e', refuser] }), patient));
    expectOneLine(error);
    expect(error.code).toMatch(/^ERR_(?:CONNECT|ERA)$/);
    expect(error.message).toContain('I do not talk to strangers');
    expect(error.failure).toMatchObject({ phase: 'initialize' });
  });

  it('when it speaks another revision than the pinned one', async () => {
    const error = await failureOf(connectTo(rudeStart('prints junk, then works'), { ...patient, revision: '2025-11-25' }));
    expectOneLine(error);
    expect(error.code).toBe('ERR_ERA');
    expect(error.message).toMatch(/^The server speaks 2025-06-18, not 2025-11-25 \[.*rude-start\.mjs/);
    expect(error.failure).toMatchObject({ phase: 'initialize' });
    const newest = await failureOf(connectTo(rudeStart('prints junk, then works'), { ...patient, revision: '2026-07-28' }));
    expectOneLine(newest);
    expect(newest.code).toBe('ERR_ERA');
    expect(newest.message).toContain('2026-07-28');
  });
});

const refuser = `process.stdin.on('data', (data) => { for (const line of String(data).split('\\n').filter(Boolean)) {
  const { id } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32603, message: 'I do not talk to strangers' } }));
} })`;

it('A server that prints junk and then works is used, and the junk is warned of', async () => {
  const warnings: Warning[] = [];
  const client = await connectTo(rudeStart('prints junk, then works'), patient);
  onTestFinished(() => client.close());
  client.on('warning', (warning) => warnings.push(warning));
  expect((await client.callTool('echo', { a: 1 })).content).toEqual([{ type: 'text', text: '{"a":1}' }]);
  expect(warnings).toEqual([
    { code: 'junk', message: expect.stringContaining('Listening on port 3000') },
    { code: 'junk', message: expect.stringContaining('ready') },
  ]);
});
