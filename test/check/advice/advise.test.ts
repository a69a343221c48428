// Advice on surfaces: each fault is found where it is, and a good surface gets none.
import { describe, expect, it } from 'vitest';
import { adviceOn } from '../../../src/check/advice/advise.ts';
import { billOf } from '../../../src/check/advice/token-cost.ts';
import { estimateTokens } from '../../../src/check/advice/token-estimate.ts';

type Json = Record<string, unknown>;

const good = {
  name: 'get_weather',
  description: 'The weather of a city, now.',
  inputSchema: { type: 'object', properties: { city: { type: 'string', description: 'Its name' } }, required: ['city'] },
  annotations: { readOnlyHint: true },
};
const surface = (tools: readonly Json[], more: Partial<Record<'resources' | 'templates' | 'prompts', readonly Json[]>> = {}) => ({
  tools,
  resources: [],
  templates: [],
  prompts: [],
  ...more,
});
const ids = (tool: Json): string[] => adviceOn(surface([{ ...good, ...tool }])).map(({ id }) => id);
const schema = (properties: Json, more: Json = {}): Json => ({
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, { description: 'It', ...(one as Json) }])),
    ...more,
  },
});

it('has nothing to say on a good surface', () => {
  const prompts = [{ name: 'review', description: 'Reviews code', arguments: [{ name: 'code', description: 'The code' }] }];
  const resources = [{ uri: 'file:///a', name: 'a', description: 'A file', mimeType: 'text/plain' }];
  const templates = [{ uriTemplate: 'file:///{path}', name: 'files', description: 'Files', mimeType: 'text/plain' }];
  expect(adviceOn(surface([good], { prompts, resources, templates }))).toEqual([]);
});

describe('texts', () => {
  it.each([
    ['a missing description', { description: undefined }, 'quality/description/missing'],
    ['an empty one', { description: '  ' }, 'quality/description/missing'],
    ['one that is the name', { description: 'Get_Weather' }, 'quality/description/same-as-name'],
    ['one that is too long', { description: 'x'.repeat(1025) }, 'quality/vendors/description-length'],
    ['a silent parameter', { inputSchema: { type: 'object', properties: { a: {} } } }, 'quality/parameters/description'],
  ])('are judged: %s', (_, tool, id) => {
    expect(ids(tool)).toEqual([id]);
  });

  it('of resources, templates and prompts are judged too', () => {
    const found = adviceOn(
      surface([], {
        resources: [{ uri: 'file:///a', name: 'a' }],
        templates: [{ uriTemplate: 'x:{a}', name: 'x', description: 'X' }],
        prompts: [{ name: 'p', description: 'P it', arguments: [{ name: 'q' }] }],
      }),
    );
    expect(found.map(({ id, about }) => `${id} ${about}`)).toEqual([
      'quality/parameters/description prompt p',
      'quality/description/missing resource file:///a',
      'quality/resources/mime-type resource file:///a',
      'quality/resources/mime-type template x:{a}',
    ]);
  });
});

describe('what vendors refuse', () => {
  const nested = (levels: number): Json => (levels === 0 ? { type: 'string' } : { type: 'object', properties: { a: nested(levels - 1) } });

  it.each([
    ['a name with a dot', { name: 'a.b' }, 'quality/vendors/name'],
    ['a name of 65 characters', { name: 'a'.repeat(65) }, 'quality/vendors/name-length'],
    ['a union at the root', schema({}, { anyOf: [{ required: ['a'] }] }), 'quality/vendors/root-union'],
    ['a reference at the root', { inputSchema: { type: 'object', $ref: '#/$defs/A', description: 'A' } }, 'quality/vendors/root-reference'],
    ['an array without items', schema({ a: { type: ['array', 'null'] } }), 'quality/vendors/array-items'],
    ['a property with brackets', schema({ 'a[]': { type: 'string' } }), 'quality/vendors/property-names'],
    ['a format', schema({ a: { type: 'string', format: 'uri' } }), 'quality/vendors/formats'],
    ['an enum of numbers', schema({ a: { enum: [1, 2] } }), 'quality/vendors/enum-types'],
    ['a reference with siblings', schema({ a: { $ref: '#/$defs/A', title: 'A' } }), 'quality/vendors/reference-siblings'],
    ['eleven levels', schema({ a: nested(10) }), 'quality/vendors/depth'],
    [
      'a definition that holds itself',
      schema({ a: { $ref: '#/$defs/A' } }, { $defs: { A: { type: 'object', properties: { next: { $ref: '#/$defs/A' } } } } }),
      'quality/vendors/recursion',
    ],
  ])('is found: %s', (_, tool, id) => {
    expect(ids(tool)).toContain(id);
  });

  it.each([
    ['a union inside', schema({ a: { anyOf: [{ type: 'string' }, { type: 'number' }] } })],
    ['an array with items', schema({ a: { type: 'array', items: { type: 'string' } } })],
    ['a date', schema({ a: { type: 'string', format: 'date-time' } })],
    ['ten levels', schema({ a: nested(9) })],
    ['a reference', schema({ a: { $ref: '#/$defs/A' } }, { $defs: { A: { type: 'string' } } })],
    ['a property called anyOf', schema({ anyOf: { type: 'string' } })],
  ])('is not: %s', (_, tool) => {
    expect(ids(tool)).toEqual([]);
  });

  it('is told with the place, the vendor and the number of places', () => {
    const [advice] = adviceOn(surface([{ ...good, ...schema({ a: { type: 'array' }, b: { type: 'array' } }) }]));
    expect(advice).toEqual({
      id: 'quality/vendors/array-items',
      about: 'tool get_weather',
      path: '/inputSchema/properties/a',
      message: 'has an array without items: "array schema missing items" (2 places)',
      vendors: ['OpenAI'],
    });
  });

  it('is more than 128 tools', () => {
    const tools = Array.from({ length: 129 }, (_, index) => ({ ...good, name: `tool${index}` }));
    expect(adviceOn(surface(tools)).map(({ id }) => id)).toEqual(['quality/vendors/many']);
    expect(adviceOn(surface(tools.slice(1)))).toEqual([]);
  });
});

describe('hints', () => {
  it.each([
    ['delete_file', {}, ['quality/hints/destructive']],
    ['dropTable', undefined, ['quality/hints/destructive']],
    ['rm_rf', {}, ['quality/hints/destructive']],
    ['rm_rf', { readOnlyHint: true }, ['quality/hints/contradiction']],
    ['delete_file', { destructiveHint: true }, []],
    ['delete_draft', { destructiveHint: false }, []],
    ['purge', { readOnlyHint: true }, ['quality/hints/contradiction']],
    ['undeleted_items', { readOnlyHint: true }, []],
    ['get', { readOnlyHint: true, destructiveHint: true }, ['quality/hints/contradiction']],
    ['write_file', {}, ['quality/hints/missing']],
  ])('of %s with %j: %j', (name, annotations, expected) => {
    expect(ids({ name, annotations })).toEqual(expected);
  });

  it.each([
    ['Deletes all files of a folder.', { readOnlyHint: true }, ['quality/hints/contradiction']],
    ['Permanently deletes a user and all that is theirs.', {}, ['quality/hints/destructive']],
    ['Removes the background of an image.', { readOnlyHint: true }, []],
    ['Lists files that were deleted.', { readOnlyHint: true }, []],
  ])('of a tool that says "%s" with %j: %j', (description, annotations, expected) => {
    expect(ids({ name: 'tidy', description, annotations })).toEqual(expected);
  });
});

describe('names', () => {
  it('that are there twice, or nearly', () => {
    const tools = ['a_b', 'a_b', 'A-b', 'c'].map((name) => ({ ...good, name }));
    expect(adviceOn(surface(tools)).map(({ id, about }) => `${id} ${about}`)).toEqual([
      'quality/names/duplicate tool a_b',
      'quality/names/alike tools a_b, A-b',
    ]);
  });
});

describe('the bill', () => {
  it.each([
    // Counted with o200k_base.
    [23, '{"name":"get_weather","description":"The weather of a city, now.","inputSchema":{"type":"object"}}'],
    [21, '{"name":"search","description":"搜索知识库中的文档并返回最相关的结果。"}'],
    [
      105,
      '{"name":"create_issue","description":"Create a new issue in a GitHub repository. Returns the number of the issue and its URL.",' +
        '"inputSchema":{"type":"object","properties":{"owner":{"type":"string","description":"Repository owner"},"repo":{"type":"string",' +
        '"description":"Repository name"},"title":{"type":"string","description":"Issue title"},"labels":{"type":"array","items":' +
        '{"type":"string"},"description":"Labels to apply to this issue"}},"required":["owner","repo","title"]}}',
    ],
  ])('counts about the %i tokens that a tokenizer counts', (counted, text) => {
    expect(estimateTokens(text) / counted).toBeGreaterThan(0.85);
    expect(estimateTokens(text) / counted).toBeLessThan(1.25);
  });

  it('has the dearest tool first', () => {
    const { tokens, tools } = billOf(surface([good, { ...good, name: 'dear', description: 'word '.repeat(100) }]));
    expect(tools.map(({ name }) => name)).toEqual(['dear', 'get_weather']);
    expect(tokens).toBe(tools.reduce((sum, tool) => sum + tool.tokens, 0));
  });

  it('is advised on when it is high', () => {
    const dear = { ...good, description: 'word '.repeat(2_500) };
    const found = adviceOn(surface(Array.from({ length: 5 }, (_, index) => ({ ...dear, name: `tool${index}` }))));
    expect(found.filter(({ id }) => id === 'quality/tokens/list')).toHaveLength(1);
    expect(found.filter(({ id }) => id === 'quality/tokens/tool')).toHaveLength(5);
  });
});

describe('a hostile surface', () => {
  it('is judged in bounded time, whatever its members are', () => {
    let deep: unknown = { type: 'array' };
    for (let level = 0; level < 20_000; level += 1) deep = { properties: { a: deep } };
    const tools = [
      { name: 7, inputSchema: null },
      { inputSchema: [] },
      { name: 'deep', inputSchema: deep },
      { annotations: 'x', description: 5 },
    ];
    expect(adviceOn(surface(tools as Json[])).length).toBeGreaterThan(4);
  });
});
