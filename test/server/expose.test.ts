import { describe, expect, it } from 'vitest';
import { Server } from 'vivarium/server';
import { z } from 'zod';
import { matrix } from '../matrix/matrix.ts';

function createServer(): Server {
  const server = new Server({ name: 'shown', version: '1.0.0', expose: { resources: true, prompts: true } });
  server.resource('note:///index', { name: 'index' }, () => 'a\nb');
  server.resource('note:///picture', { name: 'picture', mimeType: 'image/png' }, () => new Uint8Array([1, 2, 3]));
  server.resource('note:///{id}{?tags*}', { name: 'note', description: 'One note' }, ({ id, tags }) =>
    id === 'none' ? undefined : `${id} ${(tags ?? []).join('+')}`,
  );
  server.prompt('review', { description: 'Review code', input: z.object({ code: z.string() }) }, ({ code }) => [
    { role: 'user', content: { type: 'text', text: `Review ${code}` } },
    { role: 'assistant', content: { type: 'text', text: 'Gladly.' } },
  ]);
  return server;
}

describe('a server that exposes resources and prompts', () => {
  matrix('can be used with tools alone', {}, async ({ connect }) => {
    const link = await connect(createServer());
    const { tools } = (await link.request('tools/list')).result;
    expect(tools.map((tool: { name: string }) => tool.name)).toEqual(['resource_list', 'resource_read', 'read_note', 'prompt_review']);
    expect(tools[2]).toMatchObject({
      description: 'One note',
      inputSchema: { properties: { id: { type: 'string' }, tags: { type: 'array' } }, required: ['id'] },
    });
    const text = async (name: string, args: object): Promise<unknown> => (await link.call(name, args)).result.content;
    expect(await text('resource_read', { uri: 'note:///index' })).toEqual([{ type: 'text', text: 'a\nb' }]);
    expect(await text('resource_read', { uri: 'note:///picture' })).toMatchObject([{ type: 'resource', resource: { blob: 'AQID' } }]);
    expect(await text('read_note', { id: 'x y', tags: ['p', 'q'] })).toEqual([{ type: 'text', text: 'x y p+q' }]);
    expect(await text('prompt_review', { code: '1+1' })).toEqual([
      { type: 'text', text: 'Review 1+1' },
      { type: 'text', text: 'assistant:' },
      { type: 'text', text: 'Gladly.' },
    ]);
    expect(JSON.stringify(await text('resource_list', {}))).toContain('note:///index');
    expect((await link.call('read_note', { id: 'none' })).result).toMatchObject({ isError: true });
  });

  it('takes the tool away with the thing', async () => {
    const server = new Server({ name: 'shown', version: '1.0.0', expose: { resources: true, prompts: true } });
    server.resource('a://{x}', { name: 'a' }, () => '').remove();
    server.prompt('p', {}, () => '').remove();
    server.resource('a://{x}', { name: 'a' }, () => '');
    server.prompt('p', {}, () => '');
  });
});
