import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root, vivarium } from '../../vivarium.ts';

const refusing = [process.execPath, join(root, 'test/fixtures/refusing.mjs')];

describe('prompt', () => {
  it('gets a prompt of a server that refuses to list its prompts', async () => {
    const { code, stdout, stderr } = await vivarium(['prompt', 'two', '--', ...refusing, 'prompts/list']);
    expect([code, stdout]).toEqual([0, '[user]\nprompted\n']);
    expect(stderr).toBe('warning: prompts/list was not answered (error -32601); the name is sent unchecked\n');
  });

  it('names the argument that was probably meant', async () => {
    const { code, stderr } = await vivarium(['prompt', 'two', 'tpoic=ferns', '--', ...refusing]);
    expect([code, stderr]).toEqual([2, 'vivarium: The prompt "two" has no argument "tpoic". Did you mean "topic"?\n  It takes topic\n']);
  });
});
