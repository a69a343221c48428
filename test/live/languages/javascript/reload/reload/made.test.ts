// Edits that are made up, from a fixed start: some here, more in made-many.test.ts, thousands by `npm run edits`.
import { env } from 'node:process';
import { expect, it } from 'vitest';
import { onEachNode } from '../../../../fixture.ts';
import { proveMade } from '../made/prove.ts';

const [from, count] = [Number(env['VIVARIUM_EDITS_FROM'] ?? 1), Number(env['VIVARIUM_EDITS'] ?? 50)];

onEachNode((node) => {
  it('a made-up edit leads to what a fresh start shows, or the answer names what does not follow', { timeout: 3_600_000 }, async () => {
    const { counts, lies } = await proveMade(node, from, count);
    console.log(`${count} edits from ${from} on: ${JSON.stringify(counts)}`);
    expect(lies.join('\n\n')).toBe('');
    expect(counts['unfit']).toBeLessThan(count / 10);
  });
});
