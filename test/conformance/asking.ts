// The part of the fixture that asks the client: forms, samples and roots, in one round and in several.
import type { Context, Elicited, Server } from 'vivarium/server';

const named = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
const confirmed = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] } as const;

export function addAsking(server: Server): void {
  addForms(server);
  addSampling(server);
  addRounds(server);
  server.prompt('test_input_required_result_prompt', { description: 'Asks before it speaks' }, async (_, ctx) => {
    const answer = await ctx.elicit('user_context', {
      message: 'What context should the prompt use?',
      schema: { type: 'object', properties: { context: { type: 'string' } }, required: ['context'] },
    });
    return `Use the following context: ${told(answer)}`;
  });
  takeUnasked(server);
}

function told(answer: Elicited<unknown>): string {
  return `action=${answer.action}, content=${JSON.stringify(answer.action === 'accept' ? answer.content : {})}`;
}

function addForms(server: Server): void {
  server.tool(
    'test_elicitation',
    {
      description: 'Asks the user for a name and an address',
      input: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    },
    async ({ message }, ctx) => {
      const answer = await ctx.elicit('response', {
        message,
        schema: {
          type: 'object',
          properties: {
            username: { type: 'string', description: "User's response" },
            email: { type: 'string', description: "User's email address" },
          },
          required: ['username', 'email'],
        },
      });
      return `User response: ${told(answer)}`;
    },
  );
  server.tool('test_elicitation_sep1034_defaults', { description: 'Asks with a default for everything' }, async (_, ctx) => {
    const answer = await ctx.elicit('defaults', {
      message: 'Please review and update the form fields with defaults',
      schema: {
        type: 'object',
        properties: {
          name: { type: 'string', default: 'John Doe' },
          age: { type: 'integer', default: 30 },
          score: { type: 'number', default: 95.5 },
          status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
          verified: { type: 'boolean', default: true },
        },
      },
    });
    return `Elicitation completed: ${told(answer)}`;
  });
  server.tool('test_elicitation_sep1330_enums', { description: 'Asks with every kind of choice' }, async (_, ctx) => {
    const answer = await ctx.elicit('choices', { message: 'Please select options from the enum fields', schema: choices });
    return `Elicitation completed: ${told(answer)}`;
  });
  server.tool('test_streaming_elicitation', { description: 'Reports, then asks' }, async (_, ctx) => {
    ctx.progress(1, 2);
    const answer = await ctx.elicit('user_name', { message: 'What is your name?', schema: named });
    return `Elicitation completed: ${told(answer)}`;
  });
}

const choices = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: {
      type: 'string',
      oneOf: [
        { const: 'value1', title: 'First Option' },
        { const: 'value2', title: 'Second Option' },
        { const: 'value3', title: 'Third Option' },
      ],
    },
    legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: {
      type: 'array',
      items: {
        anyOf: [
          { const: 'value1', title: 'First Choice' },
          { const: 'value2', title: 'Second Choice' },
          { const: 'value3', title: 'Third Choice' },
        ],
      },
    },
  },
} as const;

function addSampling(server: Server): void {
  server.tool(
    'test_sampling',
    {
      description: 'Asks the model of the client',
      input: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
    },
    async ({ prompt }, ctx) => `LLM response: ${await sampled(ctx, 'response', prompt)}`,
  );
  server.tool('test_input_required_result_sampling', { description: 'Asks the model for a capital' }, (_, ctx) =>
    sampled(ctx, 'capital_question', 'What is the capital of France?'),
  );
}

async function sampled(ctx: Context, key: string, question: string): Promise<string> {
  const { content } = await ctx.sample(key, {
    messages: [{ role: 'user', content: { type: 'text', text: question } }],
    maxTokens: 100,
  });
  return JSON.stringify(content);
}

function addRounds(server: Server): void {
  const elicits = (name: string, description: string, handler: (ctx: Context) => Promise<string>): void => {
    server.tool(`test_input_required_result_${name}`, { description }, (_, ctx) => handler(ctx));
  };
  elicits('elicitation', 'Asks for a name', async (ctx) => {
    const answer = await ctx.elicit('user_name', { message: 'What is your name?', schema: named });
    return answer.action === 'accept' ? `Hello, ${answer.content.name}!` : 'Hello, stranger!';
  });
  elicits('list_roots', 'Asks for the roots', async (ctx) => (await ctx.roots()).map(({ uri }) => uri).join('\n'));
  elicits('request_state', 'Asks for a confirmation', async (ctx) => {
    const answer = await ctx.elicit('confirm', { message: 'Please confirm', schema: confirmed });
    return `state-ok, ${told(answer)}`;
  });
  elicits('tampered_state', 'Asks for a confirmation nobody can forge', async (ctx) => {
    const answer = await ctx.elicit('confirm', { message: 'Please confirm', schema: confirmed });
    return `state-ok, ${told(answer)}`;
  });
  elicits('multiple_inputs', 'Asks for three things at once', async (ctx) => {
    const [name, greeting, roots] = await Promise.all([
      ctx.elicit('user_name', { message: 'What is your name?', schema: named }),
      sampled(ctx, 'greeting', 'Generate a greeting'),
      ctx.roots(),
    ]);
    return `${greeting} ${told(name)} ${JSON.stringify(roots)}`;
  });
  elicits('multi_round', 'Asks one thing after the other', async (ctx) => {
    const name = await ctx.elicit('step1', { message: 'Step 1: What is your name?', schema: named });
    const color = await ctx.elicit('step2', {
      message: 'Step 2: What is your favorite color?',
      schema: { type: 'object', properties: { color: { type: 'string' } }, required: ['color'] },
    });
    return `${told(name)}, ${told(color)}`;
  });
  elicits('capabilities', 'Asks what the client can be asked', async (ctx) => {
    const answers = await Promise.all([
      ctx.can('elicitation') ? ctx.elicit('user_name', { message: 'What is your name?', schema: named }) : undefined,
      ctx.can('sampling') ? sampled(ctx, 'greeting', 'Generate a greeting') : undefined,
    ]);
    return JSON.stringify(answers);
  });
}

/**
 * The library counts an answer only for a question it has asked, and then its requestState comes along. The suite sends a
 * first call with the answer in it and wants it taken (input-required-result-ignore-extra-params), so this author does.
 */
function takeUnasked(server: Server): void {
  server.around(async ({ name, params, ctx }, next) => {
    const { inputResponses, requestState } = params as { inputResponses?: { user_name?: unknown } | null; requestState?: unknown };
    const answer = inputResponses?.user_name as { action?: unknown; content?: { name?: unknown } } | null | undefined;
    const unasked = ctx.era === 'modern' && name === 'test_input_required_result_elicitation' && requestState === undefined;
    if (!unasked || answer?.action !== 'accept' || typeof answer.content?.name !== 'string') return next();
    return { content: [{ type: 'text', text: `Hello, ${answer.content.name}!` }] };
  });
}
