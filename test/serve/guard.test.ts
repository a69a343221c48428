// stdout belongs to the protocol: whatever else the program prints goes to stderr.
import { describe, expect, it } from 'vitest';
import { Child, onEachNode } from './child.ts';

const inProcess = [
  'console.log',
  'console.info',
  'console.debug',
  'console.dir',
  'console.table',
  'process.stdout.write',
  'process.stdout.write-callback',
  'stdout-end',
  'fs.writeSync',
  'fs.write',
  'fs.write-promisified',
  'fs.writev',
  'fs.writevSync',
  'fs.writeFile',
  'fs.writeFileSync',
  'fs.appendFile',
  'fs.appendFileSync',
  'imported-before',
  'imported-after',
  'named-after',
  'required-after',
];
const children = [
  'spawn-inherit',
  'spawn-inherit-at-1',
  'spawn-1',
  'spawn-stdout',
  'spawn-object-with-fd',
  'spawn-stderr-to-1',
  'spawn-default-import',
  'fork',
  'spawnSync-inherit',
  'spawnSync-1',
  'spawnSync-stdout',
  'execFileSync-inherit',
  'execSync-inherit',
];
/** What is written later, by a stream or a thread, arrives without a trace of who wrote it. */
const nameless = ['stdout-pipeline', 'fs.createWriteStream', 'worker-console', 'worker-stdout'];

const warnings = (child: Child) => child.stderr.split('\n').filter((line) => line.startsWith('vivarium: stdout carries the protocol'));
const strangers = (child: Child) => child.lines.filter((line) => !line.startsWith('{"jsonrpc":"2.0"'));

/** Prints through the doors, one after the other, and ends the server. */
async function through(node: string, doors: readonly string[], settings: object = {}): Promise<Child> {
  const child = new Child('doors.mjs', { node, settings });
  for (const door of doors) expect(await child.call(door)).toBe('printed');
  // Still a server after all that.
  expect((await child.request('server/discover')).result.supportedVersions).toEqual(['2026-07-28']);
  expect(await child.end()).toMatchObject({ code: 0 });
  return child;
}

onEachNode(
  (node) => {
    describe.each([
      ['what is printed through a door', inProcess],
      ['what a child would print', children],
    ])('%s goes to stderr, with one warning that names who did it', (_title, doors) => {
      it.each(doors)('%s', async (door) => {
        const child = await through(node, [door, door]);
        expect(strangers(child)).toEqual([]);
        expect(child.stderr.split(`through ${door}`)).toHaveLength(3);
        expect(warnings(child)).toEqual([expect.stringMatching(/, first by .*doors\.mjs:\d+:\d+\)?$/)]);
      });
    });

    describe('what is printed later goes to stderr, with one warning', () => {
      it.each(nameless)('%s', async (door) => {
        const child = await through(node, [door, door]);
        expect(strangers(child)).toEqual([]);
        expect(child.stderr.split(`through ${door}`)).toHaveLength(3);
        expect(warnings(child)).toHaveLength(1);
      });
    });

    it('warns once, however many doors are used', async () => {
      const doors = [
        ...inProcess.filter((door) => door !== 'stdout-end'),
        ...children.filter((door) => door !== 'spawn-object-with-fd'),
        ...nameless,
      ];
      const child = await through(node, doors);
      expect(strangers(child)).toEqual([]);
      for (const door of doors) expect(child.stderr).toContain(`through ${door}`);
      expect(warnings(child)).toHaveLength(1);
    });

    it.each(['exec', 'execFileSync'])('leaves what a program reads of its children alone: %s', async (tool) => {
      const child = new Child('doors.mjs', { node });
      expect(await child.call(tool)).toBe('kept');
      await child.end();
      expect(child.lines).toHaveLength(1);
      expect(child.stderr).toBe('');
    });

    it('leaves everything where it is with guardStdout: false', async () => {
      const doors = [...inProcess.filter((door) => door !== 'stdout-end'), ...children, ...nameless];
      const child = await through(node, doors, { guardStdout: false });
      for (const door of doors) expect(strangers(child).some((line) => line.includes(`through ${door}`))).toBe(true);
      expect(child.stderr).toBe('');
    });
  },
  { concurrent: true },
);
