import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Started } from '../../started.ts';
import { fixture, root, vivarium } from '../../vivarium.ts';

let folder: string;
const odd = [process.execPath, join(root, 'test/fixtures/odd.mjs')];
const everything = [process.execPath, join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js')];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vivarium-call-'));
  writeFileSync(join(folder, 'poem.txt'), 'two\nlines');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const call = (args: readonly string[], input = '') => vivarium(['call', ...args, '--', ...fixture], { cwd: folder, input });

describe('vivarium call', () => {
  it.each([
    [['add', 'a=1', 'b=2'], '3\n'],
    [['add', 'a:=1', 'b:=2'], '3\n'],
    [['add', '--args', '{"a":1,"b":2}'], '3\n'],
    [['add', '--args', '{"a":1,"b":5}', 'b=2'], '3\n'],
    [['echo', 'text=5'], '5\n'],
    [['echo', 'text=@poem.txt'], 'two\nlines\n'],
    [['echo', 'text=@@home'], '@home\n'],
    [['echo', 'text='], '\n'],
    [['sum', 'of=1,2,3'], '{"sum":6}\n'],
    [['sum', 'of=[1,2]'], '{"sum":3}\n'],
  ])('%j prints %j', async (args, printed) => {
    expect(await call(args)).toEqual({ code: 0, stdout: printed, stderr: '' });
  });

  it('prints words that the structured value does not hold, and then the value', async () => {
    const server = join(folder, 'worded.mjs');
    const whole = "{ content: [{ type: 'text', text: 'the whole page' }], structuredContent: { source: 'cache' } }";
    const made = `const server = new Server({ name: 'worded', version: '1' });\nserver.tool('read', {}, () => (${whole}));\nexport default server;\n`;
    writeFileSync(server, `import { Server } from ${JSON.stringify(pathToFileURL(join(root, 'dist/server/index.js')))};\n${made}`);
    const { code, stdout } = await vivarium(['call', server, 'read'], { cwd: folder });
    expect([code, stdout]).toEqual([0, 'the whole page\n{"source":"cache"}\n']);
  });

  it.each([
    [['count=5', 'all=6'], { count: 5, all: 6 }],
    [['some=1,2'], { some: [1, 2] }],
    [['some=null', 'flag=true'], { some: null, flag: true }],
    [['xml:lang=de'], { 'xml:lang': 'de' }],
  ])('reads %j as the schema means it, behind references and choices', async (args, sent) => {
    const { stdout, stderr } = await vivarium(['call', 'kinds', ...args, '--', ...odd]);
    expect([stderr, JSON.parse(stdout)]).toEqual(['', sent]);
  });

  it('lists what a server describes badly', async () => {
    const { code, stdout } = await vivarium(['list', '--', ...odd]);
    expect([code, stdout.includes('  bare()\n'), stdout.includes('  role()\n')]).toEqual([0, true, true]);
  });

  it('shows what a server leaves out of its content', async () => {
    const { code, stdout } = await vivarium(['call', 'bare', '--', ...odd]);
    const told = '[image image/png, without data]\n[blob application/octet-stream, without data]\n[{"type":"text"}]\n';
    expect([code, stdout]).toEqual([0, told]);
  });

  it.each([[['prompt', 'role']], [['prompt', 'role', '--format', 'json']], [['call', 'fail']]])(
    'shows what a terminal would obey, and does not send it there: %j',
    async (args) => {
      const { stdout, stderr } = await vivarium([...args, '--', ...odd]);
      const text = stdout + stderr;
      expect(text).toContain('red');
      expect(['\x1b', '\u009b', '\u202e'].filter((sign) => text.includes(sign))).toEqual([]);
    },
  );

  it('reports a failure as JSON that can be read, whatever the server says', async () => {
    const { code, stderr } = await vivarium(['call', 'fail', '--format', 'json', '--', ...odd]);
    expect([code, JSON.parse(stderr)]).toMatchObject([5, { exitCode: 5, error: expect.stringContaining('red\u009b0m\u202e') }]);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('ends with 130 on %s, also while the server has not answered yet', async (signal) => {
    const silent = `process.stderr.write('here\\n'); process.on('SIGTERM', () => {}); setInterval(() => {}, 1e6)`;
    const running = new Started(['call', 'add', '--verbose', '--', process.execPath, '-e', silent], { cwd: folder });
    await running.until('stderr', /here/);
    running.process.kill(signal);
    expect([await running.ended, running.stderr]).toEqual([130, 'here\nvivarium: Interrupted\n']);
  });

  it('takes all arguments from standard input', async () => {
    expect((await call(['add', '-'], '{"a":4,"b":5}')).stdout).toBe('9\n');
    expect((await call(['add', '--args', '-'], '{"a":4,"b":6}')).stdout).toBe('10\n');
  });

  it.each([
    [['add', 'a=1'], 2, '/b is required'],
    [['add', 'a=one', 'b=2'], 2, 'The arguments do not fit'],
    [['add', 'a=1', 'b:={'], 2, 'b is no JSON'],
    [['add', 'nothing'], 2, '"nothing" is no argument'],
    [['echo', 'text=@nowhere.txt'], 2, 'There is no file nowhere.txt'],
    [['echo', 'text=@.'], 2, '. is a folder'],
    [['add', 'a=1', 'b=12345678901234567890'], 2, 'more than a number can hold exactly'],
    [['add', 'a=1', 'b=2', '-o', 'no/such/folder'], 2, 'cannot be written'],
    [['add', 'a=1', 'b=2', '-o', '.'], 2, 'it is a folder'],
    [['add', 'a=1', 'b=2', '--save', 'poem.txt'], 2, 'it is no folder'],
    [['add', 'a=1', 'b=2', '--log', 'no/such/log'], 2, 'cannot be written'],
    [['add', '--args', '[1]'], 2, '--args must hold a JSON object'],
    [['ad'], 5, 'Did you mean add?'],
    [[], 2, 'Which tool?'],
    [['fail'], 5, 'it broke'],
    [['wait', 'ms=60000', '--timeout', '50ms'], 4, 'doctor'],
    [['add', '--header', 'a: b'], 2, '--header is for a server at a URL'],
    [['add', '--spec-version', '2020-01-01'], 2, 'There is no revision'],
  ])('%j ends with %d and says %j', async (args, code, said) => {
    const ended = await call(args);
    expect(ended.stderr).toContain(said);
    expect([ended.code, ended.stdout]).toEqual([code, '']);
  });

  it('sends what does not fit when it is told not to check', async () => {
    const { code, stderr } = await call(['add', 'a=1', '--no-check']);
    expect(code).toBe(5);
    expect(stderr).toContain('/b is required');
  });

  it('saves images, and says where', async () => {
    const { stdout } = await call(['picture', '--save', 'pictures']);
    expect(stdout).toContain(`[image image/png, 3 bytes: ${join('pictures', 'picture-1.png')}]`);
    expect(readdirSync(join(folder, 'pictures'))).toEqual(['picture-1.png']);
  });

  it('shows progress on stderr, and nothing of it when quiet', async () => {
    const { stdout, stderr } = await call(['steps', 'steps=3']);
    expect(stderr).toMatch(/^progress: 1\/3/);
    expect(stdout).not.toContain('progress');
    expect((await call(['steps', 'steps=3', '--quiet'])).stderr).toBe('');
  });

  it('gives the whole result as JSON, also of a tool that failed', async () => {
    expect(JSON.parse((await call(['add', 'a=1', 'b=2', '--format', 'json'])).stdout)).toMatchObject({
      content: [{ type: 'text', text: '3' }],
    });
    const failed = await call(['fail', '--format', 'json']);
    expect([failed.code, JSON.parse(failed.stdout).isError]).toEqual([5, true]);
  });

  it('writes to a file, and every message to a log with secrets masked', async () => {
    const { stdout } = await call(['echo', 'text=Bearer abcdefgh12345', '-o', 'out.txt', '--log', 'wire.jsonl']);
    expect(stdout).toBe('');
    expect(readFileSync(join(folder, 'out.txt'), 'utf8')).toBe('Bearer abcdefgh12345\n');
    const log = readFileSync(join(folder, 'wire.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(log.some(({ from, message }) => from === 'client' && message.method === 'tools/call')).toBe(true);
    expect(JSON.stringify(log)).not.toContain('abcdefgh12345');
  });

  it('answers the question of an official server from the command line', async () => {
    const ask = ['call', 'trigger-elicitation-request', '--answer', 'name=Ada'];
    const answered = await vivarium([...ask, '--answer', 'check=yes', '--', ...everything]);
    expect(answered.stdout).toContain('- Name: Ada\n- Agreed to terms: true');
    const odd = await vivarium([...ask, '--answer', 'integer=many', '--', ...everything]);
    expect([odd.stderr, odd.stdout.includes('declined')]).toEqual(['  many is no such number\n', true]);
    const { code, stdout } = await vivarium(['call', 'echo', 'message=hello', '--', ...everything]);
    expect([code, stdout]).toEqual([0, 'Echo: hello\n']);
  });
});

describe('vivarium list, read and prompt', () => {
  it('lists an official server as signatures', async () => {
    const { code, stdout } = await vivarium(['list', '--', ...everything]);
    expect(code).toBe(0);
    expect(stdout).toContain('echo(message: string)');
    expect(stdout).toMatch(/^Resources: \d+$/m);
    expect(stdout).toMatch(/^Prompts: \d+$/m);
  });

  it('lists one kind, as JSON for scripts', async () => {
    const { stdout } = await vivarium(['list', 'prompts', '--format', 'json', '--', ...everything]);
    const { server, revision, prompts, tools } = JSON.parse(stdout);
    expect([typeof server.name, typeof revision, Array.isArray(prompts), tools]).toEqual(['string', 'string', true, undefined]);
  });

  it('speaks the revision it is told to', async () => {
    for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']) {
      const { stdout } = await vivarium(['list', 'tools', '--spec-version', revision, '--', ...fixture]);
      expect(stdout).toContain(`(${revision})`);
    }
  });

  it('reads a resource, and gets a prompt', async () => {
    const { resources } = JSON.parse((await vivarium(['list', 'resources', '--format', 'json', '--', ...everything])).stdout);
    const read = await vivarium(['read', resources[0].uri, '--', ...everything]);
    expect([read.code, read.stdout.length > 0]).toEqual([0, true]);
    const { prompts } = JSON.parse((await vivarium(['list', 'prompts', '--format', 'json', '--', ...everything])).stdout);
    const plain = prompts.find((one: { arguments?: unknown[] }) => (one.arguments ?? []).length === 0);
    const got = await vivarium(['prompt', plain.name, '--', ...everything]);
    expect([got.code, got.stdout.startsWith('[user]\n')]).toEqual([0, true]);
  });

  it('says what a prompt needs', async () => {
    const { prompts } = JSON.parse((await vivarium(['list', 'prompts', '--format', 'json', '--', ...everything])).stdout);
    const needy = prompts.find((one: { arguments?: { required?: boolean }[] }) => one.arguments?.some(({ required }) => required));
    const { code, stderr } = await vivarium(['prompt', needy.name, '--', ...everything]);
    expect([code, stderr.includes('needs')]).toEqual([2, true]);
  });

  it('says the server’s error for a resource that is not there', async () => {
    const { code, stderr } = await vivarium(['read', 'demo://nowhere', '--', ...everything]);
    expect([code, stderr.includes('The server answered with the error')]).toEqual([5, true]);
  });
});
