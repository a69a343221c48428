// A server that does everything right and has something of everything; all of its tools may be called.
import { image, Server } from 'vivarium/server';
import { z } from 'zod';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const annotations = { readOnlyHint: true };

export function createHonest(): Server {
  const server = new Server({ name: 'honest', version: '1.0.0' });
  server.tool('greet', { description: 'Greets', input: z.object({ name: z.string() }), annotations }, ({ name }) => `Hello ${name}`);
  server.tool('measure', { description: 'Measures', output: z.object({ degrees: z.number() }), annotations }, () => ({ degrees: 21 }));
  server.tool('work', { description: 'Reports progress and logs', annotations }, (_, ctx) => {
    ctx.log.info('begun');
    ctx.progress(1, 2);
    ctx.progress(2, 2);
    return 'done';
  });
  server.tool('ask', { description: 'Asks the user', input: z.object({ of: z.string().optional() }), annotations }, async (_, ctx) => {
    const answer = await ctx.elicit('name', {
      message: 'Your name?',
      schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    });
    return `The user says ${answer.action}`;
  });
  server.resource('honest://text', { name: 'text', mimeType: 'text/plain', description: 'A text' }, () => 'A text');
  server.resource('honest://picture', { name: 'picture', mimeType: 'image/png', description: 'A picture' }, () =>
    Buffer.from(png, 'base64'),
  );
  server.resource('honest://{id}/data', { name: 'data', description: 'By id' }, ({ id }) => `Data of ${id}`);
  server.prompt(
    'write',
    {
      description: 'Writes about a topic',
      input: z.object({ topic: z.string() }),
      complete: { topic: (value) => ['ferns', 'frogs'].filter((one) => one.startsWith(value)) },
    },
    ({ topic }) => `Write about ${topic}`,
  );
  server.prompt('show', { description: 'Shows a picture and a text' }, () => [
    { role: 'user', content: image(png, 'image/png') },
    { role: 'user', content: { type: 'resource', resource: { uri: 'honest://text', mimeType: 'text/plain', text: 'A text' } } },
  ]);
  return server;
}
