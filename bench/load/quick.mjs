// A server on stdio with one of everything and no tool that takes its time: what `vivarium check` is measured on.
import { serveStdio } from 'vivarium/serve/stdio';
import { Server } from 'vivarium/server';

const server = new Server({ name: 'quick', version: '1.0.0', onError: () => undefined });
const annotations = { readOnlyHint: true };
const text = { type: 'string', description: 'Any text' };
const object = (properties) => ({ type: 'object', properties, required: Object.keys(properties), additionalProperties: false });
const person = { message: 'Who are you?', schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } };
const question = { messages: [{ role: 'user', content: { type: 'text', text: 'Say hi' } }], maxTokens: 10 };
const words = ['ant', 'bee', 'beetle'];
const complete = (value) => words.filter((word) => word.startsWith(value));

server.tool('echo', { description: 'Says it back', annotations, input: object({ text }) }, (given) => given.text);
server.tool(
  'length',
  { description: 'Counts', annotations, input: object({ text }), output: object({ length: { type: 'integer' } }) },
  (given) => ({
    length: given.text.length,
  }),
);
server.tool('steps', { description: 'Reports progress', annotations }, (_, ctx) => {
  for (let step = 1; step <= 3; step++) ctx.progress(step, 3);
  return 'done';
});
server.tool('log', { description: 'Logs', annotations }, (_, ctx) => {
  ctx.log('error', 'a line');
  return 'logged';
});
server.tool('ask', { description: 'Asks the user', annotations }, async (_, ctx) => (await ctx.elicit('who', person)).action);
server.tool('think', { description: 'Asks the model', annotations }, async (_, ctx) => (await ctx.sample('hi', question)).model);
server.resource('note:///index', { name: 'index', mimeType: 'text/plain' }, () => words.join());
server.resource('note:///of/{id}', { name: 'note', mimeType: 'text/plain', complete: { id: complete } }, ({ id }) =>
  words.includes(id) ? `about ${id}` : undefined,
);
server.prompt(
  'review',
  { description: 'Reviews', input: object({ text }), complete: { text: complete } },
  (given) => `Review ${given.text}`,
);

await serveStdio(server);
