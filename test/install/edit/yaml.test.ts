import { describe, expect, it } from 'vitest';
import { addServer, type Place, removeServer } from '../../../src/install/edit/edit.ts';

const place: Place = { format: 'yaml', path: ['extensions'] };
const entry = { cmd: 'x', args: ['a'] };

describe('remarks of a YAML file', () => {
  it.each([
    'extensions:\n  old: {a: 1}\n      # about other\nother: 1\n',
    'extensions:\n  old:\n    a: 1\n    # about a\n  # about old\n# about other\nother: 1\n',
    'extensions:\n  old: 1\n\n  # far below\n',
  ])('stay with the entry above them, where they are indented further, when another is added and removed: %j', async (text) => {
    const added = await addServer(text, place, 'new', entry);
    const remarks = [...text.matchAll(/^ {3,}#.*$/gm)].map(([one]) => one);
    for (const remark of remarks) expect(added.indexOf(remark)).toBeLessThan(added.indexOf('new:'));
    expect(await removeServer(added, place, 'new')).toBe(text);
  });

  it('stay when the entry above them is removed', async () => {
    expect(await removeServer('extensions:\n  a:\n    cmd: x\n    # of a\n  b: 1\n# end\n', place, 'a')).toBe(
      'extensions:\n    # of a\n  b: 1\n# end\n',
    );
  });
});
