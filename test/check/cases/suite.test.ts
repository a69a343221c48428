// Cases made from schemas, kept in a file, run against a server.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Server } from 'vivarium/server';
import { type Case, readSuite, suiteText } from '../../../src/check/cases/case.ts';
import { type Generated, generateCases } from '../../../src/check/cases/generate.ts';
import { type GeneratedSuite, generateSuite, runSuite } from '../../../src/check/cases/suite.ts';
import { fixture, vivarium } from '../../cli/vivarium.ts';
import { pipeTarget } from '../pipe-target.ts';

const inputSchema = {
  type: 'object',
  properties: {
    query: { type: 'string', minLength: 2, maxLength: 5 },
    limit: { type: 'integer', minimum: 1, maximum: 10 },
    order: { enum: ['up', 'down'] },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 2 },
  },
  required: ['query'],
  additionalProperties: false,
} as const;

function create(): Server {
  const server = new Server({ name: 'search', version: '1.0.0' });
  server.tool(
    'search',
    { description: 'Searches', annotations: { readOnlyHint: true }, input: inputSchema },
    ({ query }) => `found ${query}`,
  );
  server.tool('clear', { description: 'Clears' }, () => 'cleared');
  return server;
}

const byName = ({ cases }: Generated): ReadonlyMap<string, Case> => new Map(cases.map((one) => [one.name, one]));

describe('cases made from a schema', () => {
  const named = async (): Promise<ReadonlyMap<string, Case>> => byName(await generateCases({ name: 'search', inputSchema }));

  it('are valid, at the bounds, invalid by each keyword, incomplete, with more than is known, and hostile', async () => {
    const cases = await named();
    expect(cases.get('only what is required')).toMatchObject({
      kind: 'valid',
      arguments: { query: 'xx' },
      expect: { outcome: 'accepted' },
    });
    expect(cases.get('everything there is')?.arguments).toEqual({ query: 'xx', limit: 1, order: 'up', tags: [] });
    expect(cases.get('query: left out')).toMatchObject({ kind: 'missing', arguments: {}, expect: { outcome: 'refused' } });
    expect(cases.get('query: as long as may be')).toMatchObject({ kind: 'boundary', arguments: { query: 'xxxxx' } });
    expect(cases.get('query: too long')).toMatchObject({ kind: 'invalid', arguments: { query: 'xxxxxx' }, expect: { outcome: 'refused' } });
    expect(cases.get('limit: the most')?.arguments).toEqual({ query: 'xx', limit: 10 });
    expect(cases.get('limit: more than the most')).toMatchObject({ kind: 'invalid', arguments: { limit: 11 } });
    expect(cases.get('limit: a fraction')?.kind).toBe('invalid');
    expect(cases.get('order: the choice "down"')?.kind).toBe('boundary');
    expect(cases.get('order: no choice')?.kind).toBe('invalid');
    expect(cases.get('tags: too long')?.kind).toBe('invalid');
    expect(cases.get('a member that is not known, and not allowed')).toMatchObject({ kind: 'extra', expect: { outcome: 'refused' } });
    expect(cases.get('query: a null character')).toMatchObject({ kind: 'hostile', expect: { outcome: 'answered' } });
  });

  it('are what the schema says they are: none is called valid that is not', async () => {
    const cases = await named();
    expect(cases.get('query: no text')).toBeUndefined();
    expect(cases.get('a member that is not known')).toBeUndefined();
    expect(cases.get('limit: zero')).toBeUndefined();
  });

  it('are the same each time', async () => {
    expect(suiteText([...(await named()).values()])).toBe(suiteText([...(await named()).values()]));
  });

  it.each([
    [{}, 'it has no name or no schema'],
    [{ name: 'x', inputSchema: false }, 'it has no name or no schema'],
    [{ name: 'x', inputSchema: { type: 'nonsense' } }, 'its schema cannot be compiled'],
    [{ name: 'x', inputSchema: { type: 'object', properties: { a: false }, required: ['a'] } }, 'no arguments could be made'],
  ])('are none for %j, and that is said', async (tool, why) => {
    expect(await generateCases(tool)).toEqual({ cases: [], note: expect.stringContaining(why) });
  });

  it('end, whatever a stranger’s pattern is', async () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string', pattern: '^(a|a)*$' }, b: { type: 'string', pattern: '(x+x+)+y' } },
    };
    expect((await generateCases({ name: 'slow', inputSchema: schema })).cases.length).toBeGreaterThan(0);
  });
});

describe('a file of cases', () => {
  it('is read as it was written', async () => {
    const { cases } = await generateCases({ name: 'search', inputSchema });
    expect(readSuite(suiteText(cases))).toEqual(JSON.parse(JSON.stringify(cases)));
  });

  it.each([
    ['no', 'is not JSON'],
    ['{"version":1}', 'is no file of cases'],
    ['{"version":1,"cases":[{"name":"a","tool":"b","arguments":{},"expect":{"outcome":"fine"}}]}', 'has a case 1 that expects "fine"'],
    ['{"version":1,"cases":[{"name":"a","tool":"b"}]}', 'has a case 1 that lacks its arguments'],
    [
      '{"version":1,"cases":[{"name":"a","tool":"b","arguments":{},"expect":{"outcome":"ok","contians":"x"}}]}',
      'expects "contians", which is none of',
    ],
    ['{"version":1,"cases":[{"name":"a","tool":"b","arguments":{},"expect":{"outcome":"ok","snapshot":"x"}}]}', 'not a snapshot or false'],
    ['{"version":1,"cases":[{"name":"a","tool":"b","arguments":{},"expect":{"outcome":"ok","code":1.5}}]}', 'not a whole number'],
  ])('that is %s is refused: %s', (text, problem) => {
    expect(readSuite(text)).toMatchObject({ problem: expect.stringContaining(problem) });
  });
});

describe('a run of cases', () => {
  it('passes on a server that keeps to its schemas, and calls nothing that may do harm', async () => {
    const { cases } = (await generateSuite(pipeTarget(create))) as GeneratedSuite;
    const results = await runSuite(pipeTarget(create), cases);
    expect(results).toHaveLength(cases.length);
    const of = (verdict: string) => (results as readonly { verdict: string; case: Case }[]).filter((one) => one.verdict === verdict);
    expect(of('failed')).toEqual([]);
    expect(new Set(of('not-run').map(({ case: { tool } }) => tool))).toEqual(new Set(['clear']));
    expect(of('passed').length).toBeGreaterThan(20);
  });

  it('holds what a user expects against what comes back', async () => {
    const one = (expect: Case['expect'], tool = 'search'): Case => ({ name: 'mine', tool, arguments: { query: 'ferns' }, expect });
    const results = await runSuite(pipeTarget(create), [
      one({ outcome: 'ok', contains: 'found ferns' }),
      one({ outcome: 'ok', contains: 'moss' }),
      one({ outcome: 'refused' }),
      one({ outcome: 'ok', structured: { a: 1 } }),
      one({ outcome: 'ok' }, 'none'),
      one({ outcome: 'ok', text: 'found ferns' }),
      one({ outcome: 'ok', text: 'found fern' }),
      one({ outcome: 'answered', code: -32602 }),
    ]);
    expect(results).toMatchObject([
      { verdict: 'passed' },
      { verdict: 'failed', message: 'the text does not contain "moss"' },
      { verdict: 'failed', message: expect.stringContaining('expected refused, got success') },
      { verdict: 'failed', message: 'expected {"a":1}, got nothing' },
      { verdict: 'not-run', message: 'there is no tool none' },
      { verdict: 'passed' },
      { verdict: 'failed', message: 'expected "found fern", got "found ferns"' },
      { verdict: 'failed', message: 'expected the error -32602, got nothing' },
    ]);
  });
});

describe('check --generate and --tests', { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'vivarium-cases-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'cases.json');

  it('write cases, run them, and fail where one fails', async () => {
    expect(await vivarium(['check', '--generate', file, '--', ...fixture])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+ cases are written/),
    });
    const { cases } = JSON.parse(readFileSync(file, 'utf8'));
    expect(cases.length).toBeGreaterThan(20);
    const run = () => vivarium(['check', '--tests', file, '--allow-side-effects', '--', ...fixture]);
    writeFileSync(file, suiteText(cases.filter(({ tool }: Case) => tool === 'echo' || tool === 'add')));
    expect(await run()).toMatchObject({ code: 0, stdout: expect.stringContaining(' 0 failed, 0 not run') });
    writeFileSync(file, suiteText([{ name: 'mine', tool: 'echo', arguments: { text: 'a' }, expect: { outcome: 'ok', contains: 'b' } }]));
    expect(await run()).toMatchObject({ code: 1, stdout: expect.stringContaining('✗ echo  mine') });
    const own = { name: 'mine', tool: 'echo', arguments: { text: 'a' }, expect: { outcome: 'ok', text: 'a' } };
    const [made, ...others] = cases as readonly Case[];
    const gone = { ...made, name: 'no longer made' };
    writeFileSync(file, suiteText([{ ...made, expect: { outcome: 'answered', contains: 'x' } } as Case, gone as Case, own as Case]));
    expect(await vivarium(['check', '--generate', file, '--', ...fixture])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('(2 as they were expected before, 1 that are no longer made left out)'),
    });
    const now = JSON.parse(readFileSync(file, 'utf8')).cases;
    expect(now).toEqual([{ ...made, expect: { outcome: 'answered', contains: 'x' } }, ...others, own]);
    writeFileSync(file, 'no');
    expect(await vivarium(['check', '--generate', file, '--', ...fixture])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not JSON'),
    });
    expect(readFileSync(file, 'utf8')).toBe('no');
    expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining('is not JSON') });
  });
});
