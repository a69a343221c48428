// A client of one server, whatever it speaks: every method by name, and a connection that looks after itself.
import { VivariumError } from '../jsonrpc/error.ts';
import type { Connector } from '../protocol/channel.ts';
import { type Era, type Revision, traitsOf } from '../protocol/revision.ts';
import type {
  CallToolResult,
  CompleteResult,
  DiscoverResult,
  GetPromptResult,
  Implementation,
  LoggingLevel,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  ServerCapabilities,
  Tool,
} from '../protocol/types.ts';
import type { OutputOf } from '../schema/infer.ts';
import { describeIssues } from '../schema/issues.ts';
import { defineSchema, type Schema } from '../schema/schema.ts';
import { isStandard } from '../schema/standard.ts';
import { Conversation } from './conversation.ts';
import { type ClientEvents, type ClientOptions, checkOptions, type Introduction, type RequestOptions, type Verdict } from './options.ts';
import { items, type ListMethod, type ListResults, pagesOf } from './pages.ts';

export interface CallOptions<S> extends RequestOptions {
  /** Types and checks `structuredContent`; without it the server's own schema checks it. */
  readonly output?: S;
}

export type ToolResult<T> = Omit<CallToolResult, 'structuredContent'> & { readonly structuredContent?: T };

/** Connects, finds the era, and gives back a client that is ready. */
export async function connectWith(connector: Connector, options: ClientOptions = {}): Promise<Client> {
  checkOptions(options);
  return new Client(await Conversation.begin(connector, options));
}

export class Client {
  readonly #conversation: Conversation;
  readonly #outputs: WeakMap<object, Schema> = new WeakMap();

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  get #introduction(): Introduction {
    return this.#conversation.introduction;
  }

  get era(): Era {
    return this.#introduction.era;
  }

  get revision(): Revision {
    return this.#introduction.revision;
  }

  get server(): Implementation | undefined {
    return this.#introduction.server;
  }

  get capabilities(): ServerCapabilities {
    return this.#introduction.capabilities;
  }

  get instructions(): string | undefined {
    return this.#introduction.instructions;
  }

  /** To be handed in as `prior` next time. */
  get verdict(): Verdict {
    return { era: this.era, revision: this.revision, at: this.#introduction.at ?? Date.now() };
  }

  listTools(options?: RequestOptions): Promise<readonly Tool[]> {
    return this.#all('tools/list', options) as Promise<readonly Tool[]>;
  }

  listResources(options?: RequestOptions): Promise<readonly Resource[]> {
    return this.#all('resources/list', options) as Promise<readonly Resource[]>;
  }

  listResourceTemplates(options?: RequestOptions): Promise<readonly ResourceTemplate[]> {
    return this.#all('resources/templates/list', options) as Promise<readonly ResourceTemplate[]>;
  }

  listPrompts(options?: RequestOptions): Promise<readonly Prompt[]> {
    return this.#all('prompts/list', options) as Promise<readonly Prompt[]>;
  }

  /** The pages of a list, one by one. */
  pages<M extends ListMethod>(method: M, options: RequestOptions = {}): AsyncGenerator<ListResults[M], void, undefined> {
    return pagesOf(this.#conversation, method, options);
  }

  async #all(method: ListMethod, options: RequestOptions | undefined): Promise<readonly object[]> {
    const all: object[] = [];
    for await (const page of this.pages(method, options)) {
      for (const one of (page as unknown as Record<string, object[]>)[items[method]] as object[]) all.push(one);
    }
    return all;
  }

  async callTool<const S extends object = never>(
    name: string,
    args: Readonly<Record<string, unknown>> = {},
    options: CallOptions<S> = {},
  ): Promise<ToolResult<[S] extends [never] ? unknown : OutputOf<S>>> {
    const result = (await this.#conversation.callTool(name, args, options)) as unknown as CallToolResult;
    if (!isContent(result.content) || (result.content === undefined && result.structuredContent === undefined)) {
      throw new VivariumError('ERR_PROTOCOL', `The server answered the call of "${name}" with a result that has no content`);
    }
    const isWhole = Array.isArray(result.content) && typeof result.isError === 'boolean';
    const whole = isWhole ? result : { ...result, content: result.content ?? [], isError: result.isError ?? false };
    const checking = options.output === undefined ? this.#conversation.tools.check(name, whole) : undefined;
    if (checking !== undefined) await checking;
    if (options.output !== undefined && whole.isError !== true)
      return { ...whole, structuredContent: await this.#checked(name, options.output, whole.structuredContent) } as never;
    return whole as never;
  }

  async #checked(name: string, output: object, value: unknown): Promise<unknown> {
    const broken = (problem: string): VivariumError =>
      new VivariumError('ERR_INVALID_RESULT', `The result of "${name}" does not fit: ${value === undefined ? this.#nothing() : problem}`);
    if (isStandard(output)) {
      const verdict = await output['~standard'].validate(value);
      if (verdict.issues !== undefined) throw broken(describeIssues(verdict.issues));
      return verdict.value;
    }
    let schema = this.#outputs.get(output);
    if (schema === undefined) {
      const defined = defineSchema(output, { side: 'output', objectRoot: false });
      if ('problem' in defined) throw new VivariumError('ERR_SCHEMA', `output: ${defined.problem}`);
      schema = defined;
      this.#outputs.set(output, schema);
    }
    const verdict = await schema.check(value);
    if (verdict.problem !== undefined) throw broken(verdict.problem);
    return verdict.value;
  }

  #nothing(): string {
    const without = traitsOf(this.revision).structured === 'none' ? `, which ${this.revision} does not have` : '';
    return `it has no structuredContent${without}; read its content instead`;
  }

  async readResource(uri: string, options: RequestOptions = {}): Promise<ReadResourceResult> {
    return withList(
      await this.#conversation.ask('resources/read', { uri }, options, 'safe'),
      'contents',
      'resources/read',
    ) as ReadResourceResult;
  }

  async getPrompt(name: string, args: Readonly<Record<string, string>> = {}, options: RequestOptions = {}): Promise<GetPromptResult> {
    const result = await this.#conversation.ask('prompts/get', { name, arguments: args }, options, 'safe');
    return withList(result, 'messages', 'prompts/get') as GetPromptResult;
  }

  async complete(
    ref: { readonly type: 'ref/prompt'; readonly name: string } | { readonly type: 'ref/resource'; readonly uri: string },
    argument: { readonly name: string; readonly value: string },
    context?: { readonly arguments?: Readonly<Record<string, string>> },
    options: RequestOptions = {},
  ): Promise<CompleteResult['completion']> {
    const params = { ref, argument, ...(context !== undefined && { context }) };
    const { completion } = (await this.#conversation.ask('completion/complete', params, options, 'safe')) as unknown as CompleteResult;
    withList(completion ?? {}, 'values', 'completion/complete');
    return completion;
  }

  /** Calls back whenever the resource, or one below it, has changed. */
  async subscribe(uri: string, listener: () => void): Promise<AsyncDisposable> {
    const remove = await this.#conversation.subscriptions.add(uri, listener);
    return { [Symbol.asyncDispose]: remove };
  }

  setLogLevel(level: LoggingLevel): Promise<void> {
    return this.#conversation.setLogLevel(level);
  }

  /** Whether anyone is there. */
  async ping(options: RequestOptions = {}): Promise<void> {
    await this.#conversation.ask(this.era === 'modern' ? 'server/discover' : 'ping', {}, options, 'safe');
  }

  /** What a server of 2026-07-28 says of itself now. */
  async discover(options: RequestOptions = {}): Promise<DiscoverResult> {
    return (await this.#conversation.ask('server/discover', {}, options, 'safe')) as unknown as DiscoverResult;
  }

  /** Any method, for extensions and experiments. */
  request(method: string, params: object = {}, options: RequestOptions = {}): Promise<object> {
    return this.#conversation.ask(method, params, options, 'unsafe');
  }

  notify(method: string, params?: object): void {
    this.#conversation.notify(method, params);
  }

  on<N extends keyof ClientEvents>(name: N, listener: (event: ClientEvents[N]) => void): Disposable {
    return this.#conversation.on(name, listener);
  }

  async close(): Promise<void> {
    await this.#conversation.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** The one member without which a result is none of its method. */
function withList(result: object, member: string, method: string): unknown {
  if (Array.isArray((result as Record<string, unknown>)[member])) return result;
  throw new VivariumError('ERR_PROTOCOL', `The server answered ${method} without ${member}`);
}

/** Left out where there is a structured value. */
function isContent(content: unknown): boolean {
  if (content === undefined) return true;
  return Array.isArray(content) && content.every((block) => typeof (block as { type?: unknown } | null)?.type === 'string');
}
