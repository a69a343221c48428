// Parameters of tools that are marked to be repeated in headers.
import { isModern } from '../../model/revision.ts';
import type { Rule } from '../../model/rule.ts';
import type { Message } from '../../model/trace.ts';
import { asList, asRecord, at, brief, isRecord } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const names = ['designated', 'name-empty', 'name-token', 'name-control', 'name-unique', 'primitive', 'reachable'] as const;
const ids = names.map((name) => `http/param-headers/${name}` as const);

export const marks: Rule = {
  judges: ids,
  apply({ ledger, conversation }, judge) {
    if (!isModern(conversation.revision)) return;
    for (const [message, { method }] of ledger.answered) {
      if (method !== 'tools/list' || message.direction !== 'received') continue;
      const tools = at(message.value, 'result', 'tools');
      if (Array.isArray(tools) && !JSON.stringify(tools).includes('"x-mcp-header"'))
        for (const id of ids) judge.inapplicable(id, 'no tool has x-mcp-header');
      for (const tool of asList(tools)) {
        const used = new Set<string>();
        walk(asRecord(tool)['inputSchema'], true, { used, message, judge }, 0);
      }
    }
  },
};

interface Walk {
  readonly used: Set<string>;
  readonly message: Message;
  readonly judge: Judge;
}

function walk(schema: unknown, reachable: boolean, { used, message, judge }: Walk, depth: number): void {
  if (depth > 40) return;
  if (Array.isArray(schema)) {
    for (const one of schema) walk(one, false, { used, message, judge }, depth + 1);
    return;
  }
  if (!isRecord(schema)) return;
  if (Object.hasOwn(schema, 'x-mcp-header')) {
    const mark = schema['x-mcp-header'];
    const evidence = [message];
    const text = typeof mark === 'string' ? mark : '';
    judge.kept('http/param-headers/designated');
    judge.verdict('http/param-headers/name-empty', text !== '', `x-mcp-header is ${brief(mark)}`, evidence);
    const isControlled = /\p{Cc}/u.test(text);
    judge.verdict('http/param-headers/name-control', !isControlled, `x-mcp-header is ${brief(mark)}`, evidence);
    if (text !== '' && !isControlled)
      judge.verdict('http/param-headers/name-token', token.test(text), `x-mcp-header is ${brief(mark)}`, evidence);
    judge.verdict('http/param-headers/name-unique', !used.has(text.toLowerCase()), `x-mcp-header ${brief(mark)} occurs twice`, evidence);
    used.add(text.toLowerCase());
    const isPrimitive = ['string', 'integer', 'boolean'].includes(String(schema['type']));
    judge.verdict('http/param-headers/primitive', isPrimitive, `a parameter of the type ${brief(schema['type'])} is marked`, evidence);
    judge.verdict('http/param-headers/reachable', reachable, 'a marked parameter cannot be reached through properties alone', evidence);
  }
  for (const [key, inner] of Object.entries(schema)) {
    if (key === 'properties') for (const one of Object.values(asRecord(inner))) walk(one, reachable, { used, message, judge }, depth + 1);
    else if (typeof inner === 'object' && key !== 'const' && key !== 'enum' && key !== 'default' && key !== 'examples')
      walk(inner, false, { used, message, judge }, depth + 1);
  }
}
