import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compile, constructors, wireTypes } from '../compile.ts';
import { reference } from '../official.ts';

describe.skipIf(!reference)('the official examples', () => {
  it('are values of our types, member for member', async () => {
    const folder = join(reference ?? '', 'spec', 'examples-2026-07-28');
    const lines = readdirSync(folder).flatMap((type) =>
      readdirSync(join(folder, type)).map((file, index) => {
        const value = JSON.stringify(JSON.parse(readFileSync(join(folder, type, file), 'utf8')));
        return `const ${type}_${index}: Ours.${type} = ${value}; // ${file}`;
      }),
    );
    expect(lines.length).toBeGreaterThan(100);
    const text = `import type * as Ours from '${wireTypes}';\n${lines.join('\n')}\n`;
    expect(await compile(new Map([['examples.ts', text]]))).toEqual([]);
  }, 60_000);
});

const wrong: readonly (readonly [what: string, line: string])[] = [
  ['resource contents with text and blob', `const x: Ours.TextResourceContents = { uri: 'a:b', text: 'a', blob: 'YQ==' };`],
  ['read contents with text and blob', `const x: Ours.ReadResourceResult = { contents: [{ uri: 'a:b', text: 'a', blob: 'YQ==' }] };`],
  ['resource contents with neither', `const x: Ours.EmbeddedResource['resource'] = { uri: 'a:b' };`],
  [
    'a response with result and error',
    `const x: Ours.JSONRPCResponse = { jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: 'm' } };`,
  ],
  ['a response with neither', `const x: Ours.JSONRPCResponse = { jsonrpc: '2.0', id: 1 };`],
  [
    'a message with result and error',
    `const x: Ours.JSONRPCMessage = { jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: 'm' } };`,
  ],
  ['a result with id null', `const x: Ours.JSONRPCResponse = { jsonrpc: '2.0', id: null, result: {} };`],
  ['a request with id null', `const x: Ours.JSONRPCRequest = { jsonrpc: '2.0', id: null, method: 'ping' };`],
  ['a notification with an id', `const x: Ours.JSONRPCNotification = { jsonrpc: '2.0', id: 1, method: 'notifications/initialized' };`],
  ['an unknown content type', `const x: Ours.CallToolResult = { content: [{ type: 'video', data: '', mimeType: 'video/mp4' }] };`],
  ['a misspelt member of a result', `const x: Ours.CallToolResult = { content: [], isErorr: true };`],
  ['a tool result that asks for input', `const x: Ours.CallToolResult = { content: [], resultType: 'input_required' };`],
  ['a link as sampled content', `const x: Ours.SamplingMessage = userMessage(resourceLink({ uri: 'a:b', name: 'b' }));`],
  ['a tool use as a prompt', `const x: Ours.PromptMessage = assistantMessage({ type: 'tool_use', id: '1', name: 'n', input: {} });`],
  ['a present but undefined member', `const x: Ours.Tool = { name: 'n', inputSchema: { type: 'object' }, title: undefined };`],
  ['a change to a received value', `((tool: Ours.Tool) => { tool.name = 'other'; });`],
];

const right: readonly string[] = [
  `const a: Ours.Result = { anything: 1 };`,
  `const b: Ours.JSONRPCMessage = { jsonrpc: '2.0', id: 1, method: 'own/method', params: { anything: 1 } };`,
  `const c: Ours.JSONRPCErrorResponse = { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } };`,
  `const d: Ours.ClientCapabilities = { roots: { later: true }, later: { a: 1 } };`,
  `const e: Ours.PromptMessage[] = [userMessage('hi'), assistantMessage(image('aGk=', 'image/png')), userMessage(resourceLink({ uri: 'a:b', name: 'b' }))];`,
  `const f: Ours.SamplingMessage[] = [userMessage('hi'), userMessage({ type: 'text', text: 'hi' }), assistantMessage([{ type: 'tool_use', id: '1', name: 'n', input: {} }])];`,
  `((answer: Ours.CallToolResult | Ours.InputRequiredResult) => answer.resultType === 'input_required' ? answer.requestState : answer.content);`,
  `((answer: Ours.JSONRPCResponse) => answer.error === undefined ? answer.result : answer.error.code);`,
  `((contents: Ours.EmbeddedResource['resource']): string => contents.text === undefined ? contents.blob : contents.text);`,
  `((result: Ours.ListToolsResult, ask: Ours.InputRequiredResult): Ours.Result[] => [result, ask]);`,
];

describe('a value of the wire types', () => {
  it('cannot be built wrong', async () => {
    const files = new Map(wrong.map(([, line], index) => [`wrong-${index}.ts`, refused(line)]));
    expect(await compile(files)).toEqual([]);
  }, 60_000);

  it('can be built in every way that is right', async () => {
    expect(await compile(new Map([['right.ts', `${imports}${right.join('\n')}\n`]]))).toEqual([]);
  }, 60_000);
});

const imports = `import type * as Ours from '${wireTypes}';
import { assistantMessage, image, resourceLink, userMessage } from '${constructors}';
void [assistantMessage, image, resourceLink, userMessage];
`;

function refused(line: string): string {
  return `${imports}// @ts-expect-error\n${line}\n`;
}
