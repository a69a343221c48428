// Headers that repeat what the body says, in 2026-07-28.
import { type Body, list, members } from './hands.ts';

const plain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

function encoded(value: string): string {
  const isPlain = plain.test(value) && !/^=\?base64\?.*\?=$/.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

export function wordOf(params: Body, method: string): string | undefined {
  const word =
    method === 'tools/call' || method === 'prompts/get' ? params['name'] : method === 'resources/read' ? params['uri'] : undefined;
  return typeof word === 'string' ? encoded(word) : undefined;
}

export function paramHeaders(tools: readonly Body[], params: Body): Record<string, string> {
  const tool = tools.find(({ name }) => name === params['name']);
  const given = members(params['arguments']);
  const headers: Record<string, string> = {};
  for (const [name, schema] of Object.entries(members(members(tool?.['inputSchema'])['properties']))) {
    const mark = members(schema)['x-mcp-header'];
    const value = given[name];
    if (typeof mark === 'string' && value !== undefined && value !== null)
      headers[`mcp-param-${mark.toLowerCase()}`] = encoded(String(value));
  }
  return headers;
}

/** Whether the marks of a tool keep to the rules. */
export function isSound(tool: Body): boolean {
  return list(Object.values(members(members(tool['inputSchema'])['properties']))).every((schema) => {
    const { 'x-mcp-header': mark, type } = members(schema);
    return mark === undefined || (typeof mark === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(mark) && type !== 'object' && type !== 'array');
  });
}
