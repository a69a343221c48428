import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root, vivarium } from '../../../vivarium.ts';

const refusing = [process.execPath, join(root, 'test/fixtures/refusing.mjs')];

it('calls a tool of a server that refuses to list its tools', async () => {
  const { code, stdout, stderr } = await vivarium(['call', 'one', 'any=1', '--', ...refusing, 'tools/list']);
  expect([code, stdout]).toEqual([0, 'called\n']);
  expect(stderr).toBe('warning: tools/list was not answered (error -32601); the name is sent unchecked\n');
});
