// What looks like a secret, or is one of the host's, does not reach a model.
import { afterEach, expect, it } from 'vitest';
import { openLab } from './fixture.ts';

const token = 'quite-secret-value-0123';

afterEach(() => {
  delete process.env['TEST_API_KEY'];
});

it('T03 hides secrets of the host and of well-known shapes, in values, output and errors', async () => {
  process.env['TEST_API_KEY'] = token;
  await using lab = await openLab();
  const parts = [token, `ghp_${'a'.repeat(36)}`, `sk-${'b'.repeat(40)}`, `AKIA${'C'.repeat(16)}`];
  for (const secret of parts) {
    for (const code of [`'${secret}'`, `console.log('${secret}')`, `throw new Error('${secret}')`]) {
      expect((await lab.evaluate(code)).text).not.toContain(secret);
    }
  }
  expect((await lab.evaluate(`'${token}'`)).text).toContain('[secret TEST_API_KEY]');
});

it('E28 gives images the variables on the list and those that were named, and no others', async () => {
  process.env['TEST_API_KEY'] = token;
  await using lab = await openLab({ env: { NAMED: 'yes' } });
  expect(await lab.value('[process.env.TEST_API_KEY, process.env.NAMED, typeof process.env.PATH].join()')).toBe("',yes,string'");
  expect(await lab.value("require('node:fs').readFileSync('/proc/self/environ', 'utf8').includes('TEST_API_KEY')")).toBe('false');
});
