// A tool in a file of its own, as authors write it: annotated, exported, and still inferred inside.
import { type Definition, defineTool } from 'vivarium/server';
import { z } from 'zod';

const input = z.object({ a: z.number() });
const output = z.object({ b: z.number() });

export const one: Definition = defineTool('one', { input, output }, ({ a }) => ({ b: a }));
