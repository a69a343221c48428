// Which tool works on which engine, tried and printed.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type Answer, type Lab, onEachNode, openLab } from './fixture.ts';

const tools = ['evaluate', 'inspect', 'lookup', 'reload', 'debug', 'sessions'] as const;
type Row = Readonly<Record<(typeof tools)[number], boolean>>;

const expected: Row = { evaluate: true, inspect: true, lookup: true, reload: true, debug: true, sessions: true };

const table: string[] = [`| engine | ${tools.join(' | ')} |`, `|---|${tools.map(() => '---|').join('')}`];

/** Each does what only a working one does. */
const trials: Readonly<Record<(typeof tools)[number], (lab: Lab) => Promise<boolean>>> = {
  evaluate: async (lab) => (await lab.evaluate('let n = 6; n * 7')).head === '=> 42',
  inspect: async (lab) => {
    await lab.value('const box = { inside: 1 }; 1');
    return (await lab.call('inspect', { target: 'box' })).text.includes('inside: 1');
  },
  lookup: async (lab) => {
    await lab.value('function findMe(a, b) { return a + b } 1');
    return (await lab.call('lookup', { name: 'findMe', want: 'source' })).text.includes('return a + b');
  },
  reload: async (lab) => {
    const file = join(lab.folder, 'edited.mjs');
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
};

onEachNode((node) => {
  it('every tool of the table works on JavaScript', async () => {
    await using lab = await openLab({ node });
    expect((await lab.client.listTools()).map(({ name }) => name).sort()).toEqual([...tools].sort());
    const row: Record<string, boolean> = {};
    for (const tool of tools) row[tool] = await trials[tool](lab).catch(() => false);
    const version = await lab.value('process.version');
    table.push(`| JavaScript, Node ${version.slice(2, -1)} | ${tools.map((tool) => (row[tool] ? 'yes' : 'no')).join(' | ')} |`);
    expect(row).toEqual(expected);
  });
});

afterAll(() => console.log(table.join('\n')));
