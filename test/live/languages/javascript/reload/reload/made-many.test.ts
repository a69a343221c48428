// Edits that are made up: two hundred on each Node, from another start than those of every edit; `npm run edits` runs thousands.
import { expect, it } from 'vitest';
import { onEachNode } from '../../../../fixture.ts';
import { proveMade } from '../made/prove.ts';

onEachNode((node) => {
  it('each of two hundred made-up edits leads to what a fresh start shows, or is told', { timeout: 3_600_000 }, async () => {
    const { counts, lies } = await proveMade(node, 1_000, 200);
    console.log(`200 edits: ${JSON.stringify(counts)}`);
    expect(lies.join('\n\n')).toBe('');
    expect(counts['unfit']).toBeLessThan(20);
  });
});
