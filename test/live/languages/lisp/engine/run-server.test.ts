// A Lisp of the user's own: sbcl --load run-server.lisp, worked in while it runs, or serving by itself.
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { notRun } from '../../../../../scripts/prepare.mjs';
import { eventually, type Lab, openLab } from '../../../fixture.ts';

const runServer = fileURLToPath(new URL('../../../../../dist/live/languages/lisp/bridge/run-server.lisp', import.meta.url));
const main = fileURLToPath(new URL('../../../../../dist/cli/main.js', import.meta.url));
const program = '(defvar *visits* 40) (defun visit () (incf *visits*)) (loop (sleep 0.05))';

interface Running {
  readonly child: ChildProcess;
  readonly session: string;
  readonly socket: string;
  printed: string;
}

async function begin(lab: Lab): Promise<Running> {
  const args = ['--noinform', '--non-interactive', '--no-userinit', '--load', runServer, '--eval', `(progn ${program})`];
  const child = spawn('sbcl', args, { cwd: lab.folder, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const socket = join(lab.folder, '.vivarium', `here-lisp-${child.pid}.sock`);
  const running: Running = { child, session: `here-lisp-${child.pid}`, socket, printed: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      running.printed += text;
    });
  }
  await eventually(() => running.printed).toContain(`works in this image: ${socket}`);
  return running;
}

describe.skipIf(notRun('sbcl'))('a Lisp with run-server.lisp', () => {
  it('is found by --attach, and its own state is looked at and changed', async () => {
    await using lab = await openLab({ attach: true });
    const { child, session } = await begin(lab);
    expect((await lab.call('sessions', { action: 'list' })).text).toContain(session);
    expect(await lab.value('(sb-posix:getpid)', { session })).toBe(String(child.pid));
    await eventually(() => lab.value("(and (fboundp 'visit) t)", { session })).toBe('T');
    expect(await lab.value('(visit)', { session })).toBe('41');
    expect((await lab.call('inspect', { target: '*visits*', session })).text).toContain('41');
    expect((await lab.call('lookup', { name: 'visit', session })).text).toContain('VISIT');
    expect((await lab.evaluate('(format t "seen~%") (/ *visits* 0)', { session })).text).toMatch(/DIVISION-BY-ZERO[\s\S]*seen/);
  });

  it('says where it is to be loaded from when it was copied without its files', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'live-copied-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    copyFileSync(runServer, join(folder, 'run-server.lisp'));
    const child = spawn('sbcl', ['--noinform', '--non-interactive', '--no-userinit', '--load', 'run-server.lisp'], { cwd: folder });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    for await (const text of child.stderr.setEncoding('utf8')) said += String(text);
    expect(said).toMatch(/run-server\.lisp needs the files that come with it: load it where it was installed/);
  });

  it('goes on in the debugger of the tools, and keeps what the person at it sees', async () => {
    await using lab = await openLab({ attach: true });
    const { session, child } = await begin(lab);
    expect((await lab.evaluate('(1+ unheard-of)', { session, on_error: 'pause' })).head).toContain('[PAUSED]');
    expect((await lab.call('debug', { action: 'restart', restart: 1, value: '41', session })).head).toBe('=> 42');
    expect(await lab.value('*', { session })).toBe('42');
    expect(await lab.value('(symbol-global-value (quote *))', { session, package: 'sb-ext' })).toBe('NIL');
    expect(child.exitCode).toBe(null);
  });

  it('is left running whatever is stopped in it, is never emptied, and can be come back to', async () => {
    await using lab = await openLab({ attach: true });
    const { child, session } = await begin(lab);
    await eventually(() => lab.value("(and (fboundp 'visit) t)", { session })).toBe('T');
    expect((await lab.evaluate('(loop)', { session, timeout_ms: 300 })).head).toContain('[INTERRUPTED]');
    expect((await lab.call('sessions', { action: 'reset', session })).text).toContain('cannot be emptied from here');
    expect((await lab.call('sessions', { action: 'close', session })).text).toContain('is left, and goes on');
    expect(await lab.value('(visit)', { session })).toBe('41');
    expect(child.exitCode).toBe(null);
  });

  it('goes on after an evaluation that ends its thread, and ends at once when the program does', async () => {
    await using lab = await openLab({ attach: true });
    const { child, session } = await begin(lab);
    await lab.value('(defvar *kept* 42)', { session });
    const answer = await lab.evaluate('(sb-thread:abort-thread)', { session, timeout_ms: 10_000 });
    expect(answer.head).toBe('[ERROR] THREAD-ENDED: The program ended the thread it ran in. The session and its values were kept.');
    expect(await lab.value('*kept*', { session })).toBe('42');
    const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
    await lab.evaluate('(sb-ext:exit :code 3)', { session });
    expect(await ended).toBe(3);
  });

  it('stops what runs for a server that has gone, and lets the next one in', async () => {
    await using first = await openLab({ attach: true });
    const { session } = await begin(first);
    await using second = await openLab({ attach: true, cwd: first.folder });
    expect((await first.evaluate('(defvar *turns* 0) (loop (incf *turns*) (sleep 0.01))', { session, wait_ms: 200 })).head).toContain(
      '[RUNNING]',
    );
    expect((await second.evaluate('1', { session })).text).toContain('somebody else works in it');
    await first.client.close();
    await first.end();
    await eventually(async () => (await second.evaluate('1', { session })).head).toBe('=> 1');
    const turns = await second.value('*turns*', { session });
    expect(await second.value('(progn (sleep 0.1) *turns*)', { session })).toBe(turns);
  });

  it('opens its socket for its own user only, and takes it away at its end', async () => {
    await using lab = await openLab({ attach: true });
    const { child, socket, printed } = await begin(lab);
    expect(statSync(join(lab.folder, '.vivarium')).mode & 0o777).toBe(0o700);
    await eventually(() => statSync(socket).mode & 0o777).toBe(0o600);
    expect(printed).not.toContain('WARNING');
    child.kill('SIGTERM');
    await eventually(() => existsSync(socket)).toBe(false);
  });

  it('ends by a SIGTERM also where the system hands it to the thread of finalizers, where SBCL loses it', async () => {
    await using lab = await openLab({ attach: true });
    const { child, session, socket } = await begin(lab);
    const tasks = `/proc/${child.pid}/task`;
    const finalizer = readdirSync(tasks).find((task) => readFileSync(join(tasks, task, 'comm'), 'utf8').startsWith('finalizer'));
    const send = `(sb-alien:alien-funcall (sb-alien:extern-alien "tgkill" (function sb-alien:int sb-alien:int sb-alien:int sb-alien:int)) ${child.pid} ${finalizer} 15)`;
    const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
    await lab.evaluate(send, { session });
    expect(await ended).toBe(0);
    expect(existsSync(socket)).toBe(false);
  });

  it('is worked in by vivarium live --attach, and left running when that ends', async () => {
    await using lab = await openLab();
    const { child, session } = await begin(lab);
    const client = new Client({ name: 'test', version: '1.0.0' });
    const args = [main, 'live', '--language', 'lisp', '--attach'];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: lab.folder, stderr: 'ignore' }));
    const call = async (name: string, given: Record<string, unknown>): Promise<string> => {
      const { content } = await client.callTool({ name, arguments: given });
      return (content as { text: string }[]).map(({ text }) => text).join('');
    };
    expect(await call('sessions', { action: 'list' })).toContain(session);
    await eventually(() => call('evaluate', { code: "(and (fboundp 'visit) t)", session })).toBe('=> T');
    expect(await call('evaluate', { code: '(visit)', session })).toBe('=> 41');
    expect(await call('evaluate', { code: '(sb-posix:getpid)', session })).toBe(`=> ${child.pid}`);
    // Its own image is another.
    expect(await call('evaluate', { code: "(fboundp 'visit)" })).toMatch(/^=> NIL/);
    await client.close();
    expect(child.exitCode).toBe(null);
    await using later = await openLab({ attach: true, cwd: lab.folder });
    await eventually(async () => (await later.evaluate('*visits*', { session })).head).toBe('=> 41');
  });

  it('is said to be gone when it has ended', async () => {
    await using lab = await openLab({ attach: true });
    const { child, session } = await begin(lab);
    await lab.evaluate('1', { session });
    child.kill('SIGKILL');
    await eventually(async () => (await lab.evaluate('1', { session })).head).toContain('[STATE LOST]');
  });
});

async function connected(): Promise<{
  readonly client: Client;
  readonly errors: Error[];
  readonly cwd: string;
  evaluate(code: string, signal?: AbortSignal): Promise<string>;
}> {
  const cwd = mkdtempSync(join(tmpdir(), 'run-server-'));
  const client = new Client({ name: 'test', version: '1.0.0' });
  const errors: Error[] = [];
  client.onerror = (error) => errors.push(error);
  const args = ['--noinform', '--no-userinit', '--load', runServer, '--eval', '(vivarium:serve)'];
  await client.connect(new StdioClientTransport({ command: 'sbcl', args, cwd, stderr: 'ignore' }));
  onTestFinished(async () => {
    await client.close();
    rmSync(cwd, { recursive: true, force: true });
  });
  const evaluate = async (code: string, signal?: AbortSignal): Promise<string> => {
    const { content } = await client.callTool(
      { name: 'evaluate-lisp', arguments: { code } },
      undefined,
      signal === undefined ? {} : { signal },
    );
    return (content as { text: string }[]).map(({ text }) => text).join('');
  };
  return { client, errors, cwd, evaluate };
}

describe.skipIf(notRun('sbcl'))('sbcl --load run-server.lisp --eval (vivarium:serve)', () => {
  it('serves an official client by itself, with values, output, conditions and state', async () => {
    const { client, errors, evaluate } = await connected();
    expect(client.getServerVersion()).toMatchObject({ name: 'vivarium-lisp' });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['evaluate-lisp']);
    await client.ping();
    expect(await evaluate('(+ 1 2 3)')).toBe('=> 6');
    expect(await evaluate('(floor 17 5)')).toBe('=> 3\n=> 2');
    expect(await evaluate('(defvar *x* 41) (format t "hé🌱~%") (1+ *x*)')).toBe('[stdout]\nhé🌱\n\n=> 42');
    expect(await evaluate('(/ *x* 0)')).toMatch(/^\[ERROR\] DIVISION-BY-ZERO\n[\s\S]+\n\n\[Backtrace\]\n0: \(\/ 41 0\)\n\.\.\.$/);
    expect(await evaluate('(defun unused () (let ((y 1)) 2))')).toMatch(/^\[warnings\]\nSTYLE-WARNING: [\s\S]*\n\n=> UNUSED$/);
    expect(errors).toEqual([]);
  });

  it('keeps stdout for messages, whoever writes to it, and never waits at stdin', async () => {
    const { errors, evaluate } = await connected();
    expect(await evaluate('(sb-ext:run-program "/bin/echo" (list "from a child") :output t) 1')).toMatch(/=> 1$/);
    expect(await evaluate('(sb-thread:join-thread (sb-thread:make-thread (lambda () (print 7) (finish-output) 8)))')).toBe('=> 8');
    expect(await evaluate('(progn (write-line "raw" sb-sys:*stdout*) (finish-output sb-sys:*stdout*) 2)')).toBe('=> 2');
    expect(await evaluate('(read-line)')).toContain('[ERROR] END-OF-FILE');
    expect(errors).toEqual([]);
  });

  it('tells of what is printed while nobody asks anything with the next answer, within bounds', async () => {
    const { errors, evaluate } = await connected();
    await evaluate('(defvar *go* nil)');
    await evaluate(
      '(let ((out *standard-output*)) (sb-thread:make-thread (lambda () (loop until *go*) (write-line "idle words" out) (finish-output out))) 1)',
    );
    let told = await evaluate('(setf *go* t)');
    await eventually(async () => {
      told += await evaluate('1');
      return told;
    }).toContain('idle words');
    const flood = await evaluate('(dotimes (i 200000) (write-line "again")) 1');
    expect(flood).toMatch(/\n\(\d+ characters more\)\n\n=> 1$/);
    expect(flood.length).toBeLessThan(60_000);
    expect(await evaluate('2')).toBe('=> 2');
    expect(errors).toEqual([]);
  });

  it('stops what is cancelled, and goes on with its state', async () => {
    const { evaluate } = await connected();
    await evaluate('(defvar *kept* 7)');
    const cancel = new AbortController();
    const endless = evaluate('(loop)', cancel.signal);
    cancel.abort();
    await expect(endless).rejects.toThrow();
    expect(await evaluate('*kept*')).toBe('=> 7');
  });

  it('says nothing of a compilation that a cancellation has aborted; what the program printed comes with the next answer', async () => {
    const { evaluate, cwd } = await connected();
    const cancel = new AbortController();
    const compiling = `(with-compilation-unit () (write-line "said") (with-open-file (sign "begun" :direction :output)) (loop))`;
    const endless = evaluate(compiling, cancel.signal);
    await eventually(() => existsSync(join(cwd, 'begun'))).toBe(true);
    cancel.abort();
    await expect(endless).rejects.toThrow();
    expect(await evaluate('7')).toBe('[stdout]\nsaid\n\n=> 7');
    expect(await evaluate('8')).toBe('=> 8');
  });

  it('goes on after an evaluation that ends its thread', async () => {
    const { evaluate } = await connected();
    await evaluate('(defvar *kept* 7)');
    expect(await evaluate('(sb-thread:abort-thread)')).toMatch(/^\[ERROR\] THREAD-ENDED\n/);
    expect(await evaluate('*kept*')).toBe('=> 7');
  });

  it('answers what is wrong with the right error, whatever it is, and goes on', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'run-server-'));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    const child = spawn('sbcl', ['--noinform', '--no-userinit', '--load', runServer, '--eval', '(vivarium:serve)'], {
      cwd,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const initialize = (id: number, protocolVersion: string): object => ({
      jsonrpc: '2.0',
      id,
      method: 'initialize',
      params: { protocolVersion, capabilities: {}, clientInfo: { name: 't', version: '1' } },
    });
    const lines: (object | string)[] = [
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      initialize(2, '2025-03-26'),
      initialize(3, '2025-03-26'),
      'nonsense',
      `${'['.repeat(5_000)}`,
      '{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}',
      '{"jsonrpc":"2.0","id":null,"method":"tools/list"}',
      { 'not-jsonrpc': '2.0', method: 'initialize' },
      { jsonrpc: '2.0', id: 'a' },
      { jsonrpc: '2.0', id: 4, method: 'resources/list' },
      { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { arguments: {} } },
      { jsonrpc: '2.0', id: 6, method: 'tools/call', params: { name: 'other' } },
      { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'evaluate-lisp', arguments: { code: 5 } } },
      { jsonrpc: '2.0', method: 'notifications/unheard-of' },
      { jsonrpc: '2.0', id: 99, result: {} },
      [{ jsonrpc: '2.0', id: 8, method: 'ping' }, { jsonrpc: '2.0', method: 'notifications/x' }, 7],
      [],
      { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'evaluate-lisp', arguments: { code: '(+ 1 2' } } },
      {
        jsonrpc: '2.0',
        id: 10,
        method: 'tools/call',
        params: { name: 'evaluate-lisp', arguments: { code: '(package-name *package*)', package: 'sb-ext' } },
      },
    ];
    child.stdin.end(lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));
    const code = await new Promise((resolve) => child.once('close', resolve));
    const answers = said
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const brief = ({ id, result, error }: { id: unknown; result?: { isError?: boolean }; error?: { code: number } }): unknown => [
      id,
      error?.code ?? (result?.isError === true ? 'isError' : 'ok'),
    ];
    expect(answers.map((one) => (Array.isArray(one) ? one.map(brief) : brief(one)))).toEqual([
      [1, -32600],
      [2, 'ok'],
      [3, -32600],
      [null, -32700],
      [null, -32700],
      [null, -32600],
      [null, -32600],
      [null, -32600],
      ['a', -32600],
      [4, -32601],
      [5, -32602],
      [6, -32602],
      [7, -32602],
      [
        [8, 'ok'],
        [null, -32600],
      ],
      [null, -32600],
      [9, 'isError'],
      [10, 'ok'],
    ]);
    expect(answers.at(-1)?.result.content).toEqual([{ type: 'text', text: '=> "SB-EXT"' }]);
    expect(answers[4]).toEqual({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error', data: 'The line is no JSON' } });
    expect(code).toBe(0);
  });
});
