import { describe, expect, it } from 'vitest';
import { type Outcome, runCheck } from 'vivarium/check';
import { Server } from 'vivarium/server';
import { pipeTarget } from '../../pipe-target.ts';

/** The verdict on a tool with such a property. */
async function valid(property: object, $schema?: string): Promise<Outcome | undefined> {
  const inputSchema = { ...($schema !== undefined && { $schema }), type: 'object', properties: { given: property } };
  const out = (line: string): string => {
    const message = JSON.parse(line) as { result?: { tools?: object[] } };
    if (message.result?.tools !== undefined) message.result.tools = [{ name: 'look', inputSchema }];
    return JSON.stringify(message);
  };
  const create = (): Server => {
    const server = new Server({ name: 'schemas', version: '1.0.0' });
    server.tool('look', { description: 'Looks' }, () => 'seen');
    return server;
  };
  const { runs } = await runCheck(
    pipeTarget(create, () => ({ out })),
    { revision: '2025-11-25', only: ['json-schema/valid'] },
  );
  return runs[0]?.outcomes[0];
}

const dialects = [
  ['2020-12', undefined],
  ['2019-09', 'https://json-schema.org/draft/2019-09/schema'],
  ['draft-07', 'http://json-schema.org/draft-07/schema#'],
] as const;

describe.each(dialects)('a schema in %s', (_, dialect) => {
  it.each([
    // "This array SHOULD have at least one element. Elements in the array SHOULD be unique."
    ['an enum without members', { enum: [] }],
    ['an enum that repeats itself', { enum: ['a', 'a', { b: 1 }, { b: 1 }] }],
    // "This string SHOULD be a valid regular expression, according to the ECMA-262 regular expression dialect."
    ['a pattern of another language', { type: 'string', pattern: '(?i)^a$' }],
    ['a pattern that does without the flag u', { type: 'string', pattern: '^[\\w-.]+$' }],
    ['such names of properties', { patternProperties: { '(?i)^a$': { type: 'string' } } }],
    // Keywords that a dialect does not know are annotations.
    ['the keyword id of draft-04', { id: 'given', type: 'string' }],
    ['the keyword nullable of OpenAPI', { nullable: true }],
    ['both of them where a type contradicts', { id: 7, type: 'null', nullable: false }],
  ])('may have %s', async (_what, property) => {
    expect(await valid(property, dialect)).toMatchObject({ verdict: 'passed' });
  });

  it.each([
    ['a type that is none', { type: 'any' }],
    ['an enum that is no list', { enum: 'a' }],
    ['a pattern that is no text', { pattern: 7 }],
    ['a fault beside a pattern of another language', { type: 'any', pattern: '(?i)^a$' }],
    ['a reference that leads nowhere', { $ref: '#/$defs/none' }],
    ['a name twice in required', { required: ['a', 'a'] }],
  ])('must not have %s', async (_what, property) => {
    expect(await valid(property, dialect)).toMatchObject({ verdict: 'failed' });
  });
});
