// How a live server presents itself, and what it says while it works.
import { expect, it } from 'vitest';
import { modelView } from 'vivarium';
import { openLab } from '../fixture.ts';

it('A live server presents itself under the name and version it was given', async () => {
  await using lab = await openLab({ name: 'shop', version: '7.0.0' });
  expect(lab.client.server).toMatchObject({ name: 'shop', version: '7.0.0' });
  expect(lab.client.instructions).toContain('live image');
});

it('A live server answers in words, which stand in the structured part too: no client leaves them out', async () => {
  await using lab = await openLab({ tools: 'all' });
  expect((await lab.client.listTools()).filter(({ outputSchema }) => outputSchema === undefined)).toEqual([]);
  for (const code of ['6 * 7', 'nowhere']) {
    const result = await lab.client.callTool('evaluate', { code });
    const [block] = result.content;
    const text = block?.type === 'text' ? block.text : '';
    expect(text).toMatch(/^=> 42|^\[ERROR\] ReferenceError/);
    expect(result.structuredContent).toMatchObject({ session: 'main', generation: 1, text });
    expect(modelView(result)).toEqual(result.content);
  }
});

it('A live server reports progress while an evaluation runs, with what was printed last', async () => {
  await using lab = await openLab();
  const told: (string | undefined)[] = [];
  const code = "console.log('at work'); await new Promise((r) => setTimeout(r, 2_500)); 1";
  await lab.client.callTool('evaluate', { code }, { onProgress: ({ message }) => told.push(message) });
  expect(told).toContain('at work');
});
