// A client of a live server for `vivarium eval`: code in, lines for a terminal out.
import { type Client, VivariumError } from '../../../client/index.ts';
import { pauseAdvice } from '../../../live/offer/report.ts';
import type { ResultDetails } from '../../../live/offer/tool-results.ts';
import type { CallToolResult } from '../../../protocol/types.ts';
import { CommandError, exitCodes } from '../../args/command.ts';
import { printable, printableLines } from '../../terminal/terminal.ts';

/** Maximum of the tool; longer evaluations are waited for again. */
const waitMs = 600_000;
/** After this, look whether the evaluation is queued behind another. */
const wonderMs = 2_000;

export class Evaluator {
  readonly client: Client;
  session: string | undefined;
  readonly #language: string | undefined;
  /** Session of the last answer. */
  #handle: string | undefined;
  readonly #timeoutMs: number | undefined;
  readonly #leave: () => Promise<void>;
  /** Set while the evaluation is queued behind another; aborting takes it back. */
  #behind: AbortController | undefined;

  constructor(
    client: Client,
    options: {
      readonly session?: string | undefined;
      readonly language?: string | undefined;
      readonly timeoutMs?: number | undefined;
      leave(): Promise<void>;
    },
  ) {
    this.client = client;
    this.session = options.session;
    this.#language = options.language;
    this.#timeoutMs = options.timeoutMs;
    this.#leave = options.leave;
  }

  /** Waits until it ends; `waits` is called when it is queued behind another evaluation. */
  async evaluate(code: string, told: (result: CallToolResult) => void, waits: (words: string) => void): Promise<CallToolResult> {
    const session = this.#session();
    const given = new AbortController();
    const timer = setTimeout(() => void this.#wonder(given, waits).catch(() => undefined), wonderMs);
    const limit = this.#timeoutMs !== undefined && { timeout_ms: this.#timeoutMs };
    let result: CallToolResult;
    try {
      result = await this.call('evaluate', { code, wait_ms: waitMs, ...session, ...limit }, given.signal);
    } catch (error) {
      if (!given.signal.aborted) throw error;
      return { content: [{ type: 'text', text: 'It was taken back before it began; what runs there goes on.' }], isError: true };
    } finally {
      clearTimeout(timer);
      this.#behind = undefined;
    }
    while (isUnfinished(result)) {
      told(result);
      // By its cell: without one, it may be the agent's that is told of.
      result = await this.call('evaluate', { cell: detailsOf(result).cell, wait_ms: waitMs, ...session });
    }
    this.#handle = detailsOf(result).session;
    return result;
  }

  async #wonder(given: AbortController, waits: (words: string) => void): Promise<void> {
    const { sessions = [] } = detailsOf(await this.call('sessions', { action: 'list' }));
    const own = this.session ?? 'main';
    if (!sessions.some(({ session, queued }) => session.startsWith(own) && queued > 0) || given.signal.aborted) return;
    this.#behind = given;
    waits('Something else runs there: yours comes after it (Ctrl-C takes it back)');
  }

  /** Interrupts the evaluation; one that is queued is taken back instead, and the running one goes on. */
  async interrupt(): Promise<void> {
    if (this.#behind !== undefined) return this.#behind.abort();
    await this.call('sessions', { action: 'interrupt', ...this.#session() });
  }

  /** Hot reload of edited files. */
  reload(files: readonly string[]): Promise<CallToolResult> {
    return this.call('reload', { ...this.#known(), ...(files.length > 0 && { files }) });
  }

  /** As the server completes names for its prompts, otherwise members found by inspect. */
  async complete(prefix: string): Promise<readonly string[]> {
    const about = { type: 'ref/prompt', name: 'write-tests' } as const;
    const context = { arguments: this.#known() as Record<string, string> };
    const found = await this.client.complete(about, { name: 'name', value: prefix }, context).catch(() => undefined);
    const values = found?.values.filter((name) => !/\s/.test(name) && name.startsWith(prefix)) ?? [];
    return values.length > 0 ? values : this.#members(prefix);
  }

  async #members(prefix: string): Promise<readonly string[]> {
    const [, object] = /^(.+)\.[\w$]*$/.exec(prefix) ?? [];
    if (object === undefined) return [];
    const { members = [] } = detailsOf(await this.call('inspect', { target: object, ...this.#known() }));
    const names = members.filter((name) => /^[A-Za-z_$][\w$]*$/.test(name)).map((name) => `${object}.${name}`);
    return names.filter((name) => name.startsWith(prefix));
  }

  async call(tool: string, args: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<CallToolResult> {
    const options = { timeouts: { totalMs: 2 * waitMs }, ...(signal !== undefined && { signal }) };
    try {
      return (await this.client.callTool(tool, args, options)) as CallToolResult;
    } catch (error) {
      if (error instanceof VivariumError) throw new CommandError(exitCodes.unreachable, error.message, { cause: error });
      throw error;
    }
  }

  async leave(): Promise<void> {
    await this.client.close();
    await this.#leave();
  }

  /** The language of the prompt: as requested, otherwise the server's first. */
  async language(): Promise<string | undefined> {
    if (this.#language !== undefined) return this.#language;
    try {
      const { contents } = await this.client.readResource('live://system/info');
      return (JSON.parse((contents[0] as { text: string }).text) as { languages: string[] }).languages[0];
    } catch {
      return undefined;
    }
  }

  #session(): { readonly session?: string; readonly language?: string } {
    if (this.session !== undefined) return { session: this.session };
    return this.#language === undefined ? {} : { language: this.#language };
  }

  /** For tools that take no language. */
  #known(): { readonly session?: string } {
    const session = this.session ?? (this.#language === undefined ? undefined : this.#handle);
    return session === undefined ? {} : { session };
  }
}

/** A result for a terminal, without control characters. */
export function linesOf(result: CallToolResult): string {
  const parts = result.content.map((block) => {
    if (block.type === 'text') return printableLines(forPeople(block.text, detailsOf(result)));
    return block.type === 'image' || block.type === 'audio'
      ? `[${printable(block.mimeType)}, ${Math.floor((block.data.length * 3) / 4)} bytes]`
      : `[${printable(block.type)}]`;
  });
  return `${parts.join('\n')}\n`;
}

/** Leaves out advice that is meant for callers of tools. */
function forPeople(text: string, { reason }: Partial<ResultDetails>): string {
  if (reason === 'no-session') return text.replace('sessions(action: list)', '--sessions');
  const at = text.lastIndexOf('\n');
  return text.startsWith(pauseAdvice, at + 1) ? text.slice(0, at) : text;
}

function isUnfinished(result: CallToolResult): boolean {
  const { status } = detailsOf(result);
  return status === 'running' || status === 'queued';
}

/** A live server is one of ours, in this process or behind the user's own socket. */
function detailsOf({ structuredContent }: CallToolResult): Partial<ResultDetails> {
  return (structuredContent ?? {}) as Partial<ResultDetails>;
}
