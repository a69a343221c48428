// What a client knows of a server's tools: how their results are checked, and which arguments travel in headers.
import { cut, VivariumError } from '../jsonrpc/error.ts';
import { encodeHeader, type HeaderParameter, type HeaderParameters, headerParameters } from '../protocol/headers.ts';
import type { CallToolResult, Tool } from '../protocol/types.ts';
import { compileUntrusted } from '../schema/untrusted.ts';
import type { Warning } from './options.ts';

interface Known {
  readonly tool: Tool;
  readonly headers: readonly HeaderParameter[];
  /** Its results are no longer checked; a warning has said why. */
  unchecked?: true;
}

export class KnownTools {
  readonly #known: Map<string, Known> = new Map();
  readonly #dropped: Map<string, string> = new Map();
  readonly #warn: (warning: Warning) => void;
  complete = false;

  constructor(warn: (warning: Warning) => void) {
    this.#warn = warn;
  }

  /** Over HTTP of 2026-07-28, a tool whose header annotations are wrong must not be offered; the others stay. */
  learn(tools: readonly Tool[], inHeaders: boolean): readonly Tool[] {
    const usable: Tool[] = [];
    for (const tool of tools) {
      const { parameters, faults } = inHeaders && isObject(tool.inputSchema) ? headersOf(tool.inputSchema) : { parameters: [], faults: [] };
      const fault = faults[0] === undefined ? undefined : cut(faults[0]);
      if (fault !== undefined) {
        this.#dropped.set(tool.name, fault);
        this.#warn({ code: 'tool-dropped', message: `The tool "${cut(tool.name)}" cannot be called over HTTP: ${fault}` });
        continue;
      }
      this.#dropped.delete(tool.name);
      this.#known.set(tool.name, { tool, headers: parameters });
      usable.push(tool);
    }
    return usable;
  }

  forget(): void {
    this.#known.clear();
    this.#dropped.clear();
    this.complete = false;
  }

  get(name: string): Tool | undefined {
    return this.#known.get(name)?.tool;
  }

  /** Throws for a tool that was dropped. */
  headersFor(name: string, args: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> | undefined {
    const fault = this.#dropped.get(name);
    if (fault !== undefined) throw new VivariumError('ERR_PROTOCOL', `The tool "${name}" cannot be called over HTTP: ${fault}`);
    const headers = this.#known.get(name)?.headers ?? [];
    if (headers.length === 0) return undefined;
    const found: Record<string, string> = {};
    for (const { path, header } of headers) {
      let value: unknown = args;
      for (const step of path) value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
      if (value !== undefined && value !== null) found[header] = encodeHeader(String(value));
    }
    return found;
  }

  /** Throws ERR_INVALID_RESULT; a result that cannot be checked, or not in bounded time, is warned of and passed on. */
  check(name: string, result: CallToolResult): undefined | Promise<void> {
    const known = this.#known.get(name);
    const schema = known?.tool.outputSchema as Readonly<Record<string, unknown>> | undefined;
    if (known === undefined || schema === undefined || result.isError === true || known.unchecked === true) return undefined;
    return this.#check(name, known, schema, result);
  }

  async #check(name: string, known: Known, schema: Readonly<Record<string, unknown>>, result: CallToolResult): Promise<void> {
    const compiled = await compileUntrusted(schema);
    if (compiled.fault === undefined && result.structuredContent === undefined) {
      throw new VivariumError('ERR_INVALID_RESULT', `The tool "${name}" has an output schema but gave no structuredContent`);
    }
    const { problem, ...rest } = compiled.check(result.structuredContent);
    if (problem !== undefined) throw new VivariumError('ERR_INVALID_RESULT', `The tool "${name}" broke its own output schema: ${problem}`);
    if (rest.unchecked === undefined) return;
    if (rest.forGood) known.unchecked = true;
    const which = rest.forGood ? `Results of "${name}" are` : `This result of "${name}" is`;
    this.#warn({ code: 'schema', message: `${which} not checked against the output schema: ${rest.unchecked}` });
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function headersOf(schema: Readonly<Record<string, unknown>>): HeaderParameters {
  try {
    return headerParameters(schema);
  } catch {
    return { parameters: [], faults: ['its input schema is nested too deeply'] };
  }
}
