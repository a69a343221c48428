// vivarium live --audit, as the built package does it: what was evaluated stays known, whatever becomes of the server.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { AuditRecord, AuditStart } from 'vivarium/live';
import { notRun } from '../../../scripts/prepare.mjs';
import { main, Started } from '../../cli/started.ts';
import { eventually, openLab } from '../../live/fixture.ts';
import { call, initialize } from '../../serve/http.ts';

let home: string;
let project: string;
let log: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'audit-cli-'));
  project = join(home, 'project');
  log = join(home, 'audit.jsonl');
  mkdirSync(project);
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const environment = (): Record<string, string> => ({ HOME: home, XDG_STATE_HOME: join(home, '.local/state') });

function start(command: string, ...args: readonly string[]): Started {
  return new Started([command, ...args], { cwd: project, env: environment() });
}

function send(live: Started, ...messages: readonly object[]): void {
  for (const message of messages) live.process.stdin.write(`${JSON.stringify(message)}\n`);
}

const evaluate = (id: number, code: string, more: object = {}): object => call(id, 'evaluate', { code, ...more });

function records(file = log): AuditRecord[] {
  const text = readFileSync(file, 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditRecord);
}

const evaluations = (): AuditStart[] => records().filter((one): one is AuditStart => one.event === 'start' && one.operation === 'evaluate');

describe('the audit log of vivarium live', () => {
  it('has the text of an evaluation whose server was killed while it ran', async () => {
    const live = start('live', '--audit', log);
    send(live, initialize(), evaluate(2, 'require("node:fs").writeFileSync("runs", ""); for (;;);'));
    await eventually(() => readFileSync(join(project, 'runs'), 'utf8')).toBe('');
    live.process.kill('SIGKILL');
    await live.ended;
    const [one] = evaluations();
    expect(one).toMatchObject({ transport: 'stdio', text: expect.stringContaining('for (;;);') });
    expect(records().some((record) => record.event === 'end' && record.id === one?.id)).toBe(false);
  });

  it('names the person who comes by the local socket, beside the agent', async () => {
    const live = start('live', '--audit', log);
    send(live, initialize(), evaluate(2, '1'));
    await live.until('stdout', /=> 1/);
    await eventually(async () => {
      const person = start('eval', '40 + 2');
      await person.ended;
      return person.stderr.includes('No server runs') ? '' : person.stdout;
    }).toBe('=> 42\n');
    expect(evaluations()).toMatchObject([
      { transport: 'stdio', text: '1' },
      { transport: 'local socket', principal: 'local', text: '40 + 2', client: expect.stringMatching(/^vivarium-eval /) },
    ]);
  });

  it('names the principal of a caller over HTTP', async () => {
    const live = start('live', '--http', '0', '--audit', log);
    const [, url = ''] = await live.until('stderr', / is served at (http:[^,\s]+)/);
    const token = readFileSync(join(home, '.local/state/vivarium/live/token'), 'utf8').trim();
    const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const opened = await fetch(url, { method: 'POST', headers, body: JSON.stringify(initialize()) });
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' };
    const body = JSON.stringify(evaluate(2, '6 * 7', { session: undefined }));
    expect(await (await fetch(url, { method: 'POST', headers: { ...headers, ...session }, body })).text()).toContain('=> 42');
    expect(evaluations()).toMatchObject([{ transport: 'http', principal: 'token-1', text: '6 * 7' }]);
    expect(readFileSync(log, 'utf8')).not.toContain(token);
  });

  it('has whole lines only, with several servers and sessions at a time', async () => {
    const code = (id: number): string => `"${String(id).repeat(20_000)}".length`;
    const servers = [start('live', '--audit', log), start('live', '--audit', log)];
    for (const [at, live] of servers.entries()) {
      send(live, initialize(), ...[1, 2, 3, 4].map((id) => evaluate(id + 10, code(at * 4 + id), { session: undefined })));
    }
    for (const live of servers) await live.until('stdout', /"id":14/);
    expect(
      evaluations()
        .map(({ text }) => text)
        .sort(),
    ).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map(code));
  });

  it('goes on in a new file when it was rotated', async () => {
    const live = start('live', '--audit', log);
    send(live, initialize(), evaluate(2, '"before"'));
    await live.until('stdout', /=> 'before'/);
    renameSync(log, `${log}.1`);
    send(live, evaluate(3, '"after"'));
    await live.until('stdout', /=> 'after'/);
    expect(records(`${log}.1`).some((one) => one.event === 'start' && one.text === '"before"')).toBe(true);
    expect(evaluations().map(({ text }) => text)).toEqual(['"after"']);
  });

  it('is refused at the start where it is a link, which may lead to a file that must not be written to', async () => {
    writeFileSync(join(home, 'precious'), 'as it was');
    symlinkSync(join(home, 'precious'), log);
    const live = start('live', '--audit', log);
    expect(await live.ended).toBe(2);
    expect(live.stderr).toContain('is a symbolic link');
    expect(readFileSync(join(home, 'precious'), 'utf8')).toBe('as it was');
  });
});

describe.skipIf(notRun('bubblewrap'))('the audit log', () => {
  it('on a full disk refuses evaluations, and runs nothing of them', async () => {
    // A folder of 32 KiB, which nobody else can fill.
    const small = join(home, 'small');
    mkdirSync(small);
    const args = [
      '--dev-bind',
      '/',
      '/',
      '--size',
      '32768',
      '--tmpfs',
      small,
      process.execPath,
      main,
      'live',
      '--audit',
      join(small, 'log'),
    ];
    const child = spawn('/usr/bin/bwrap', args, { cwd: project, env: { ...process.env, ...environment() } });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const answered = (id: number) => eventually(() => said.includes(`"id":${id}`) && said).toEqual(expect.stringContaining(`"id":${id}`));
    const ask = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
    ask(initialize());
    ask(evaluate(2, '"room".length'));
    await answered(2);
    expect(said).toContain('=> 4');
    ask(evaluate(3, `require("node:fs").writeFileSync("ran", "${'x'.repeat(60_000)}")`));
    await answered(3);
    expect(said).toContain('the audit log cannot be written (ENOSPC). Nothing was run.');
    expect(() => readFileSync(join(project, 'ran'))).toThrow('ENOENT');
    ask(evaluate(4, '"small".length'));
    await answered(4);
  });

  it('is out of reach of code in a sandbox, and refused where it would not be', async () => {
    const file = join(home, 'kept', 'audit.jsonl');
    mkdirSync(join(home, 'kept'));
    await using lab = await openLab({ sandbox: true, audit: { file } });
    expect((await lab.evaluate(`require('node:fs').readFileSync(${JSON.stringify(file)}, 'utf8')`)).head).toContain('ENOENT');
    expect(readFileSync(file, 'utf8')).toContain('readFileSync');
    await expect(openLab({ sandbox: true, cwd: project, audit: { file: join(project, 'audit.jsonl') } })).rejects.toThrow(
      'is in the project',
    );
    const inside = start('live', '--sandbox-write', '--cwd', project, '--audit', join(project, 'audit.jsonl'));
    expect(await inside.ended).toBe(2);
    expect(inside.stderr).toContain('is in the project, which code in the sandbox sees');
  });
});
