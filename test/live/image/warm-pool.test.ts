// The image that waits: taken by whoever needs one next, and gone with the last session.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Engine, javascript, smalltalk } from 'vivarium/live';
import { eventually, type Lab, openLab } from '../fixture.ts';

/** When the process of an image began, by its own clock. */
const begun = { javascript: 'performance.timeOrigin', smalltalk: 'performance timeOrigin' };

async function beganAt(lab: Lab, code: string, session?: string): Promise<number> {
  return Number(await lab.value(code, session === undefined ? {} : { session }));
}

/** Of this process. */
function children(): number[] {
  return readdirSync(`/proc/${process.pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${process.pid}/task/${task}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
  );
}

describe.each([
  ['JavaScript, where all languages have one', { engines: [javascript()], spare: 'all' as const }, begun.javascript, 'process.exit(3)'],
  ['Smalltalk, which begins slowly', { engines: [smalltalk()], spare: 'default' as const }, begun.smalltalk, 'process exit: 3'],
])('%s', (_title, options, code, end) => {
  it('has an image waiting for the session that is opened next', async () => {
    await using lab = await openLab(options);
    await beganAt(lab, code);
    const asked = Date.now();
    expect(await beganAt(lab, code, await lab.open())).toBeLessThan(asked);
  });

  it('has one for a session that lost its own, which is said and is empty', async () => {
    await using lab = await openLab(options);
    const first = await beganAt(lab, code);
    expect((await lab.evaluate(end)).head).toMatch(/^\[STATE LOST\] generation 2/);
    const asked = Date.now();
    const next = await beganAt(lab, code);
    expect(next).toBeGreaterThan(first);
    expect(next).toBeLessThan(asked);
  });
});

it('is not there for a language that begins quickly', async () => {
  await using lab = await openLab({ spare: 'default' });
  await beganAt(lab, begun.javascript);
  const asked = Date.now();
  expect(await beganAt(lab, begun.javascript, await lab.open())).toBeGreaterThanOrEqual(asked);
});

it('is not taken where an image would begin otherwise by now', async () => {
  const before = children();
  const plain = javascript();
  let mood = 'calm';
  const engine: Engine = { ...plain, launch: async (given) => plain.launch({ ...given, env: { ...given.env, MOOD: mood } }) };
  await using lab = await openLab({ engines: [engine], spare: 'all' });
  expect(await lab.value('process.env.MOOD')).toBe("'calm'");
  mood = 'cheerful';
  const session = await lab.open();
  expect(await lab.value('process.env.MOOD', { session })).toBe("'cheerful'");
  // The one that waited for the old mood went when the one for the new came.
  await eventually(() => children().length).toBe(before.length + 3);
});

it('begins with the files of the project like any other', async () => {
  await using lab = await openLab({ spare: 'all', load: ['shop.mjs'] });
  writeFileSync(join(lab.folder, 'shop.mjs'), 'export const open = true;');
  expect(await lab.value('shop.open')).toBe('true');
  expect(await lab.value('shop.open', { session: await lab.open() })).toBe('true');
});

it('costs nothing but itself when it ends while it waits', async () => {
  const before = children();
  await using lab = await openLab({ spare: 'all' });
  const own = await beganAt(lab, 'process.pid');
  await eventually(() => children().filter((pid) => !before.includes(pid) && pid !== own).length).toBe(1);
  const [waiting] = children().filter((pid) => !before.includes(pid) && pid !== own);
  process.kill(waiting as number, 'SIGKILL');
  await eventually(() => children()).not.toContain(waiting);
  expect(await lab.value('1 + 1', { session: await lab.open() })).toBe('2');
});

it('is there for each language, and goes with the last session of its own', async () => {
  const before = children();
  await using lab = await openLab({ engines: [javascript(), smalltalk()], spare: 'all' });
  const session = await lab.open();
  await lab.value('1', { session });
  const other = (await lab.evaluate('1', { language: 'smalltalk' })).structured.session;
  await eventually(() => children().length).toBe(before.length + 4);
  await lab.call('sessions', { action: 'close', session: other });
  await eventually(() => children().length).toBe(before.length + 2);
});

it('is not taken where another folder has come in the place of the one it began in', async () => {
  await using lab = await openLab({ spare: 'all' });
  await lab.value('1');
  rmSync(lab.folder, { recursive: true });
  mkdirSync(lab.folder);
  writeFileSync(join(lab.folder, 'note.txt'), 'here');
  const read = "require('node:fs').readFileSync('note.txt', 'utf8')";
  expect(await lab.value(read, { session: await lab.open() })).toBe("'here'");
});

it('goes with the last session, and comes again with the next', async () => {
  const before = children();
  await using lab = await openLab({ spare: 'all' });
  const session = await lab.open();
  await lab.value('1', { session });
  await eventually(() => children().length).toBe(before.length + 2);
  await lab.call('sessions', { action: 'close', session });
  await eventually(() => children().length).toBe(before.length);
  await lab.value('1', { session: await lab.open() });
  await eventually(() => children().length).toBe(before.length + 2);
  await lab.end();
  await eventually(() => children().length).toBe(before.length);
});
