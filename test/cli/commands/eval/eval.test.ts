// vivarium eval, as the built package does it: a person beside the agent.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { staticToken } from 'vivarium/auth';
import { connect } from 'vivarium/client';
import { http } from 'vivarium/connect/http';
import { notRun } from '../../../../scripts/prepare.mjs';
import { runFolder } from '../../../../src/node/user-folders.ts';
import { call, initialize } from '../../../serve/http.ts';
import { Started } from '../../started.ts';

let home: string;
let project: string;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'eval-cli-')));
  project = join(home, 'project');
  mkdirSync(join(project, 'src'), { recursive: true });
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

function start(args: readonly string[], cwd: string = project): Started {
  return new Started(args, { cwd, env: { HOME: home, XDG_STATE_HOME: join(home, '.local/state'), XDG_CACHE_HOME: join(home, '.cache') } });
}

async function evaluated(args: readonly string[], cwd: string = project): Promise<{ code: number | null; out: string; err: string }> {
  const started = start(['eval', ...args], cwd);
  started.process.stdin.end();
  return { code: await started.ended, out: started.stdout, err: started.stderr };
}

/** An agent on stdio that has said hello. */
async function agent(): Promise<Started> {
  const live = start(['live']);
  live.process.stdin.write(`${JSON.stringify(initialize())}\n`);
  await live.until('stdout', /"id":0|"protocolVersion"/);
  return live;
}

const ask = (live: Started, id: number, code: string): void =>
  void live.process.stdin.write(`${JSON.stringify(call(id, 'evaluate', { code }))}\n`);

describe('vivarium eval without a server', () => {
  it('evaluates in an image of its own, and says so', async () => {
    const { code, out, err } = await evaluated(['1 + 1']);
    expect([code, out]).toEqual([0, '=> 2\n']);
    expect(err).toContain(`No server runs for ${project}`);
  });

  it('reads code from standard input', async () => {
    const started = start(['eval', '-']);
    started.process.stdin.end('const words = ["a", "b"]\nwords.length');
    expect(await started.ended).toBe(0);
    expect(started.stdout).toBe('=> 2\n');
  });

  it.skipIf(notRun('sbcl'))(
    'evaluates in the language that is named, also by another name of it',
    async () => {
      expect(await evaluated(['--language', 'lisp', '(values (+ 1 2) :two)'])).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^=> 3\n=> :TWO\n/),
      });
      // The command has ended, and what it began for the next one is finished all the same.
      await expect.poll(() => readdirSync(join(home, '.cache/vivarium')), { timeout: 60_000 }).toEqual([expect.stringMatching(/\.core$/)]);
      expect(await evaluated(['--language', 'cl', '(error "no ~a" 1)'])).toMatchObject({
        code: 5,
        out: '',
        err: expect.stringContaining('[ERROR] SIMPLE-ERROR: no 1'),
      });
      expect(await evaluated(['--language', 'st', '3 + 4'])).toMatchObject({ code: 0, out: '=> 7\n' });
      expect(await evaluated(['--language', 'cobol', 'STOP RUN'])).toMatchObject({
        code: 2,
        err: expect.stringContaining('There is no language "cobol"'),
      });
      // In a home that is new each time SBCL has the bridge to compile.
    },
    120_000,
  );

  it('ends with 5 when the code fails, and shows what controls a terminal instead of obeying it', async () => {
    const { code, out, err } = await evaluated(['throw new Error("\\u001b]0;title\\u0007 \\u202e")']);
    expect([code, out]).toEqual([5, '']);
    expect(err).toContain('[ERROR] Error: ');
    expect(err).not.toContain('on_error');
    for (const control of ['\u001b', '\u0007', '\u202e']) expect(err).not.toContain(control);
    const printed = await evaluated(['console.log("\\u001b[31mred"); "\\u009b"']);
    for (const control of ['\u001b', '\u009b']) expect(printed.out).not.toContain(control);
  });

  it('prints a result and a failure as JSON of the same shape, for a script', async () => {
    const done = await evaluated(['--format', 'json', '6 * 7']);
    expect([done.code, JSON.parse(done.out)]).toMatchObject([0, { content: [{ text: '=> 42' }], structuredContent: { status: 'ok' } }]);
    const failed = await evaluated(['--format', 'json', 'throw new Error("no")']);
    expect([failed.code, JSON.parse(failed.out)]).toMatchObject([
      5,
      { isError: true, content: [{ text: expect.stringContaining('[ERROR] Error: no') }], structuredContent: { status: 'error' } },
    ]);
    expect(failed.err).not.toContain('[ERROR]');
  });

  it('starts nothing where there is nothing to evaluate or to list', async () => {
    for (const args of [[], ['-'], [' ']]) {
      expect(await evaluated(args)).toEqual({ code: 2, out: '', err: expect.stringMatching(/^vivarium: There is no code to evaluate\n/) });
    }
    const listed = await evaluated(['--sessions']);
    expect(listed).toMatchObject({ code: 4, out: '' });
    expect(listed.err).toMatch(/^vivarium: No server runs for .*, so there are no sessions\n {2}Start one: vivarium live\n$/);
  });

  it('refuses what it cannot do', async () => {
    expect(await evaluated(['1', '+', '1'])).toMatchObject({ code: 2 });
    expect(await evaluated(['--cwd', 'nowhere', '1'])).toMatchObject({ code: 2 });
    expect(await evaluated(['--session', 's-1', '1'])).toMatchObject({ code: 4 });
    expect(await evaluated(['--server', '1', '1'])).toMatchObject({ code: 4 });
  });
});

describe('vivarium eval beside an agent on stdio', () => {
  it('says that something else runs there, and Ctrl-C takes its own back and leaves that alone', async () => {
    const live = await agent();
    ask(live, 2, 'let go; const work = new Promise((done) => { go = done; }); console.log("begun"); await work; "agent is done"');
    const person = start(['eval', 'go("person")']);
    person.process.stdin.end();
    await person.until('stderr', /Something else runs there: yours comes after it/);
    person.process.kill('SIGINT');
    expect(await person.ended).toBe(130);
    expect(person.stderr).toContain('It was taken back before it began; what runs there goes on.');
    live.process.stdin.write(`${JSON.stringify(call(3, 'sessions', { action: 'list' }))}\n`);
    await live.until('stdout', /main {2}javascript {2}busy {2}generation 1/);
  });

  it('shares its session, both ways, from any folder of the project', async () => {
    const live = await agent();
    ask(live, 2, 'shared = { from: "agent" }');
    await live.until('stdout', /from: 'agent'|from: \\"agent\\"|"id":2/);
    expect(await evaluated(['shared.from'])).toMatchObject({ code: 0, out: expect.stringContaining('agent'), err: '' });
    const below = await evaluated(['--session', 'main', 'shared.by = "person"'], join(project, 'src'));
    expect(below).toMatchObject({ code: 0, err: `In the server of ${project}\n` });
    ask(live, 3, 'shared.by');
    await live.until('stdout', /"id":3.*person|person.*"id":3/);
  });

  it.skipIf(notRun('sbcl'))('has a session of each language, in which Ctrl-C stops what runs and keeps the rest', async () => {
    await agent();
    const lisp = (code: string) => evaluated(['--language', 'lisp', code]);
    expect(await lisp('(defvar *kept* 7)')).toMatchObject({ code: 0, out: expect.stringMatching(/^=> \*KEPT\*\n/) });
    const looping = start(['eval', '--language', 'cl', '(loop)']);
    for (;;) {
      const { out } = await evaluated(['--sessions']);
      if (/main-lisp.*busy/.test(out)) break;
    }
    looping.process.kill('SIGINT');
    expect(await looping.ended).toBe(130);
    expect(looping.stderr).toContain('[INTERRUPTED] on request');
    expect(await lisp('(1+ *kept*)')).toMatchObject({ code: 0, out: '=> 8\n' });
  });

  it('names a session that is not there as such', async () => {
    await agent();
    const { code, err } = await evaluated(['--session', 's-nobody', '1']);
    expect([code, err]).toEqual([5, expect.stringContaining('There is no session s-nobody')]);
  });

  it('Ctrl-C stops what runs and keeps the session', async () => {
    await agent();
    await evaluated(['kept = 7']);
    const looping = start(['eval', 'console.log("looping"); for (;;);']);
    // Busy is what the other side says.
    for (;;) {
      const { out } = await evaluated(['--sessions']);
      if (/main.*busy/.test(out)) break;
    }
    looping.process.kill('SIGINT');
    expect(await looping.ended).toBe(130);
    expect(looping.stderr).toContain('[INTERRUPTED]');
    expect(await evaluated(['kept'])).toMatchObject({ code: 0, out: '=> 7\n' });
  });

  it('names other servers only where they run', async () => {
    const killed = await agent();
    killed.process.kill('SIGKILL');
    await killed.ended;
    const first = await agent();
    expect(await evaluated(['1'])).toMatchObject({ code: 0, err: '' });
    const second = await agent();
    const { err } = await evaluated(['1']);
    expect(err).toBe(`In the server with pid ${second.process.pid}; others run too: --server ${first.process.pid}\n`);
    expect(await evaluated(['--server', String(first.process.pid), '1'])).toMatchObject({ code: 0, err: '' });
  });

  it('clears away the socket of a server that was killed', async () => {
    const live = await agent();
    await evaluated(['1']);
    live.process.kill('SIGKILL');
    await live.ended;
    expect((await evaluated(['1 + 2'])).err).toContain('No server runs');
    expect((await evaluated(['1 + 2'])).out).toBe('=> 3\n');
  });
});

describe('vivarium eval beside a server at a URL', () => {
  /** As a client with the owner's token would; the structured part of the answer. */
  async function callAt(
    url: string,
    revision: '2025-11-25' | '2026-07-28',
    tool: string,
    args: object,
  ): Promise<{ text: string; session: string }> {
    const token = readFileSync(join(home, '.local/state/vivarium/live/token'), 'utf8').trim();
    await using client = await connect(http(url, { auth: staticToken(token) }), { revision });
    return (await client.callTool(tool, args as never)).structuredContent as { text: string; session: string };
  }

  it.each(['2025-11-25', '2026-07-28'] as const)(
    'is in the same program as an agent of %s with the same token, and joins another session by its name',
    async (revision) => {
      const live = start(['live', '--http', '0']);
      await live.until('stderr', /Try it in another terminal, in this folder, in the agent's own session, main/);
      const [, url = ''] = /is served at (\S+?),/.exec(live.stderr) ?? [];
      const code = 'const cart = { total: 12 }; cart.total';
      expect(await callAt(url, revision, 'evaluate', { code })).toMatchObject({ text: '=> 12', session: 'main' });
      expect(await evaluated(['cart.total += 1'])).toMatchObject({ code: 0, out: '=> 13\n', err: '' });
      expect((await callAt(url, revision, 'evaluate', { code: 'cart.total' })).text).toBe('=> 13');
      expect((await evaluated(['--sessions'])).out.trim()).toMatch(/^main {2}javascript/);
      const { session } = await callAt(url, revision, 'sessions', { action: 'open' });
      expect(await evaluated(['--session', session, 'typeof cart'])).toMatchObject({ code: 0, out: "=> 'undefined'\n" });
    },
  );
});

describe('a hostile program or project', () => {
  const hostile = '\u001b[31m \u001b]8;;http://x\u0007 \u0000 \u009b2J \u202e';
  /** Nothing a terminal obeys: C0 but for the end of a line, C1, and what turns the direction. */
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for.
  const obeyed = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

  it.each([
    ['a value', `Symbol(${JSON.stringify(hostile)})`],
    ['output', `console.log(${JSON.stringify(hostile)}); process.stderr.write(${JSON.stringify(hostile)})`],
    [
      'an error',
      `throw Object.assign(new Error(${JSON.stringify(hostile)}), { name: ${JSON.stringify(hostile)}, code: Symbol(${JSON.stringify(hostile)}) })`,
    ],
    ['a mistake', `let \u001b[31m = ;`],
    [
      'a name',
      `({ [${JSON.stringify(hostile)}]: 1, [Symbol(${JSON.stringify(hostile)})]: class { static name = ${JSON.stringify(hostile)} } })`,
    ],
  ])('T01 cannot drive the terminal by %s', async (_, code) => {
    const { out, err } = await evaluated([code]);
    expect(`${out}${err}`).toMatch(/\\x1b|\\x1B|\\u001b/);
    expect(out).not.toMatch(obeyed);
    expect(err).not.toMatch(obeyed);
  });

  it('T01 cannot drive it by the name of its folder, or of a session', async () => {
    const folder = join(project, 'src \u001b[31m \u202e');
    mkdirSync(folder);
    for (const args of [['1'], ['--session', hostile.replace('\u0000', ''), '1']]) {
      const { out, err } = await evaluated(args, folder);
      expect(err).toContain('\\x1b[31m');
      expect(`${out}${err}`).not.toMatch(obeyed);
    }
  });

  it('T05 has no server of its configuration started', async () => {
    const mark = join(home, 'started');
    const config = JSON.stringify({
      mcpServers: { main: { command: process.execPath, args: ['-e', `fs.writeFileSync(${JSON.stringify(mark)}, '')`] } },
    });
    for (const name of ['.mcp.json', '.vscode/mcp.json', '.cursor/mcp.json', 'mcp.json']) {
      mkdirSync(join(project, name, '..'), { recursive: true });
      writeFileSync(join(project, name), config);
    }
    expect((await evaluated(['1 + 1'])).out).toBe('=> 2\n');
    const live = await agent();
    ask(live, 1, 'main = 3');
    await live.until('stdout', /"id":1/);
    expect((await evaluated(['main', '--session', 'main'])).out).toBe('=> 3\n');
    expect(existsSync(mark)).toBe(false);
  });
});

it('a folder that is no socket does not keep it from working', async () => {
  mkdirSync(runFolder(home), { recursive: true });
  writeFileSync(join(runFolder(home), 'readme.txt'), '');
  expect((await evaluated(['2 * 3'])).out).toBe('=> 6\n');
});
