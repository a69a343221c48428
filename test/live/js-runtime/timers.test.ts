// The way by which callbacks of timers are entered is a global of the program: nothing comes of calling it.
import { expect, it } from 'vitest';
import { onEachNode, openLab } from '../fixture.ts';

onEachNode((node) => {
  it.each(['setTimeout', 'setImmediate'])('A callback of %s that calls what runs callbacks does not run again', async (schedule) => {
    await using lab = await openLab({ node });
    const callback = '() => { runs += 1; if (runs < 3) globalThis.__vivarium_timer?.(); done(runs); }';
    expect((await lab.evaluate(`let runs = 0; await new Promise((done) => ${schedule}(${callback}))`)).head).toBe('=> 1');
    const nested = `await new Promise((done) => ${schedule}(() => ${schedule}(() => done('inner'))))`;
    expect((await lab.evaluate(nested)).head).toBe("=> 'inner'");
  });
});
