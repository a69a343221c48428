// After any number of reloads errors, pauses, profiles and look-ups name the lines of the file as it is now.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeProject } from '../../../../../fixtures/live/projects.ts';
import { type Lab, onEachNode, openLab } from '../../../../fixture.ts';

const enumeration = 'enum Color { Red, Green }\n';
const kinds = [
  ['TypeScript without types', 'm.ts', (text: string) => text.replaceAll('(n)', '(n: number): number')],
  ['TypeScript with an enum', 'm.ts', (text: string) => enumeration + text.replaceAll('(n)', '(n: number): number')],
  ['an ES module', 'm.js', (text: string) => text],
  [
    'CommonJS',
    'm.cjs',
    (text: string) => text.replaceAll('export function ', 'exports.').replace(/exports\.(\w+)\(/g, 'exports.$1 = function $1('),
  ],
] as const;

/** Lines above the functions, and within them. */
const text = (turn: number): string => `let calls = 0;
${'// A line above.\n'.repeat(turn * 2)}export function fail(n) {
${'  calls += 1;\n'.repeat(turn)}  throw new Error('turn ${turn}');
}
${turn > 2 ? 'const rate = 3;\n' : ''}export function spin(n) {
  let sum = ${turn > 2 ? 'rate' : '0'};
${'  sum += 1;\n'.repeat(turn)}  for (let i = 0; i < n; i++) sum += Math.sqrt(i);
  return sum;
}
`;

function placeOf(lab: Lab, file: string, words: string): string {
  const lines = readFileSync(join(lab.folder, file), 'utf8').split('\n');
  const at = lines.findIndex((line) => line.includes(words));
  return `${file}:${at + 1}:${(lines[at] as string).indexOf(words) + 1}`;
}

onEachNode((node) => {
  it.each(kinds)('in %s', async (_, file, written) => {
    await using lab = await openLab({ node, tools: 'all' });
    writeProject(lab.folder, { 'package.json': '{ "type": "module" }', [file]: written(text(0)) });
    await lab.value(`import { fail, spin } from './${file}'\nspin(10)`);
    for (let turn = 1; turn <= 5; turn++) {
      writeFileSync(join(lab.folder, file), written(text(turn)));
      const { text: said } = await lab.call('reload');
      expect(said).toMatch(/^swapped m\.[cjt]+s: fail, spin/);
      const place = placeOf(lab, file, 'new Error');
      expect((await lab.evaluate('fail(1)')).text).toContain(`fail (${place})`);
      expect(await lab.value('try { fail(1) } catch (error) { error.stack.split("\\n")[1] }')).toContain(place);
    }
    const [line] = placeOf(lab, file, 'new Error').split(/:\d+$/);
    const paused = await lab.evaluate('fail(1)', { on_error: 'pause' });
    expect(paused.text).toContain(`${line}:`);
    await lab.call('debug', { action: 'abort' });
    const [spinLine] = placeOf(lab, file, 'spin').split(/:\d+$/);
    expect((await lab.call('lookup', { name: 'spin' })).text).toContain(spinLine);
    expect((await lab.call('profile', { code: 'spin(20_000_000)' })).text).toMatch(new RegExp(`spin +\\(${spinLine}\\)`));
  });
});
