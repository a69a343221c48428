// Prompts: templates that a user picks, filled in with arguments that are strings on the wire.
import { cut, errorCodes, faults, RpcError } from '../jsonrpc/error.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { RevisionTraits } from '../protocol/revision.ts';
import type { ContentBlock, GetPromptResult, Icon, PromptMessage } from '../protocol/types.ts';
import type { InputOf, JsonSchema, OutputOf } from '../schema/infer.ts';
import type { Schema } from '../schema/schema.ts';
import type { Reply } from './answer.ts';
import type { Call } from './call.ts';
import type { Completer } from './completion.ts';
import type { Context, Principal } from './context.ts';
import { type Access, denied } from './access.ts';
import type { Listed } from './listing.ts';
import { blockFault, older } from './result.ts';

/** What of a prompt can change while it is registered. */
export interface PromptDetails extends Access {
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  /** `_meta` in the list. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

export interface PromptOptions<I = undefined> extends PromptDetails {
  /** Every property must accept a string: that is all the wire carries. */
  readonly input?: I;
  readonly complete?: { readonly [Name in ArgumentNames<I>]?: Completer };
}

type ArgumentNames<I> = [I] extends [undefined] ? never : Extract<keyof InputOf<I>, string>;

export type PromptHandler<I> = (
  args: [I] extends [undefined] ? Readonly<Record<string, unknown>> : OutputOf<I>,
  ctx: Context,
) => PromptReturn | Promise<PromptReturn>;

/** A string is one message of the user. */
export type PromptReturn = string | PromptMessage | readonly PromptMessage[] | GetPromptResult;

export class Prompt implements Listed {
  readonly name: string;
  readonly details: PromptDetails;
  readonly handler: (args: never, ctx: Call) => unknown;
  readonly input: Schema | undefined;
  readonly complete: Readonly<Record<string, Completer>> | undefined;
  readonly visibleTo?: (principal: Principal | undefined) => boolean;

  constructor(
    name: string,
    details: PromptDetails,
    handler: Prompt['handler'],
    input: Schema | undefined,
    complete: Readonly<Record<string, Completer>> | undefined,
  ) {
    this.name = name;
    this.details = details;
    this.handler = handler;
    this.input = input;
    this.complete = complete;
    if (details.visible !== undefined) this.visibleTo = details.visible;
  }

  with(details: PromptDetails): Prompt {
    return new Prompt(this.name, { ...this.details, ...details }, this.handler, this.input, this.complete);
  }

  get ready(): boolean {
    return this.input === undefined || this.input.ready;
  }

  prepare(): Promise<void> | undefined {
    return this.input?.prepare();
  }

  describe(traits: RevisionTraits): object {
    const { title, description, icons, meta } = this.details;
    const list = argumentsOf(this.input?.json, traits);
    return {
      name: this.name,
      ...(title !== undefined && traits.titles && { title }),
      ...(description !== undefined && { description }),
      ...(icons !== undefined && traits.icons && { icons }),
      ...(list.length > 0 && { arguments: list }),
      ...(meta !== undefined && { _meta: meta }),
    };
  }
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

/** Which argument could never arrive, because the wire carries only strings; undefined when all can. */
export function unsayable(json: JsonSchema): string | undefined {
  const properties = Object.entries((json['properties'] ?? {}) as Record<string, Params | boolean>);
  return properties.find(([, property]) => !acceptsString(property))?.[0];
}

function acceptsString(property: Params | boolean | undefined): boolean {
  if (typeof property !== 'object' || property === null) return property !== false;
  const { type, anyOf, oneOf, enum: choices, const: only } = property;
  if (only !== undefined) return typeof only === 'string';
  if (Array.isArray(choices)) return choices.some((choice) => typeof choice === 'string');
  if (Array.isArray(anyOf ?? oneOf)) return ((anyOf ?? oneOf) as Params[]).some(acceptsString);
  return type === undefined || type === 'string' || (Array.isArray(type) && type.includes('string'));
}

export function listPrompts(call: Call, params: Params | undefined): Reply {
  return call.core.prompts.page(call.traits, params?.['cursor'] as string | undefined, call.principal);
}

export function findPrompt({ core, principal }: Call, params: Params | undefined): Prompt | undefined {
  const prompt = core.prompts.get(params?.['name'] as string);
  return prompt?.visibleTo === undefined || prompt.visibleTo(principal) ? prompt : undefined;
}

export async function getPrompt(call: Call, params: Params | undefined): Promise<Reply> {
  const prompt = findPrompt(call, params);
  if (prompt === undefined) {
    const details = `Unknown prompt: ${cut(String(params?.['name']))}`;
    return { error: { code: errorCodes.invalidParams, message: details, data: { details } } };
  }
  const refused = denied(call, prompt.details);
  if (refused !== undefined) return { error: refused };
  const given = (params?.['arguments'] ?? {}) as Params;
  const odd = Object.keys(given).find((name) => typeof given[name] !== 'string');
  if (odd !== undefined) return { error: faults.invalidParams(`Argument "${cut(odd)}" must be a string`) };
  const verdict = prompt.input === undefined ? { value: {} } : await prompt.input.check(given);
  if (verdict.problem !== undefined) return { error: faults.invalidParams(`Invalid arguments for prompt "${prompt.name}": ${verdict.problem}`) };
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
