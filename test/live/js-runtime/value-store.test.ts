// Values that are too large to be shown: they are cut, in bounded time, and cost nobody the session.
import { expect, it } from 'vitest';
import { onEachNode, openLab } from '../fixture.ts';

const large: Readonly<Record<string, readonly [code: string, head: RegExp]>> = {
  'a text of 100 MB': ["'x'.repeat(100e6)", /^=> 'x+'\.\.\. 99995000 more characters$/],
  'a text of many lines': ["'x\\n'.repeat(50e6)", /^=> 'x\\n' \+$/],
  'a text in an object': ["new String('x'.repeat(100e6))", /^=> 'x+'\.\.\. 99995000 more characters {3}#\d+/],
  'a buffer': ['Buffer.alloc(100e6)', /^=> <Buffer 00 00 .* \.\.\. 99999950 more bytes>/],
  'a huge integer': ['2n ** 2n ** 24n', /^=> \[bigint of more than 65536 bits\]$/],
  'the description of a symbol': ["Symbol('x'.repeat(100e6))", /^=> Symbol\(x+…$/],
  'the message of an error': ["new Error('x'.repeat(50e6))", /^=> Error: x+…/],
  'the message of an error that is thrown': ["throw new Error('x'.repeat(100e6))", /^\[ERROR\] Error: x+$/],
  'a text that is thrown': ["throw 'x'.repeat(100e6)", /^\[ERROR\] thrown: 'x+'\.\.\. 99999000 more characters$/],
  'the name of an error': ["throw Object.assign(new Error('a'), { name: 'n'.repeat(100e6) })", /^\[ERROR\] n+: a$/],
  'the key of a Map': ["new Map([['x'.repeat(100e6), 1]])", /^=> Map\(1\) \{$/],
  'the source of a function': ["new Function('/*' + 'x'.repeat(50e6) + '*/')", /^=> \[Function: anonymous\]/],
  'the name of a class': ["new (Object.defineProperty(class {}, 'name', { value: 'n'.repeat(70e6) }))()", /^=> n+…/],
};

onEachNode((node) => {
  it.each(Object.entries(large))('%s is shown in part, is looked into, and the session lives', async (_, [code, head]) => {
    await using lab = await openLab({ node, limits: { heapMb: 1_024, rssMb: 2_048 } });
    await lab.value('let kept = 42');
    const shown = await lab.evaluate(code);
    expect(shown.head).toMatch(head);
    expect(shown.text.length).toBeLessThan(20_000);
    const inside = await lab.call('inspect', { target: '_' });
    expect([inside.isError, inside.text.length < 20_000]).toEqual([false, true]);
    const after = await lab.evaluate('kept');
    expect(after.head).toBe('=> 42');
    expect(after.structured.generation).toBe(1);
  });
});
