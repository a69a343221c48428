// Cases made for servers of others: how many, and that servers which check their input pass them.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { CheckTarget } from 'vivarium/check';
import { type GeneratedSuite, generateSuite, runSuite } from '../../src/check/cases/suite.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json');
const program = (...args: string[]): CheckTarget => ({ kind: 'command', command: process.execPath, args });
const servers: readonly (readonly [string, CheckTarget])[] = [
  ['our own fixture', program(fixture('stdio.mjs'))],
  ['the fixture of SDK 1', program(fixture('official-v1.mjs'), 'stdio')],
  ['the fixture of SDK 2', program(fixture('official-v2.mjs'), 'stdio')],
  ['server-everything', program(join(dirname(everything), 'dist', 'index.js'), 'stdio')],
];

/** What thirty servers have to give on average, so that there are seven hundred. */
const fair = 700 / 30;

describe('cases for a server as it is', () => {
  it.each(servers)('are enough for %s, and the same each time', { timeout: 60_000 }, async (_, target) => {
    const first = (await generateSuite(target)) as GeneratedSuite;
    expect(first.cases.length).toBeGreaterThan(fair);
    expect(new Set(first.cases.map(({ tool, name }) => `${tool} ${name}`)).size).toBe(first.cases.length);
    expect(await generateSuite(target)).toEqual(first);
  });

  it('are passed by a server that checks what it is given', { timeout: 120_000 }, async () => {
    const [, , , [, target]] = servers as [never, never, never, readonly [string, CheckTarget]];
    const { cases } = (await generateSuite(target)) as GeneratedSuite;
    // Tools that ask the client, or take their time by design.
    const plain = cases.filter(({ tool }) =>
      ['echo', 'get-sum', 'get-annotated-message', 'get-structured-content', 'get-resource-reference'].includes(tool),
    );
    expect(plain.length).toBeGreaterThan(40);
    const results = await runSuite(target, plain, { allowSideEffects: true });
    expect((results as readonly { verdict: string }[]).filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
  });
});
