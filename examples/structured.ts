// Structured results: one schema gives the advertised type, the check, and the text a model reads.
import assert from 'node:assert/strict';
import { result, Server, ToolError } from 'vivarium/server';
import { createWire } from 'vivarium/testing';
import { z } from 'zod';

const Note = z.object({ id: z.string(), text: z.string(), tags: z.array(z.string()).default([]) });
const notes = new Map([
  ['a', 'Water the ferns'],
  ['b', 'Feed the geckos'],
]);

const server = new Server({ name: 'notes', version: '1.0.0' });

server.tool('note_get', { input: z.object({ id: z.string() }), output: Note, annotations: { readOnlyHint: true } }, ({ id }) => {
  const text = notes.get(id);
  if (text === undefined) throw new ToolError(`No note ${id}. Known: ${[...notes.keys()].join(', ')}`);
  return { id, text };
});

server.tool('note_all', { output: z.array(Note), text: 'auto' }, () =>
  result(
    [...notes].map(([id, text]) => ({ id, text })),
    { content: [{ type: 'resource_link', uri: 'note:///index', name: 'index' }] },
  ),
);

export default server;

const wire = createWire(server);
await wire.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'me', version: '1' } });

const found = await wire.request('tools/call', { name: 'note_get', arguments: { id: 'a' } });
assert.deepEqual((found.result as { structuredContent: unknown }).structuredContent, { id: 'a', text: 'Water the ferns', tags: [] });

const missing = await wire.request('tools/call', { name: 'note_get', arguments: { id: 'z' } });
assert.deepEqual(missing.result, { content: [{ type: 'text', text: 'No note z. Known: a, b' }], isError: true });

// Up to 2025-11-25 a structured result is an object, so a list travels as { result: [...] }; 2026-07-28 gets the list itself.
const all = await wire.request('tools/call', { name: 'note_all' });
assert.equal((all.result as { structuredContent: { result: unknown[] } }).structuredContent.result.length, 2);

process.stdout.write(wire.transcript.text());
await wire.close();
