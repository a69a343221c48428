// Which tool works on which engine, tried and printed.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type AnyTool, allTools, tableHead, usualTools } from '../../all-tools.ts';
import { type Answer, type Lab, onEachNode, openLab } from '../../fixture.ts';

const table: string[] = tableHead();

/** Each does what only a working one does. */
const trials: Readonly<Record<AnyTool, (lab: Lab, folder: string) => Promise<boolean>>> = {
  evaluate: async (lab) => (await lab.evaluate('let n = 6; n * 7')).head === '=> 42',
  inspect: async (lab) => {
    await lab.value('const box = { inside: 1 }; 1');
    return (await lab.call('inspect', { target: 'box' })).text.includes('inside: 1');
  },
  lookup: async (lab) => {
    await lab.value('function findMe(a, b) { return a + b } 1');
    return (await lab.call('lookup', { name: 'findMe', want: 'source' })).text.includes('return a + b');
  },
  reload: async (lab, folder) => {
    const file = join(folder, 'edited.mjs');
    writeFileSync(file, 'export let count = 0;\nexport function step() {\n  return (count += 1);\n}\n');
    await lab.value("import { step } from './edited.mjs'; step()");
    writeFileSync(file, 'export let count = 0;\nexport function step() {\n  return (count += 100);\n}\n');
    await lab.call('reload', { files: ['edited.mjs'] });
    return (await lab.value('step()')) === '101';
  },
  debug: async (lab) => {
    const code = "(function fails(inner) { throw new Error('here') })(41)";
    if ((await lab.evaluate(code, { on_error: 'pause' })).structured.status !== 'paused') return false;
    const seen: Answer = await lab.call('debug', { action: 'eval', frame: 0, code: 'inner + 1' });
    await lab.call('debug', { action: 'abort' });
    return seen.head === '=> 42';
  },
  sessions: async (lab) => {
    const session = await lab.open();
    const listed = (await lab.call('sessions', { action: 'list' })).text.includes(session);
    return listed && (await lab.call('sessions', { action: 'close', session })).structured.status === 'closed';
  },
  define: async (lab) => {
    await lab.call('define', { source: 'function defined() { return 42 }' });
    return (await lab.value('defined()')) === '42';
  },
  complete: async (lab) => (await lab.call('complete', { prefix: 'findM' })).text.includes('findMe'),
  check_syntax: async (lab) => (await lab.call('check_syntax', { code: 'let = ;' })).text.startsWith('[ERROR] SyntaxError'),
  load_file: async (lab, folder) => {
    writeFileSync(join(folder, 'loaded.mjs'), 'export const inIt = 42;\n');
    return !(await lab.call('load_file', { file: 'loaded.mjs' })).isError && (await lab.value('loaded.inIt')) === '42';
  },
  profile: async (lab) => {
    const code = 'function spins() { let n = 0; for (let i = 0; i < 3e8; i++) n += i; return n } spins()';
    return /Own time, of [\s\S]*spins/.test((await lab.call('profile', { code })).text);
  },
  heap: async (lab) => /^[\d.]+ of [\d.]+ MB in use/.test((await lab.call('heap')).text),
  run_tests: async (lab, folder) => {
    writeFileSync(join(folder, 'a.test.mjs'), "import test from 'node:test';\ntest('passes', () => {});\n");
    return (await lab.call('run_tests')).text.startsWith('[PASSED] 1 passed');
  },
};

onEachNode((node) => {
  it('every tool of the table works on JavaScript', async () => {
    await using few = await openLab({ node });
    expect((await few.client.listTools()).map(({ name }) => name).sort()).toEqual([...usualTools].sort());
    // Whether a project has tests is seen at the start.
    writeFileSync(join(few.folder, 'package.json'), '{"scripts":{"test":"node --test"}}');
    await using lab = await openLab({ node, tools: 'all', cwd: few.folder });
    expect((await lab.client.listTools()).map(({ name }) => name).sort()).toEqual([...allTools].sort());
    const row: Record<string, boolean> = {};
    for (const tool of allTools) row[tool] = await trials[tool](lab, few.folder).catch(() => false);
    const version = await lab.value('process.version');
    table.push(`| JavaScript, Node ${version.slice(2, -1)} | ${allTools.map((tool) => (row[tool] ? 'yes' : 'no')).join(' | ')} |`);
    expect(row).toEqual(Object.fromEntries(allTools.map((tool) => [tool, true])));
  });
});

afterAll(() => console.log(table.join('\n')));
