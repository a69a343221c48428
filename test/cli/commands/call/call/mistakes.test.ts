// What somebody is told who calls a tool in a way that cannot work.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root, vivarium } from '../../../vivarium.ts';

let folder: string;

beforeAll(() => {
  mkdirSync(join(root, '.cache'), { recursive: true });
  folder = mkdtempSync(join(root, '.cache', 'mistakes-'));
  writeFileSync(
    join(folder, 'server.mjs'),
    `import { Server } from 'vivarium/server';
const server = new Server({ name: 'mistakes', version: '1' });
const open = { type: 'object', properties: { text: { type: 'string' }, loud: { type: 'boolean' } } };
const colour = { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] };
server.tool('say', { input: open }, (given) => JSON.stringify(given));
server.tool('any', { input: { ...open, additionalProperties: true } }, (given) => JSON.stringify(given));
server.tool('ask', {}, async (_, ctx) => JSON.stringify(await ctx.elicit('colour', { message: 'Which?', schema: colour })));
server.tool('end', {}, () => { console.log('a word'); process.exit(3); });
server.tool('must', { needs: ['elicitation'] }, () => 'asked');
export default server;
`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const call = (...words: string[]) => vivarium(['call', 'server.mjs', ...words], { cwd: folder });

describe('an argument that the tool does not have', () => {
  it('is refused with the nearest name, where the schema would have let it pass', async () => {
    const { code, stdout, stderr } = await call('say', 'text=hi', 'lod=true');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(
      'vivarium: The tool "say" has no argument "lod". Did you mean "loud"?\n  say(text?: string, loud?: boolean)\n  --no-check sends it as it is\n',
    );
  });

  it('is sent where it is meant: unlike any other, beside its neighbour, in a schema for any name, and with --no-check', async () => {
    expect((await call('say', 'volume=9')).stdout).toBe('{"volume":"9"}\n');
    expect((await call('say', 'text=a', 'texts=b')).stdout).toBe('{"text":"a","texts":"b"}\n');
    expect((await call('any', 'lod=true')).stdout).toBe('{"lod":"true"}\n');
    expect((await call('say', 'lod=true', '--no-check')).stdout).toBe('{"lod":"true"}\n');
  });
});

it('a tool that ends its server is told as such, and not by what the server said of its output', async () => {
  const { code, stderr } = await call('end');
  expect(code).toBe(4);
  expect(stderr).toMatch(/exited with code 3/);
  expect(stderr).toMatch(/not known/);
});

describe.each(['2025-06-18', '2026-07-28'])('a tool that asks, without a terminal, in %s', (revision) => {
  it.each(['ask', 'must'])('fails with the flag that answers: %s', async (tool) => {
    const { code, stderr } = await call(tool, '--spec-version', revision);
    expect(code).toBe(5);
    expect(stderr).toContain('\n  It wants to ask something. Answer with --answer name=value, or run this on a terminal\n');
    expect((await call(tool, '--answer', 'colour=red', '--spec-version', revision)).code).toBe(0);
  });
});
