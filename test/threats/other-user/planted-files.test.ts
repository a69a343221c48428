// Another user of the machine puts files where ours are read: code that we would run, and tokens that we would use or give away.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { fileTokens } from 'vivarium/auth/node';
import { notRun } from '../../../scripts/prepare.mjs';
import type { Evaluator } from '../../../src/cli/commands/eval/evaluator.ts';
import { prompt } from '../../../src/cli/commands/eval/prompt.ts';
import { openPrivate } from '../../../src/cli/terminal/output.ts';
import { keptToken } from '../../../src/live/access/token.ts';
import { coreFile, corePath, readyCore } from '../../../src/live/languages/lisp/core.ts';
import { findSbcl } from '../../../src/live/languages/lisp/sbcl.ts';
import { configuredLoad } from '../../../src/live/session/project-config.ts';
import { openLab } from '../../live/fixture.ts';

const stranger = 65534;
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'planted-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
});

function give(folder: string): void {
  for (const name of ['', ...readdirSync(folder, { recursive: true }).map(String)]) chownSync(join(folder, name), stranger, stranger);
}

describe.skipIf(process.getuid?.() !== 0)('code that another user has written', () => {
  it('is not run as a saved session', async () => {
    await using lab = await openLab();
    await lab.evaluate('globalThis.mine = 1');
    await lab.call('sessions', { action: 'save', name: 'work' });
    const state = join(lab.folder, 'state');
    const saved = join(state, String(readdirSync(state, { recursive: true }).find((name) => String(name).endsWith('work.journal.json'))));
    const mark = join(root, 'mark');
    writeFileSync(
      saved,
      JSON.stringify({ name: 'work', language: 'javascript', cells: [`require('node:fs').writeFileSync(${JSON.stringify(mark)}, '')`] }),
    );
    chownSync(saved, stranger, stranger);
    const one = await lab.call('sessions', { action: 'restore', name: 'work' });
    expect([one.isError, one.text]).toEqual([true, expect.stringContaining('work.journal.json belongs to another user')]);
    give(state);
    const all = await lab.call('sessions', { action: 'restore', name: 'work' });
    expect([all.isError, all.text]).toEqual([true, expect.stringContaining('belongs to another user')]);
    expect((await lab.call('sessions', { action: 'save', name: 'more' })).text).toContain('belongs to another user');
    expect(existsSync(mark)).toBe(false);
  });

  it.skipIf(notRun('sbcl'))('is not run as a saved Lisp core: images start without it, and say so', async () => {
    const sbcl = findSbcl() as string;
    const folder = join(root, 'cache');
    mkdirSync(folder);
    const planted = corePath(sbcl, folder);
    writeFileSync(planted, '');
    expect(coreFile(sbcl, folder)).toBe(planted);
    chownSync(planted, stranger, stranger);
    expect(coreFile(sbcl, folder)).toBeUndefined();
    expect(await readyCore(sbcl, folder)).toEqual({ note: expect.stringContaining(`${planted} belongs to another user`) });
    chownSync(planted, 0, 0);
    chownSync(folder, stranger, stranger);
    expect(coreFile(sbcl, folder)).toBeUndefined();
    expect(await readyCore(sbcl, folder)).toEqual({ note: expect.stringContaining(`${folder} belongs to another user`) });
  });

  it.skipIf(notRun('sbcl'))(
    'is not run as the compiled bridge of run-server.lisp',
    () => {
      const file = fileURLToPath(new URL('../../../dist/live/languages/lisp/bridge/run-server.lisp', import.meta.url));
      const load = (): string => {
        const args = [
          '--noinform',
          '--disable-debugger',
          '--load',
          file,
          '--eval',
          '(progn (princ (boundp (quote cl-user::planted))) (sb-ext:exit))',
        ];
        return spawnSync('sbcl', args, { cwd: root, encoding: 'utf8', env: { ...process.env, XDG_CACHE_HOME: join(root, 'cache') } })
          .stdout;
      };
      expect(load()).toBe('NIL');
      const cache = join(root, 'cache/vivarium');
      const fasl = join(cache, String(readdirSync(cache, { recursive: true }).find((name) => String(name).endsWith('json.fasl'))));
      // Compiled files may be joined.
      writeFileSync(join(root, 'planted.lisp'), '(defvar cl-user::planted t)');
      spawnSync('sbcl', ['--non-interactive', '--eval', '(compile-file "planted.lisp")'], { cwd: root });
      writeFileSync(fasl, Buffer.concat([readFileSync(fasl), readFileSync(join(root, 'planted.fasl'))]));
      expect(load()).toBe('T');
      chownSync(fasl, stranger, stranger);
      expect(load()).toBe('NIL');
      chownSync(fasl, 0, 0);
      chownSync(cache, stranger, stranger);
      expect(load()).toBe('NIL');
    },
    180_000,
  );

  it('is not run because a configuration of theirs names it', () => {
    const file = join(root, 'vivarium.config.json');
    writeFileSync(file, '{ "live": { "load": ["x.js"] } }');
    expect(configuredLoad(root)).toEqual(['x.js']);
    chownSync(file, stranger, stranger);
    expect(() => configuredLoad(root)).toThrow(`${file} belongs to another user (uid 65534), so the code it names is not run`);
  });
});

describe.skipIf(process.getuid?.() !== 0)('a secret of ours', () => {
  it('is not kept in a folder of another user, and theirs is not used: the token of --http', async () => {
    const folder = join(root, 'state');
    mkdirSync(folder, { mode: 0o777 });
    writeFileSync(join(folder, 'token'), `${'x'.repeat(43)}\n`, { mode: 0o600 });
    chownSync(folder, stranger, stranger);
    await expect(keptToken(folder)).rejects.toThrow('state belongs to another user');
    chownSync(folder, 0, 0);
    chownSync(join(folder, 'token'), stranger, stranger);
    await expect(keptToken(folder)).rejects.toThrow('token belongs to another user');
    expect(readdirSync(folder)).toEqual(['token']);
  });

  it('is not kept in a file of another user, and theirs is not used: tokens of authorization servers', async () => {
    const folder = join(root, 'shared');
    mkdirSync(folder);
    chmodSync(folder, 0o1777);
    const path = join(folder, 'tokens.json');
    const store = fileTokens(path);
    await store.set('key', 'mine', undefined);
    expect(await store.get('key')).toBe('mine');
    writeFileSync(path, '{"key":"theirs"}');
    chownSync(path, stranger, stranger);
    await expect(store.get('key')).rejects.toThrow('tokens.json belongs to another user');
    await expect(store.set('key', 'secret', 'theirs')).rejects.toThrow('tokens.json belongs to another user');
    rmSync(path);
    symlinkSync(join(root, 'elsewhere'), path);
    await expect(store.set('key', 'secret', undefined)).rejects.toThrow('tokens.json is a symbolic link');
    expect(existsSync(join(root, 'elsewhere'))).toBe(false);
  });

  it('is not waited for behind the lock of another user', async () => {
    chmodSync(root, 0o1777);
    const path = join(root, 'tokens.json');
    writeFileSync(`${path}.lock`, JSON.stringify({ id: 'x', pid: process.pid, host: 'elsewhere' }));
    chownSync(`${path}.lock`, stranger, stranger);
    await expect(fileTokens(path).set('key', 'value', undefined)).rejects.toThrow('tokens.json.lock belongs to another user');
  });

  it('is not recorded into a file of another user, nor through a link of theirs, and their file is left as it is', () => {
    chmodSync(root, 0o1777);
    const file = join(root, 'session.jsonl');
    writeFileSync(file, 'theirs');
    chownSync(file, stranger, stranger);
    expect(() => openPrivate(file)).toThrow('session.jsonl cannot be written: it belongs to another user');
    expect(readFileSync(file, 'utf8')).toBe('theirs');
  });

  it('is not added to a history of another user, whose lines are not offered', async () => {
    const history = join(root, 'eval-history');
    writeFileSync(history, 'rm -rf\n');
    chownSync(history, stranger, stranger);
    const [input, output] = [new PassThrough(), new PassThrough()];
    let seen = '';
    output.setEncoding('utf8').on('data', (text: string) => {
      seen += text;
    });
    const room = { session: undefined, language: async () => 'javascript', call: async () => ({ content: [] }) };
    const left = prompt(room as unknown as Evaluator, { input, output, history });
    input.write('.sessions\n.exit\n');
    await left;
    expect(seen).toContain('History is off');
    expect(readFileSync(history, 'utf8')).toBe('rm -rf\n');
  });
});
