// The job every server under test does, independent of any library: four tools, and fillers to measure growth.
import { parseArgs } from 'node:util';

export const info = { name: 'bench-server', version: '1.0.0' };

/** Arguments of a server file: `<mode> [--tools N] [--resources N]`, and PORT in the environment for HTTP modes. */
export function options() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { tools: { type: 'string', default: '0' }, resources: { type: 'string', default: '0' } },
  });
  return {
    mode: positionals[0] ?? 'stdio',
    port: Number(process.env.PORT ?? 0),
    tools: Number(values.tools),
    resources: Number(values.resources),
  };
}

const text = (value) => ({ content: [{ type: 'text', text: value }] });

const baseTools = [
  {
    name: 'echo',
    description: 'Echo the text back',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    run: (input) => text(input.text),
  },
  {
    name: 'add',
    description: 'Add two numbers',
    inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
    run: (input) => text(String(input.a + input.b)),
  },
  {
    name: 'blob',
    description: 'Return a text of the given size',
    inputSchema: { type: 'object', properties: { size: { type: 'integer', minimum: 0 } }, required: ['size'] },
    run: (input) => text(blob(input.size)),
  },
  {
    name: 'any',
    description: 'Accept any payload',
    inputSchema: { type: 'object', properties: { payload: {} } },
    run: () => text('ok'),
  },
];

const fillerSchema = {
  type: 'object',
  properties: {
    query: { type: 'string', description: 'What to look for' },
    limit: { type: 'integer', minimum: 1, maximum: 100, description: 'How many results' },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['query'],
};

const filler = (index) => ({
  name: `tool_${index}`,
  description: `Filler tool number ${index}, registered to measure growth`,
  inputSchema: fillerSchema,
  run: (input) => text(input.query),
});

/** The four tools of the job, then `count` fillers. */
export const toolsWith = (count) => [...baseTools, ...Array.from({ length: count }, (_, index) => filler(index))];

export const resourcesWith = (count) =>
  Array.from({ length: count }, (_, index) => ({ name: `res_${index}`, uri: `bench://res/${index}`, text: `resource ${index}` }));

/** The same schemas in zod, for libraries that want them: (tool name) => zod object. */
export async function zodTwins() {
  const z = await import('zod');
  const base = {
    echo: z.object({ text: z.string() }),
    add: z.object({ a: z.number(), b: z.number() }),
    blob: z.object({ size: z.number().int().min(0) }),
    any: z.object({ payload: z.any() }),
  };
  const forFillers = z.object({
    query: z.string().describe('What to look for'),
    limit: z.number().int().min(1).max(100).describe('How many results').optional(),
    tags: z.array(z.string()).optional(),
  });
  return (name) => base[name] ?? forFillers;
}

// Kept between calls: the suites ask what an answer costs, not what making the text costs.
let lastBlob = '';

function blob(size) {
  if (lastBlob.length !== size) lastBlob = 'The quick brown fox jumps over the lazy dog.\n'.repeat(Math.ceil(size / 45)).slice(0, size);
  return lastBlob;
}
