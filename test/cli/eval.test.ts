// vivarium eval, as the built package does it: a person beside the agent.
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { notRun } from '../../scripts/prepare.mjs';
import { doorFolder } from '../../src/live/local.ts';
import { call, initialize } from '../serve/http.ts';
import { Started } from './started.ts';

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
    for (const control of ['\u001b', '\u0007', '\u202e']) expect(err).not.toContain(control);
    const printed = await evaluated(['console.log("\\u001b[31mred"); "\\u009b"']);
    for (const control of ['\u001b', '\u009b']) expect(printed.out).not.toContain(control);
  });

  it('refuses what it cannot do', async () => {
    expect(await evaluated(['1', '+', '1'])).toMatchObject({ code: 2 });
    expect(await evaluated(['--cwd', 'nowhere', '1'])).toMatchObject({ code: 2 });
    expect(await evaluated(['--session', 's-1', '1'])).toMatchObject({ code: 4 });
    expect(await evaluated(['--server', '1', '1'])).toMatchObject({ code: 4 });
  });
});

describe('vivarium eval beside an agent on stdio', () => {
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
  it('has a session of its own that stays', async () => {
    const live = start(['live', '--http', '0']);
    await live.until('stderr', /Try it in another terminal/);
    await evaluated(['counted = 1']);
    expect(await evaluated(['counted + 1'])).toMatchObject({ code: 0, out: '=> 2\n', err: '' });
    expect((await evaluated(['--sessions'])).out.trim().split('\n')).toHaveLength(1);
  });
});

it('a folder that is no socket does not keep it from working', async () => {
  mkdirSync(doorFolder(home), { recursive: true });
  writeFileSync(join(doorFolder(home), 'readme.txt'), '');
  expect((await evaluated(['2 * 3'])).out).toBe('=> 6\n');
});
