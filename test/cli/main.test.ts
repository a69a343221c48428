import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const main = join(root, 'dist/cli/main.js');
let folder: string;

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function vivarium(args: readonly string[], input = ''): Promise<Ended> {
  const child = spawn(process.execPath, [main, ...args], { cwd: folder });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdin.end(input);
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';
const pong = '{"jsonrpc":"2.0","id":1,"result":{}}\n';
const make = (name: string): string => `new Server({ name: '${name}', version: '1.0.0' })`;

beforeAll(() => {
  // Inside the checkout, so that the modules find the package by its own name.
  mkdirSync(join(root, '.cache'), { recursive: true });
  folder = mkdtempSync(join(root, '.cache', 'cli-'));
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  write('untyped.ts', 'const a: number = 1;\nconst b: number = ;\n');
  const imports = "import { Server } from 'vivarium/server';\n";
  write('server.mjs', `${imports}console.log('loading');\nexport default ${make('a')};\nexport const other = ${make('b')};\n`);
  write('typed.ts', `${imports}const name: string = 'typed';\nexport default ${make('typed')} satisfies Server;\nvoid name;\n`);
  write('enum.ts', `${imports}enum Kind { One = 'one' }\nexport default new Server({ name: Kind.One, version: '1' });\n`);
  write('none.mjs', 'export default 7;\n');
  write('named.mjs', `${imports}export const here = ${make('c')};\n`);
  write('timer.mjs', "setInterval(() => undefined, 1_000);\nthrow new Error('no database');\n");
  write('above.mjs', "import './broken.mjs';\n");
  write('unfinished.mjs', '\nexport default {');
  write('broken.mjs', "throw new Error('\\u001b[31mno database\\u001b[0m');\n");
  write('self.mjs', `${imports}import { serveStdio } from 'vivarium/serve/stdio';\nawait serveStdio(${make('self')});\n`);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('vivarium', () => {
  it('shows its help without being asked, and when asked', async () => {
    for (const args of [[], ['--help'], ['-h'], ['help']]) {
      const { code, stdout, stderr } = await vivarium(args);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain('Usage: vivarium <command>');
      expect(stdout).toMatch(/^ {2}serve /m);
    }
  });

  it('says its version', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(await vivarium(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('refuses an unknown command with exit code 2 and a hint', async () => {
    const { code, stdout, stderr } = await vivarium(['sreve']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('There is no command "sreve"');
  });

  it('shows what it quotes instead of obeying it', async () => {
    const { stderr } = await vivarium(['\u001b[2J\u202e']);
    expect(stderr).toContain('\\x1b[2J\\u{202e}');
    expect(stderr).not.toContain('\u001b');
  });

  it('reports a failure as one line of JSON when asked to', async () => {
    for (const args of [
      ['nope', '--format', 'json'],
      ['serve', 'absent.js', '--format=json'],
      ['serve', '--wrong', '--format=json'],
    ]) {
      const { code, stderr } = await vivarium(args);
      expect(code).toBe(2);
      expect(stderr.trim().split('\n')).toHaveLength(1);
      expect(JSON.parse(stderr)).toMatchObject({ error: expect.any(String), hint: expect.any(String), exitCode: 2 });
    }
  });
});

describe('vivarium serve', () => {
  it('explains itself', async () => {
    for (const args of [
      ['serve', '--help'],
      ['help', 'serve'],
    ]) {
      const { code, stdout } = await vivarium(args);
      expect(code).toBe(0);
      for (const word of ['Usage: vivarium serve', '--guard', 'Examples:']) expect(stdout).toContain(word);
    }
  });

  it('serves the default export, and keeps off stdout what the module prints while it loads', async () => {
    const { code, stdout, stderr } = await vivarium(['serve', 'server.mjs'], ping);
    expect([code, stdout]).toEqual([0, pong]);
    expect(stderr).toContain('loading');
  });

  it('serves a named export', async () => {
    const discover =
      '{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}\n';
    const { stdout } = await vivarium(['serve', './server.mjs:other'], discover);
    expect(JSON.parse(stdout).result._meta['io.modelcontextprotocol/serverInfo'].name).toBe('b');
  });

  it('serves TypeScript, enums included', async () => {
    expect(await vivarium(['serve', 'typed.ts'], ping)).toMatchObject({ code: 0, stdout: pong });
    expect(await vivarium(['serve', 'enum.ts'], ping)).toMatchObject({ code: 0, stdout: pong });
  });

  it('leaves a module alone that serves itself', async () => {
    expect(await vivarium(['serve', 'self.mjs'], ping)).toEqual({ code: 0, stdout: pong, stderr: '' });
  });

  it('works behind --guard, where even descriptor 1 is stderr', async () => {
    expect(await vivarium(['serve', '--guard', 'server.mjs'], ping)).toMatchObject({ code: 0, stdout: pong });
  });

  it.each([
    [['serve'], 2, 'serve takes one module'],
    [['serve', 'a.js', 'b.js'], 2, 'serve takes one module'],
    [['serve', 'absent.js'], 2, 'There is no file absent.js'],
    [['serve', 'none.mjs'], 2, 'exports "default", which is not a Server'],
    [['serve', 'named.mjs'], 2, 'It does export named.mjs:here'],
    [['serve', 'server.mjs:absent'], 2, 'has no export "absent"'],
    [['serve', 'page.jsx'], 2, 'There is no file'],
    [['serve', '--unknown', 'server.mjs'], 2, 'serve has no option --unknown'],
    [['serve', 'untyped.ts'], 4, 'untyped.ts:2:19'],
    [['serve', '--htpp', '1'], 2, 'serve has no option --htpp\n  Did you mean --http?'],
    [['check', '--only', 'tools/cal', 'timer.mjs'], 2, '--only tools/cal names no requirement'],
    [['list', '-t', 'carrier', 'http://127.0.0.1:9/'], 2, '--transport takes stdio, http or sse, not carrier'],
    [['list', '--config', '.'], 2, 'is a folder'],
    [['check', '--lock', '.', 'timer.mjs'], 2, '. is a folder'],
    [['check', '--lock', 'no/such/lock', '--update-lock', 'timer.mjs'], 2, 'cannot be written'],
    [['record', 'http://127.0.0.1:9/', '--port', '65536'], 2, 'a port, which is below 65536'],
    [['serve', 'timer.mjs'], 4, 'timer.mjs could not be loaded (timer.mjs:2:7): Error: no database'],
    [['serve', 'unfinished.mjs'], 4, 'unfinished.mjs could not be loaded (unfinished.mjs:2): SyntaxError'],
    [['list', 'unfinished.mjs'], 4, 'unfinished.mjs could not be loaded (unfinished.mjs:2): SyntaxError'],
    [['call', 'above.mjs', 'a'], 4, 'above.mjs could not be loaded (broken.mjs:1:7): Error:'],
    [['serve', 'server.mjs', '--format', 'xml'], 2, '--format takes text or json, not xml'],
    [['serve', 'broken.mjs'], 4, 'broken.mjs could not be loaded (broken.mjs:1:7): Error: \\x1b[31mno database\\x1b[0m'],
  ] as const)('fails on %j with exit code %d', async (args, exitCode, words) => {
    const { code, stdout, stderr } = await vivarium(args);
    expect([code, stdout]).toEqual([exitCode, '']);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain('\u001b');
  });
});
