// Edits that are made up: a thousand on each Node, from another start than those of the gate.
import { expect, it } from 'vitest';
import { onEachNode } from '../../../../fixture.ts';
import { proveMade } from '../made/prove.ts';

onEachNode((node) => {
  it('each of a thousand made-up edits leads to what a fresh start shows, or is told', { timeout: 3_600_000 }, async () => {
    const { counts, lies } = await proveMade(node, 1_000, 1_000);
    console.log(`1000 edits: ${JSON.stringify(counts)}`);
    expect(lies.join('\n\n')).toBe('');
    expect(counts['unfit']).toBeLessThan(100);
  });
});
