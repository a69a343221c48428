// The same schemas where nothing can interrupt a check: the client as a page or a worker has it, without anything of Node.
import { createContext, Script } from 'node:vm';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import type { connect as Connect } from '../../../src/client/index.ts';
import { root } from '../../house/tree.ts';
import { attacked, longestGapMs } from './attacked-client.ts';
import { attacks } from './schema-attacks.ts';

let connect: typeof Connect;

beforeAll(async () => {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['src/client/index.ts'],
    bundle: true,
    format: 'iife',
    globalName: 'vivarium',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'silent',
    write: false,
  });
  const names = ['AbortController', 'AbortSignal', 'TextDecoder', 'TextEncoder', 'URL', 'performance', 'queueMicrotask', 'structuredClone'];
  names.push('clearInterval', 'clearTimeout', 'setInterval', 'setTimeout');
  const page = createContext(Object.fromEntries(names.map((name) => [name, Reflect.get(globalThis, name)])));
  new Script(outputFiles[0]!.text).runInContext(page);
  ({ connect } = page['vivarium']);
}, 60_000);

describe('a client in a browser, of a hostile server', () => {
  it.each(attacks)('goes on with other work while it checks a result: $name', { timeout: 120_000 }, async (attack) => {
    const { gapMs, value, failure, warnings } = await attacked(attack, connect);
    expect(gapMs).toBeLessThan(longestGapMs);
    if (failure !== undefined) expect(failure.code).toBe(attack.isTooDeep === true ? 'ERR_TOO_LARGE' : 'ERR_INVALID_RESULT');
    else expect(value).toBe(attack.value);
    for (const warning of warnings) expect(warning).toEqual({ code: 'schema', message: expect.stringContaining('not checked') });
    expect(failure !== undefined && warnings.length > 0).toBe(false);
  });

  it('is told which result was not checked and why, and the next one that is cheap is checked', async () => {
    const schema = { items: { pattern: '^[a-z]+(?:-[a-z]+)*$' } };
    const [warning] = (await attacked({ schema, value: ['a'.repeat(50)] }, connect)).warnings;
    expect(warning?.message).toBe(
      'This result of "t" is not checked against the output schema: it could take very long, and nothing here can interrupt a check',
    );
    expect((await attacked({ schema, value: [1] }, connect)).warnings).toEqual([]);
  });

  it.each([
    ['a pattern', { type: 'string', pattern: '^[a-z]+$' }, 'abc', 'A'],
    ['a format', { type: 'string', format: 'date' }, '2026-01-02', 'today'],
    [
      'choices',
      { anyOf: [{ type: 'string' }, { type: 'object', properties: { n: { type: ['integer', 'null'] } } }] },
      { n: null },
      { n: '' },
    ],
    ['a recursion', { properties: { next: { $ref: '#' }, n: { type: 'number' } } }, { next: { n: 1 } }, { next: { n: 'a' } }],
  ])('checks what is cheap: %s', async (_name, schema, right, wrong) => {
    expect(await attacked({ schema, value: right }, connect)).toMatchObject({ value: right, warnings: [], failure: undefined });
    expect((await attacked({ schema, value: wrong }, connect)).failure).toMatchObject({ code: 'ERR_INVALID_RESULT' });
  });
});
