// Completion as the requirement lists have it: what can be completed, and with how many values.
import { describe, expect, it } from 'vitest';
import type { Server } from 'vivarium/server';
import { z } from 'zod';
import { matrix } from '../../matrix/matrix.ts';
import { ask, createServer, openWire } from '../fixture.ts';

const languages = ['pascal', 'perl', 'php', 'prolog', 'python', 'ruby'];

function createCompleting(): Server {
  const { server } = createServer();
  const starting = (value: string) => languages.filter((one) => one.startsWith(value));
  server.prompt(
    'code_review',
    { input: z.object({ language: z.string(), style: z.string().optional() }), complete: { language: starting } },
    ({ language }) => language,
  );
  server.resource('file:///{+path}', { complete: { path: (value) => Array.from({ length: 250 }, (_, at) => `${value}${at}`) } }, () => 'A');
  return server;
}

const prompt = { type: 'ref/prompt', name: 'code_review' };
const template = { type: 'ref/resource', uri: 'file:///{+path}' };

describe('completion/complete', () => {
  matrix('gives values for an argument of a prompt', {}, async ({ connect }) => {
    const link = await connect(createCompleting());
    const { result } = await link.request('completion/complete', { ref: prompt, argument: { name: 'language', value: 'py' } });
    expect(result.completion).toEqual({ values: ['python'], total: 1, hasMore: false });
    const other = await link.request('completion/complete', { ref: prompt, argument: { name: 'style', value: 'x' } });
    expect(other.result.completion).toEqual({ values: [], total: 0, hasMore: false });
  });

  matrix('gives at most a hundred values for a variable of a template, and says how many there are', {}, async ({ connect }) => {
    const link = await connect(createCompleting());
    const { completion } = (await link.request('completion/complete', { ref: template, argument: { name: 'path', value: 'a' } })).result;
    expect(completion.values).toEqual(Array.from({ length: 100 }, (_, at) => `a${at}`));
    expect(completion).toMatchObject({ total: 250, hasMore: true });
  });

  it('of the example is answered under its id', async () => {
    const wire = await openWire(createCompleting());
    await wire.quiet();
    const params = { ref: prompt, argument: { name: 'language', value: 'p' } };
    wire.send({ jsonrpc: '2.0', id: 'c', method: 'completion/complete', params });
    expect(await wire.quiet()).toEqual([
      { jsonrpc: '2.0', id: 'c', result: { completion: { values: languages.slice(0, 5), total: 5, hasMore: false } } },
    ]);
  });

  it.each<[string, object]>([
    ['no reference', {}],
    ['a reference of no type', { ref: {} }],
    ['a reference of another type', { ref: { ...prompt, type: 'ref/tool' } }],
    ['an unknown prompt', { ref: { ...prompt, name: 'nobody' } }],
    ['an unknown template', { ref: { ...template, uri: 'file:///{other}' } }],
    ['no argument', { ref: prompt, argument: undefined }],
    ['an argument without a value', { ref: prompt, argument: { name: 'language' } }],
    ['an argument without a name', { ref: prompt, argument: { value: 'p' } }],
  ])('refuses %s', async (_, params) => {
    const wire = await openWire(createCompleting());
    const { error } = await ask(wire, 'completion/complete', { argument: { name: 'language', value: 'p' }, ...params });
    expect(error.code).toBe(-32602);
  });
});
