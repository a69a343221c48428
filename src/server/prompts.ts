// prompts/list and prompts/get: templates that a user picks, filled in with arguments that are strings on the wire.
import { cut, faults, RpcError } from '../jsonrpc/error.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { RevisionTraits } from '../protocol/revision.ts';
import type { ContentBlock, GetPromptResult, PromptMessage } from '../protocol/types.ts';
import type { JsonSchema } from '../schema/infer.ts';
import { denied, metaOf } from './access.ts';
import { type Reply, unknownName } from './answer.ts';
import type { Call } from './call.ts';
import type { Prompt, PromptReturn } from './prompt.ts';
import { blockFault, older } from './tool-result.ts';

export function listPrompts(call: Call, params: Params | undefined): Reply {
  const { core, traits, principal } = call;
  const declared = core.declaredBy(call);
  return core.prompts.page(
    traits,
    params?.['cursor'] as string | undefined,
    principal,
    (prompts, nextCursor, shared) =>
      core.listed({ prompts: prompts.map((prompt) => describePrompt(prompt, traits, declared)) }, nextCursor, traits, shared),
    declared.join(' '),
  );
}

function describePrompt(prompt: Prompt, traits: RevisionTraits, declared: readonly string[]): object {
  const { title, description, icons } = prompt.details;
  const meta = metaOf(prompt.details, declared);
  const list = argumentsOf(prompt.input?.json, traits);
  return {
    name: prompt.name,
    ...(title !== undefined && traits.titles && { title }),
    ...(description !== undefined && { description }),
    ...(icons !== undefined && traits.icons && { icons }),
    ...(list.length > 0 && { arguments: list }),
    ...(meta !== undefined && { _meta: meta }),
  };
}

function argumentsOf(json: JsonSchema | undefined, traits: RevisionTraits): object[] {
  const required = (json?.['required'] ?? []) as readonly string[];
  return Object.entries((json?.['properties'] ?? {}) as Record<string, Params>).map(([name, { title, description }]) => ({
    name,
    ...(title !== undefined && traits.titles && { title }),
    ...(description !== undefined && { description }),
    required: required.includes(name),
  }));
}

function findPrompt({ core, principal }: Call, params: Params | undefined): Prompt | undefined {
  const prompt = core.prompts.get(params?.['name'] as string);
  return prompt?.visibleTo === undefined || prompt.visibleTo(principal) ? prompt : undefined;
}

export async function getPrompt(call: Call, params: Params | undefined): Promise<Reply> {
  const prompt = findPrompt(call, params);
  if (prompt === undefined) return unknownName('prompt', params?.['name']);
  const refused = denied(call, prompt.details);
  if (refused !== undefined) return { error: refused };
  const given = (params?.['arguments'] ?? {}) as Params;
  const odd = Object.keys(given).find((name) => typeof given[name] !== 'string');
  if (odd !== undefined) return { error: faults.invalidParams(`Argument "${cut(odd)}" must be a string`) };
  const verdict = prompt.input === undefined ? { value: {} } : await prompt.input.check(given);
  if (verdict.problem !== undefined)
    return { error: faults.invalidParams(`Invalid arguments for prompt "${prompt.name}": ${verdict.problem}`) };
  const returned = (await prompt.handler(verdict.value as never, call)) as PromptReturn;
  return { result: call.finished(toResult(returned, prompt, call.traits)) };
}

function toResult(returned: PromptReturn, { name, details }: Prompt, traits: RevisionTraits): object {
  const whole = isWhole(returned) ? returned : { messages: typeof returned === 'string' ? [said(returned)] : [returned].flat() };
  const description = ('description' in whole ? whole.description : undefined) ?? details.description;
  const messages = whole.messages.map((message) => {
    const fault = message?.role === 'user' || message?.role === 'assistant' ? blockFault(message.content) : 'a message without a role';
    if (fault !== undefined) throw RpcError.internal(new TypeError(`Prompt "${name}" returned ${fault}`));
    return traits.blockMeta ? message : { ...message, content: older(message.content, traits) };
  });
  return { ...whole, ...(description !== undefined && { description }), messages };
}

function isWhole(returned: PromptReturn): returned is GetPromptResult {
  return typeof returned === 'object' && returned !== null && 'messages' in returned;
}

function said(text: string): PromptMessage {
  return { role: 'user', content: { type: 'text', text } satisfies ContentBlock };
}
