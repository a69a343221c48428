// The server that the official conformance suite expects: its tools, resources and prompts, under the names it calls.
import { setTimeout as sleep } from 'node:timers/promises';
import { audio, image, Server, ToolError } from 'vivarium/server';
import { z } from 'zod';
import { addAsking } from './asking.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const wav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==';

/** A server of its own for every caller: some tools change what is registered. */
export function createFixture(): Server {
  const server = new Server({ name: 'conformance', version: '1.0.0' });
  // First, because the suite calls whatever tool is listed first, without arguments.
  addContents(server);
  addReports(server);
  addSchemas(server);
  addAsking(server);
  addResources(server);
  addPrompts(server);
  // Last, so that what they add and remove stands behind everything else.
  addChanges(server);
  return server;
}

function addContents(server: Server): void {
  server.tool('test_simple_text', { description: 'Gives a text' }, () => 'This is a simple text response for testing.');
  server.tool('test_image_content', { description: 'Gives an image' }, () => image(png, 'image/png'));
  server.tool('test_audio_content', { description: 'Gives a sound' }, () => audio(wav, 'audio/wav'));
  server.tool('test_embedded_resource', { description: 'Gives a resource' }, () => ({
    type: 'resource',
    resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'This is an embedded resource content.' },
  }));
  server.tool('test_multiple_content_types', { description: 'Gives a text, an image and a resource' }, () => [
    'Multiple content types test:',
    image(png, 'image/png'),
    {
      type: 'resource',
      resource: { uri: 'test://mixed-content-resource', mimeType: 'application/json', text: '{"test":"data","value":123}' },
    },
  ]);
  server.tool('test_error_handling', { description: 'Always fails' }, () => {
    throw new ToolError('This tool intentionally returns an error for testing');
  });
}

function addReports(server: Server): void {
  server.tool('test_tool_with_logging', { description: 'Logs three times' }, async (_, ctx) => {
    ctx.log.info('Tool execution started');
    await sleep(50);
    ctx.log.info('Tool processing data');
    await sleep(50);
    ctx.log.info('Tool execution completed');
    return 'Logged three times';
  });
  server.tool('test_tool_with_progress', { description: 'Reports progress three times' }, async (_, ctx) => {
    ctx.progress(0, 100);
    await sleep(50);
    ctx.progress(50, 100);
    await sleep(50);
    ctx.progress(100, 100);
    return 'Reported three times';
  });
  server.tool('test_logging_tool', { description: 'Logs, for those who asked for it' }, (_, ctx) => {
    ctx.log.info('Nobody hears this who gave no level');
    return 'Logged';
  });
  server.tool('test_reconnection', { description: 'Ends its stream before it answers' }, async (_, ctx) => {
    ctx.detach(500);
    await sleep(150);
    return 'Answered after the stream had ended';
  });
}

/** Word for word as the suite looks for it in the list. */
const dialect = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: { $anchor: 'addressDef', type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema has it
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
} as const;

function addSchemas(server: Server): void {
  server.tool('json_schema_2020_12_tool', { description: 'Tool with JSON Schema 2020-12 features', input: dialect }, (args) =>
    JSON.stringify(args),
  );
  server.tool(
    'test_x_mcp_header',
    {
      description: 'Has an argument that travels in a header too',
      input: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
    },
    ({ region }) => `region: ${region}`,
  );
  server.tool('test_missing_capability', { description: 'Needs a client that samples', needs: ['sampling'] }, () => 'It can');
}

function addResources(server: Server): void {
  const described = { description: 'For tests' };
  server.resource(
    'test://static-text',
    { name: 'static-text', mimeType: 'text/plain', ...described },
    () => 'This is the content of the static text resource.',
  );
  server.resource('test://static-binary', { name: 'static-binary', mimeType: 'image/png', ...described }, () => Buffer.from(png, 'base64'));
  server.resource('test://watched-resource', { name: 'watched-resource', mimeType: 'text/plain', ...described }, () => 'Watched');
  server.resource('test://template/{id}/data', { name: 'template', mimeType: 'application/json', ...described }, ({ id }) =>
    JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  );
}

function addPrompts(server: Server): void {
  server.prompt('test_simple_prompt', { description: 'Has no arguments' }, () => 'This is a simple prompt for testing.');
  server.prompt(
    'test_prompt_with_arguments',
    {
      description: 'Has two arguments',
      input: z.object({ arg1: z.string().describe('First test argument'), arg2: z.string().describe('Second test argument') }),
      complete: { arg1: (value) => ['paris', 'park', 'party'].filter((each) => each.startsWith(value)) },
    },
    ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  );
  server.prompt(
    'test_prompt_with_embedded_resource',
    { description: 'Embeds a resource', input: z.object({ resourceUri: z.string().describe('URI of the resource to embed') }) },
    ({ resourceUri }) => [
      {
        role: 'user',
        content: {
          type: 'resource',
          resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        },
      },
      { role: 'user', content: { type: 'text', text: 'Please process the embedded resource above.' } },
    ],
  );
  server.prompt('test_prompt_with_image', { description: 'Shows an image' }, () => [
    { role: 'user', content: image(png, 'image/png') },
    { role: 'user', content: { type: 'text', text: 'Please analyze the image above.' } },
  ]);
}

/** Each call adds what the one before removed. */
function addChanges(server: Server): void {
  const toggle = (register: () => { remove(): void }): (() => string) => {
    let added: { remove(): void } | undefined;
    return () => {
      if (added === undefined) {
        added = register();
        return 'Added';
      }
      added.remove();
      added = undefined;
      return 'Removed';
    };
  };
  const tool = (): { remove(): void } => server.tool('test_dynamic_tool', { description: 'Comes and goes' }, () => 'Here');
  const prompt = (): { remove(): void } => server.prompt('test_dynamic_prompt', { description: 'Comes and goes' }, () => 'Here');
  server.tool('test_trigger_tool_change', { description: 'Changes the list of tools' }, toggle(tool));
  server.tool('test_trigger_prompt_change', { description: 'Changes the list of prompts' }, toggle(prompt));
}
