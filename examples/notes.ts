// Resources, a template and a prompt over the same notes; a change is told to those who subscribed.
import assert from 'node:assert/strict';
import { Server } from 'vivarium/server';
import { createWire } from 'vivarium/testing';
import { z } from 'zod';

const notes = new Map([
  ['ferns', 'Water the ferns'],
  ['geckos', 'Feed the geckos'],
]);

const server = new Server({ name: 'notes', version: '1.0.0' });

server.resource('note:///index', { name: 'index', mimeType: 'text/plain' }, () => [...notes.keys()].join('\n'));

server.resource(
  'note:///{id}',
  {
    name: 'note',
    mimeType: 'text/plain',
    list: () => [...notes.keys()].map((id) => ({ uri: `note:///${id}`, name: id })),
    complete: { id: (value) => [...notes.keys()].filter((id) => id.startsWith(value)) },
  },
  ({ id }) => notes.get(id), // undefined: not found, with the code of the client's revision
);

server.prompt('plan', { description: 'Plan the day', input: z.object({ hours: z.coerce.number().positive() }) }, ({ hours }) => [
  { role: 'user', content: { type: 'text', text: `I have ${hours} hours. What first?` } },
  { role: 'user', content: { type: 'resource', resource: { uri: 'note:///index', text: [...notes.keys()].join('\n') } } },
]);

server.tool('note_set', { input: z.object({ id: z.string(), text: z.string() }) }, ({ id, text }) => {
  notes.set(id, text);
  server.resourceUpdated(`note:///${id}`);
});

export default server;

const wire = createWire(server);
await wire.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'me', version: '1' } });
wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' });

const list = (await wire.request('resources/list')).result as { resources: { uri: string }[] };
assert.deepEqual(
  list.resources.map(({ uri }) => uri),
  ['note:///index', 'note:///ferns', 'note:///geckos'],
);

await wire.request('resources/subscribe', { uri: 'note:///ferns' });
await wire.request('tools/call', { name: 'note_set', arguments: { id: 'ferns', text: 'Mist the ferns' } });
assert.deepEqual(await wire.next(), { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'note:///ferns' } });

const read = (await wire.request('resources/read', { uri: 'note:///ferns' })).result as { contents: { text: string }[] };
assert.equal(read.contents[0]?.text, 'Mist the ferns');

const prompt = (await wire.request('prompts/get', { name: 'plan', arguments: { hours: '2' } })).result as { messages: unknown[] };
assert.equal(prompt.messages.length, 2);

process.stdout.write(wire.transcript.text());
await wire.close();
