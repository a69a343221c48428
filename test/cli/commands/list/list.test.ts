import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root, vivarium } from '../../vivarium.ts';

const refusing = [process.execPath, join(root, 'test/fixtures/refusing.mjs')];
const lists = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'];

describe('list of a server that refuses a list', () => {
  it.each(lists)('shows what there is and names what is not answered: %s', async (method) => {
    const { code, stdout, stderr } = await vivarium(['list', '--', ...refusing, method]);
    expect([code, stderr]).toEqual([0, `warning: ${method} was not answered: error -32601: Method not found\n`]);
    const shown = ['Tools: 1', 'Resources: 1', 'Templates: 1', 'Prompts: 1'].filter((title) => stdout.includes(title));
    expect(shown).toHaveLength(3);
  });

  it('says the same in JSON', async () => {
    const { code, stdout, stderr } = await vivarium(['list', '--format', 'json', '--', ...refusing, 'resources/list', 'prompts/list']);
    expect([code, stderr]).toEqual([0, '']);
    const { tools, templates, resources, prompts, unanswered } = JSON.parse(stdout);
    expect([tools.length, templates.length, resources, prompts]).toEqual([1, 1, undefined, undefined]);
    expect(unanswered).toEqual(['resources/list', 'prompts/list'].map((method) => ({ method, code: -32601, message: 'Method not found' })));
  });

  it('fails where nothing that was asked for is answered', async () => {
    for (const args of [
      ['list', 'resources', '--', ...refusing, 'resources/list'],
      ['list', '--', ...refusing, ...lists],
    ]) {
      const { code, stdout, stderr } = await vivarium(args);
      expect([code, stdout]).toEqual([5, '']);
      expect(stderr).toContain('The server answered with the error -32601: Method not found');
    }
  });
});
