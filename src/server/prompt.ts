// A prompt as it was registered. What it takes to fill one in is loaded later: see prompts.ts.
import type { Params } from '../jsonrpc/message.ts';
import type { GetPromptResult, Icon, PromptMessage } from '../protocol/types.ts';
import type { InputOf, OutputOf } from '../schema/infer.ts';
import type { Schema } from '../schema/schema.ts';
import type { StandardIssue } from '../schema/standard.ts';
import type { Access } from './access.ts';
import type { Call } from './call.ts';
import type { Completer, Completers } from './completion.ts';
import type { Context, Principal } from './context.ts';
import { type Listed, onlyTrue } from './listing.ts';

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
  readonly complete?: Completers<ArgumentNames<I>>;
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
    if (details.visible !== undefined) this.visibleTo = onlyTrue(details.visible);
  }

  with(details: PromptDetails): Prompt {
    return new Prompt(this.name, { ...this.details, ...details }, this.handler, this.input, this.complete);
  }

  /** Whether a validator is still to be loaded for it. */
  get validates(): boolean {
    return this.input?.waits === true;
  }

  get ready(): boolean {
    return this.input === undefined || this.input.ready;
  }

  /** What a request must wait for; undefined when nothing is left to load. */
  unready(): Promise<void> | undefined {
    return this.ready ? undefined : this.prepare();
  }

  prepare(): Promise<void> | undefined {
    return this.input?.prepare();
  }
}

/** Which argument could never arrive, because the wire carries only strings; undefined when all can. */
export function unsayable(schema: Schema): string | undefined {
  const { json } = schema;
  const definitions = (json['$defs'] ?? json['definitions'] ?? {}) as Definitions;
  const properties = Object.entries((json['properties'] ?? {}) as Definitions);
  const doubtful = properties.filter(([, property]) => !acceptsString(property, definitions)).map(([name]) => name);
  // A coercion advertises what it makes of the string. Only the library itself knows that it takes one, so it is asked.
  return doubtful.find((name) => {
    const [first, second] = [complaint(schema, name, '1'), complaint(schema, name, 'x')];
    return first !== undefined && first === second;
  });
}

/** What the schema says of a string there: the same of every string where it takes none. */
function complaint(schema: Schema, name: string, text: string): string | undefined {
  if (!schema.ready) return 'takes none';
  try {
    const verdict = schema.check({ [name]: text });
    if (verdict instanceof Promise) verdict.catch(() => undefined);
    // Only a library takes a string for something else.
    else if (verdict.problem !== undefined && verdict.issues === undefined) return 'takes none';
    else {
      const messages = Array.from(verdict.issues ?? [])
        .filter((issue) => isAt(issue, name))
        .map(({ message }) => String(message));
      if (messages.length > 0) return messages.join('\n').replaceAll(JSON.stringify(text), '');
    }
  } catch {
    // A refinement of the author's own was reached, so it took the string.
  }
  return undefined;
}

function isAt({ path = [] }: StandardIssue, name: string): boolean {
  const [key, ...deeper] = path;
  return deeper.length === 0 && (typeof key === 'object' ? key.key : key) === name;
}

type Definitions = Readonly<Record<string, Params | boolean>>;

/** A definition is looked up once, so that one which names itself ends. */
function acceptsString(property: Params | boolean | undefined, definitions: Definitions): boolean {
  if (typeof property !== 'object' || property === null) return property !== false;
  const { type, anyOf, oneOf, allOf, enum: choices, const: only, $ref } = property;
  if (only !== undefined) return typeof only === 'string';
  if (Array.isArray(choices)) return choices.some((choice) => typeof choice === 'string');
  const accepts = (one: Params): boolean => acceptsString(one, definitions);
  if (Array.isArray(allOf) && !allOf.every(accepts)) return false;
  if (Array.isArray(anyOf ?? oneOf)) return ((anyOf ?? oneOf) as Params[]).some(accepts);
  const [, name] = typeof $ref === 'string' ? (/^#\/(?:\$defs|definitions)\/([^/~%]+)$/.exec($ref) ?? []) : [];
  if (name !== undefined) return acceptsString(definitions[name], {});
  return type === undefined || type === 'string' || (Array.isArray(type) && type.includes('string'));
}
