// Commands that are killed at each of their steps leave the old file or the new one, and the next ones clean up.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { root } from '../../cli/vivarium.ts';

const folder = mkdtempSync(join(tmpdir(), 'vivarium-killed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const preload = pathToFileURL(fileURLToPath(new URL('../../fixtures/kill-at.mjs', import.meta.url))).href;
const before = '{\n  // mine\n  "mcpServers": {\n    "old": { "command": "x" } // keep\n  }\n}\n';
const add = ['add', '--client', 'cursor', '--name', 'new', '--no-verify', '--yes', '--', 'node', 'x.js'];
const remove = ['remove', 'new', '--yes'];

interface Home {
  readonly path: string;
  readonly file: string;
}

function home(name: string, text: string | undefined): Home {
  const path = join(folder, name);
  mkdirSync(join(path, 'project'), { recursive: true });
  const file = join(path, 'project', '.cursor', 'mcp.json');
  if (text !== undefined) {
    mkdirSync(join(path, 'project', '.cursor'));
    writeFileSync(file, text);
  }
  return { path, file };
}

function run({ path }: Home, args: readonly string[], killAt = 0): Promise<{ code: number | null; stderr: string; steps: number }> {
  const env = { ...process.env, HOME: path, XDG_CONFIG_HOME: '', XDG_STATE_HOME: '', VIVARIUM_KILL_AT: String(killAt) };
  const child = spawn(process.execPath, ['--import', preload, join(root, 'dist/cli/main.js'), ...args], {
    cwd: join(path, 'project'),
    env,
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdout.resume();
  return new Promise((resolve) =>
    child.once('close', (code) => resolve({ code, stderr, steps: Number(/steps: (\d+)/.exec(stderr)?.[1]) })),
  );
}

const textIn = ({ file }: Home): string | undefined => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
const strayIn = ({ path }: Home): string[] =>
  existsSync(join(path, 'project', '.cursor')) ? readdirSync(join(path, 'project', '.cursor')).filter((name) => name !== 'mcp.json') : [];
const plannedIn = ({ path }: Home): string[] => {
  const journal = join(path, '.local/state/vivarium/installs');
  const names = existsSync(journal) ? readdirSync(journal).filter((name) => name.endsWith('.json')) : [];
  return names.filter((name) => readFileSync(join(journal, name), 'utf8').includes('"state":"planned"'));
};

/** Killed at every step, a few at a time. */
async function atEveryStep(
  name: string,
  text: string | undefined,
  prepare: readonly (readonly string[])[],
  command: readonly string[],
): Promise<void> {
  const whole = home(`${name}-whole`, text);
  for (const args of prepare) await run(whole, args);
  const old = textIn(whole);
  const { code, steps, stderr } = await run(whole, command);
  expect(code, stderr).toBe(0);
  const now = textIn(whole);
  expect(steps).toBeGreaterThan(8);
  expect(now).not.toBe(old);
  const killed = async (at: number): Promise<void> => {
    const one = home(`${name}-${at}`, text);
    for (const args of prepare) await run(one, args);
    expect((await run(one, command, at)).code, `step ${at}`).toBe(null);
    expect([old, now], `step ${at}`).toContain(textIn(one));
    expect((await run(one, ['clients', '--repair'])).code).toBe(0);
    expect([old, now], `step ${at}`).toContain(textIn(one));
    expect(strayIn(one), `step ${at}`).toEqual([]);
    expect(plannedIn(one), `step ${at}`).toEqual([]);
    // Whatever it left, both commands work again, and the file comes back as it was.
    expect((await run(one, add)).code, `step ${at}`).toBe(0);
    expect((await run(one, remove)).code, `step ${at}`).toBe(0);
    expect(textIn(one), `step ${at}`).toBe(text);
  };
  const all = Array.from({ length: steps }, (_, at) => at + 1);
  for (let at = 0; at < all.length; at += 3) await Promise.all(all.slice(at, at + 3).map(killed));
}

describe('a command that is killed', () => {
  const limit = { timeout: 600_000 };

  it('while it adds to a file leaves the old one or the new one', limit, () => atEveryStep('add', before, [], add));
  it('while it makes a file leaves none or the new one', limit, () => atEveryStep('make', undefined, [], add));
  it('while it removes leaves the old one or the new one', limit, () => atEveryStep('remove', before, [add], remove));
  it('while it undoes leaves the old one or the new one', limit, () => atEveryStep('undo', undefined, [add], ['add', '--undo', '--yes']));
});
