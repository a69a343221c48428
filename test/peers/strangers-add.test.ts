// Other people's clients, each in an empty home: they have a server after `vivarium add`, and no longer after `vivarium remove`.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { strangersNotRun } from '../../scripts/strangers.mjs';
import { type Ended, ended, environment, newNode, ours, root, within } from './strangers.ts';

interface Stranger {
  readonly id: string;
  readonly program: string;
  readonly script: string;
  readonly list: readonly string[];
  /** What it says of a server that it has started; some only list it. */
  readonly listed: RegExp;
  /** Its file for a project, where it reads that without asking. */
  readonly project?: true;
}

/** Its install script, which is not run, would only copy the program from there. */
const opencode = `opencode-${process.platform}-${process.arch === 'x64' ? 'x64-baseline' : process.arch}`;

const strangers: readonly Stranger[] = [
  {
    id: 'claude-code',
    program: 'claude',
    script: '@anthropic-ai/claude-code/cli.js',
    list: ['mcp', 'list'],
    listed: /demo: .*✓ Connected/,
  },
  { id: 'codex', program: 'codex', script: '@openai/codex/bin/codex.js', list: ['mcp', 'list'], listed: /^demo\s.*enabled/m },
  {
    id: 'gemini',
    program: 'gemini',
    script: '@google/gemini-cli/bundle/gemini.js',
    list: ['mcp', 'list'],
    listed: /✓ demo: .*Connected/,
    project: true,
  },
  { id: 'opencode', program: 'opencode', script: `${opencode}/bin/opencode`, list: ['mcp', 'list'], listed: /✓ demo/, project: true },
  { id: 'mcporter', program: 'mcporter', script: 'mcporter/dist/cli.js', list: ['list'], listed: /demo \(20 tools/, project: true },
];

const folder = mkdtempSync(join(tmpdir(), 'strangers-add-'));
const programs = join(folder, 'bin');
let homes = 0;

interface Home {
  readonly path: string;
  readonly project: string;
}

function emptyHome(): Home {
  const path = join(folder, `home-${homes++}`);
  const project = join(path, 'project');
  mkdirSync(project, { recursive: true });
  return { path, project };
}

/** With nothing of this machine but its programs. */
function run({ path, project }: Home, command: string, args: readonly string[]): Promise<Ended> {
  const env = {
    ...environment,
    HOME: path,
    XDG_CONFIG_HOME: join(path, '.config'),
    XDG_CACHE_HOME: join(path, '.cache'),
    XDG_STATE_HOME: join(path, '.local/state'),
    XDG_DATA_HOME: join(path, '.local/share'),
    PATH: [programs, dirname(newNode), '/usr/bin', '/bin'].join(':'),
  };
  return ended(command, args, project, env);
}

async function vivarium(home: Home, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(home, process.execPath, [join(root, 'dist/cli/main.js'), ...args]);
  expect(code, `${stdout}\n${stderr}`).toBe(0);
  return stdout;
}

async function listOf(home: Home, { program, list }: Stranger): Promise<string> {
  const { stdout, stderr } = await run(home, join(programs, program), list);
  return `${stdout}\n${stderr}`;
}

const server = ['--', ...ours];

describe.skipIf(strangersNotRun())('a client of somebody else, in an empty home', () => {
  beforeAll(() => {
    mkdirSync(programs);
    for (const { program, script } of strangers) {
      const file = within(...script.split('/'));
      chmodSync(file, 0o755);
      symlinkSync(file, join(programs, program));
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

  describe.each(strangers.map((stranger) => [stranger.id, stranger] as const))('%s', (id, stranger) => {
    it.each([
      ['by its own command, where it is used', []],
      ['by an edit of its file', ['--edit']],
    ] as const)('has the server after add and no longer after remove, %s', async (_, flags) => {
      const home = emptyHome();
      await vivarium(home, 'add', '--client', id, '--scope', 'user', '--name', 'demo', '--yes', ...flags, ...server);
      expect(await listOf(home, stranger)).toMatch(stranger.listed);
      await vivarium(home, 'remove', 'demo', '--yes', ...flags);
      expect(await listOf(home, stranger)).not.toContain('demo');
    });

    it('has it no longer after an undo', async () => {
      const home = emptyHome();
      await vivarium(home, 'add', '--client', id, '--scope', 'user', '--name', 'demo', '--yes', ...server);
      await vivarium(home, 'add', '--undo', '--yes');
      expect(await listOf(home, stranger)).not.toContain('demo');
    });
  });

  it.each(strangers.filter(({ project }) => project === true).map((one) => [one.id, one] as const))(
    '%s has the server of a project',
    async (id, stranger) => {
      const home = emptyHome();
      await vivarium(home, 'add', '--client', id, '--scope', 'project', '--name', 'demo', '--yes', ...server);
      expect(await listOf(home, stranger)).toMatch(stranger.listed);
      await vivarium(home, 'remove', 'demo', '--yes');
      expect(await listOf(home, stranger)).not.toContain('demo');
    },
  );

  it('is not given a secret by its own command, which other users could see', async () => {
    const home = emptyHome();
    const flags = [
      '--client',
      'claude-code',
      '--scope',
      'user',
      '--name',
      'demo',
      '--env',
      'API_KEY=correct-horse',
      '--dry-run',
      '--no-verify',
    ];
    expect(await vivarium(home, 'add', ...flags, ...server)).toContain('by its own command');
    const inline = await vivarium(home, 'add', ...flags, '--inline-secrets', ...server);
    expect(inline).not.toContain('by its own command');
    expect(inline).not.toContain('correct-horse');
  });

  it('reads a file that people wrote, before and after', async () => {
    const home = emptyHome();
    const file = join(home.path, '.codex', 'config.toml');
    mkdirSync(dirname(file));
    const before = '# mine\nmodel = "x" # m\n\n[mcp_servers.old] # keep\ncommand = "true"\n';
    writeFileSync(file, before);
    await vivarium(home, 'add', '--client', 'codex', '--scope', 'user', '--name', 'demo', '--yes', '--edit', ...server);
    const codex = strangers[1] as Stranger;
    expect(await listOf(home, codex)).toMatch(/^old\s/m);
    expect(await listOf(home, codex)).toMatch(codex.listed);
    await vivarium(home, 'remove', 'demo', '--yes', '--edit');
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(existsSync(join(home.path, '.codex', 'config.toml'))).toBe(true);
  });
});
