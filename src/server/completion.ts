// completion/complete: values for an argument of a prompt or a variable of a template, while it is typed.
import { cut, faults } from '../jsonrpc/error.ts';
import type { Params } from '../jsonrpc/message.ts';
import { lackingScopes } from './access.ts';
import type { Reply } from './answer.ts';
import type { Call } from './call.ts';
import type { BaseContext } from './context.ts';
import type { Prompt } from './prompt.ts';
import type { Resource } from './resource.ts';

/** `arguments` holds what has been filled in so far (since 2025-06-18). */
export interface CompletionContext extends BaseContext {
  readonly arguments: Readonly<Record<string, string>>;
}

/** All matches may be returned: the library cuts at a hundred and says how many there were. */
export type Completer = (value: string, ctx: CompletionContext) => readonly string[] | Promise<readonly string[]>;

/** By name. Without any name an object type would take every member, so that case is said by itself. */
export type Completers<Name extends string> = [Name] extends [never]
  ? Readonly<Record<string, never>>
  : { readonly [Each in Name]?: Completer };

const maxValues = 100;

export async function complete(call: Call, params: Params | undefined): Promise<Reply> {
  const { ref, argument, context } = params as { ref: Params; argument: Params; context?: { arguments?: Params } };
  const { name, value } = argument;
  if (typeof name !== 'string' || typeof value !== 'string') return { error: faults.invalidParams('argument needs a name and a value') };
  const found = find(call, ref);
  if (found === undefined) return { error: faults.invalidParams(`Nothing to complete: unknown ${describe(ref)}`) };
  const refused = lackingScopes(call, found.details);
  if (refused !== undefined) return { error: refused };
  const completers = found.complete ?? {};
  const completer = Object.hasOwn(completers, name) ? completers[name] : undefined;
  const given: Record<string, string> = Object.create(null);
  for (const [key, item] of Object.entries(context?.arguments ?? {})) if (typeof item === 'string') given[key] = item;
  const all = completer === undefined ? [] : await completer(value, withArguments(call, given));
  const values = all.slice(0, maxValues).map(String);
  return { result: call.finished({ completion: { values, total: all.length, hasMore: all.length > values.length } }) };
}

/** The call itself, with one member more. */
function withArguments(call: Call, given: Readonly<Record<string, string>>): CompletionContext {
  return new Proxy(call, {
    get: (target, key) => {
      if (key === 'arguments') return given;
      const member = Reflect.get(target, key, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  }) as unknown as CompletionContext;
}

function find({ core, principal }: Call, ref: Params): Prompt | Resource | undefined {
  const { type, name, uri } = ref as { type: string; name: string; uri: string };
  const found =
    type === 'ref/prompt'
      ? core.prompts.get(name)
      : type === 'ref/resource'
        ? (core.templates.get(uri) ?? core.resources.get(uri))
        : undefined;
  return found?.visibleTo?.(principal) === false ? undefined : found;
}

function describe(ref: Params): string {
  return cut(`${String(ref['type'])} ${String(ref['name'] ?? ref['uri'])}`);
}
