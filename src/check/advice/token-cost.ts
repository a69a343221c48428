// What the list of tools costs every conversation, in tokens.

import type { Surface } from '../model/surface.ts';
import type { Json } from '../model/value.ts';
import { type Advice, nameOf } from './advice.ts';
import { sorted } from './schema-change.ts';
import { estimateTokens } from './token-estimate.ts';

export interface Bill {
  /** About this many tokens, sent with every request to a model. */
  readonly tokens: number;
  /** The dearest first. */
  readonly tools: readonly { readonly name: string; readonly tokens: number }[];
}

const dearList = 10_000;
const dearTool = 2_000;

/** Of what clients hand to models: name, description and the schema of the input. */
export function billOf({ tools }: Pick<Surface, 'tools'>): Bill {
  const each = tools.map((tool) => ({ name: nameOf(tool), tokens: estimateTokens(shown(tool)) }));
  return {
    tokens: each.reduce((sum, { tokens }) => sum + tokens, 0),
    tools: each.sort((one, other) => other.tokens - one.tokens || one.name.localeCompare(other.name)),
  };
}

export function billAdvice(surface: Pick<Surface, 'tools'>): readonly Advice[] {
  const { tokens, tools } = billOf(surface);
  const advice: Advice[] = [];
  if (tokens > dearList) {
    const dearest = tools.slice(0, 3).map((tool) => `${tool.name} ${tool.tokens}`);
    const message = `cost about ${tokens} tokens in every conversation; the dearest: ${dearest.join(', ')}`;
    advice.push({ id: 'quality/tokens/list', about: 'tools', message });
  }
  for (const { name, tokens: cost } of tools.filter((tool) => tool.tokens > dearTool)) {
    advice.push({ id: 'quality/tokens/tool', about: `tool ${name}`, message: `costs about ${cost} tokens in every conversation` });
  }
  return advice;
}

function shown({ name, description, inputSchema }: Json): string {
  return JSON.stringify(sorted({ name, description, inputSchema }));
}
