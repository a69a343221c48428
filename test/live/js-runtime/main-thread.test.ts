// The way by which cells are entered is a global of the program: nothing comes of calling it.
import { expect, it } from 'vitest';
import { onEachNode, openLab } from '../fixture.ts';

/** Those that want arguments throw without. */
const callAll = `for (const name of Object.getOwnPropertyNames(globalThis).filter((one) => one.startsWith('__vivarium_')))
    try { globalThis[name]() } catch {}`;

onEachNode((node) => {
  it('A cell that calls what runs cells does not run again', async () => {
    await using lab = await openLab({ node });
    const session = await lab.open();
    await lab.value('globalThis.runs = 0', { session });
    const code = `globalThis.runs += 1;\n  if (globalThis.runs < 3) ${callAll}\n  globalThis.runs`;
    expect((await lab.evaluate(code, { session })).head).toBe('=> 1');
    expect((await lab.evaluate(code.replace('if (', 'await null; if ('), { session })).head).toBe('=> 2');
    expect((await lab.evaluate('6 * 7', { session })).head).toBe('=> 42');
  });
});
