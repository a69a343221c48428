// Which tool works on which Smalltalk, tried and printed; what is not supported says why.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Engine, smalltalk } from 'vivarium/live';
import { notRun } from '../../../../../scripts/prepare.mjs';
import { type AnyTool, allTools, tableHead } from '../../../all-tools.ts';
import { type Lab, openLab } from '../../../fixture.ts';
import { squeak } from '../squeak/prepared.ts';

const table: string[] = tableHead();

/** Each does what only a working one does. */
const trials: Readonly<Record<AnyTool, (lab: Lab) => Promise<string>>> = {
  evaluate: async (lab) => (await lab.evaluate('n := 6. n * 7')).head.replace(/ {3}#\d+$/, ''),
  inspect: async (lab) => (await lab.call('inspect', { target: 'n' })).text,
  lookup: async (lab) => (await lab.call('lookup', { name: 'Object', want: 'summary' })).text,
  reload: async (lab) => {
    const file = (n: number): string => `Object subclass: #Edited slots: {} package: 'E'!\n!Edited methodsFor: 'a'!\nstep\n\t^ ${n}\n! !\n`;
    writeFileSync(join(lab.folder, 'Edited.st'), file(1));
    await lab.evaluate("self fileIn: 'Edited.st'");
    writeFileSync(join(lab.folder, 'Edited.st'), file(2));
    return (await lab.call('reload', { files: ['Edited.st'] })).text;
  },
  debug: async (lab) => {
    await lab.evaluate('nil zork', { on_error: 'pause' });
    return (await lab.call('debug', { action: 'restart', restart: 1, value: '40 + 2' })).head.replace(/ {3}#\d+$/, '');
  },
  sessions: async (lab) => (await lab.call('sessions', { action: 'list' })).text,
  run_tests: async (lab) => (await lab.call('run_tests', {}).catch((error: Error) => ({ text: error.message }))).text,
  define: async (lab) => (await lab.call('define', { on: 'Object', source: 'defined ^ 1' })).text,
  complete: async (lab) => (await lab.call('complete', { prefix: 'OrderedColl' })).text,
  check_syntax: async (lab) => (await lab.call('check_syntax', { code: '3 +' })).text,
  load_file: async (lab) => {
    writeFileSync(join(lab.folder, 'Loaded.st'), "Object subclass: #Loaded slots: {} package: 'L'!\n");
    const { text, isError } = await lab.call('load_file', { file: 'Loaded.st' });
    return isError ? text : (await lab.evaluate('Loaded name')).head;
  },
  profile: async (lab) => (await lab.call('profile', { code: '100 factorial' })).text,
  heap: async (lab) => (await lab.call('heap', {})).text,
};

async function tryAll(lab: Lab): Promise<Record<AnyTool, string>> {
  const row = {} as Record<AnyTool, string>;
  for (const tool of allTools) row[tool] = await trials[tool](lab);
  return row;
}

function note(title: string, row: Readonly<Record<AnyTool, string>>, unsupported: readonly AnyTool[]): void {
  table.push(
    `| ${title} | ${allTools.map((tool) => (unsupported.includes(tool) ? `no: ${row[tool].split('\n')[0]}` : 'yes')).join(' | ')} |`,
  );
}

describe('every tool', () => {
  const open = (engine: Engine): Promise<Lab> => openLab({ engines: [engine], tools: 'all' });

  it('works on Amber', async () => {
    await using lab = await open(smalltalk());
    const row = await tryAll(lab);
    note('Smalltalk, Amber', row, ['profile']);
    expect(row).toMatchObject({
      evaluate: '=> 42',
      inspect: 'Number: 6',
      lookup: expect.stringMatching(/^class Object in Kernel-Objects\nsuperclasses: ProtoObject\n/),
      reload: 'swapped Edited.st: Edited>>step',
      debug: '=> 42',
      sessions: expect.stringMatching(/^main {2}smalltalk {2}idle .*debug with restarts, reload, lookup, save what was evaluated/),
      run_tests: expect.stringMatching(/^\[PASSED\] 0 passed/),
      define: expect.stringMatching(/^=> a CompiledMethod/),
      complete: 'OrderedCollection',
      check_syntax: '[ERROR] ParseError: Unexpected end of the code (line 1, column 4)',
      load_file: "=> 'Loaded'",
      profile: expect.stringMatching(/^Amber has no profile: .* timeToRun/),
      heap: expect.stringMatching(/^[\d.]+ of [\d.]+ MB in use/),
    });
    expect(Number(await lab.value('[ 1 to: 1000 do: [ :each | each printString ] ] timeToRun'))).toBeGreaterThanOrEqual(0);
    // The same as users are told, and every tool there is.
    expect((await lab.client.listTools()).map(({ name }) => name).sort()).toEqual([...allTools].sort());
  });

  it.skipIf(notRun('squeak') || notRun('scratch'))('works on Squeak, or says why not', async () => {
    await using lab = await open(squeak());
    const row = await tryAll(lab);
    note('Smalltalk, Squeak (a proof of the wire)', row, [
      'reload',
      'run_tests',
      'define',
      'complete',
      'check_syntax',
      'load_file',
      'profile',
      'heap',
    ]);
    expect(row).toMatchObject({
      evaluate: '=> 42',
      inspect: expect.stringMatching(/SmallInteger: 6/),
      lookup: expect.stringMatching(/^Object, subclass of nil/),
      reload: 'This image does not know reload',
      debug: '=> 42',
      complete: 'This image does not know complete',
      check_syntax: 'This image does not know check',
      profile: 'This image does not know profile',
      heap: 'This image does not know heap',
      load_file: expect.stringMatching(/cannot|no/i),
      run_tests: expect.stringMatching(/run_tests/),
      define: expect.stringMatching(/^Methods are not defined in a class in Squeak/),
    });
  });
});

afterAll(() => console.log(table.join('\n')));
