// A tool as it was registered. What it takes to call one is loaded later: see tools.ts.
import type { Schema } from '../schema/schema.ts';
import type { Call } from './call.ts';
import type { Principal } from './context.ts';
import { limitOf } from './core.ts';
import type { Listed } from './listing.ts';
import type { ToolDetails, ToolOptions } from './tool-options.ts';

export type AnyHandler = (args: never, ctx: Call) => unknown;
type AnyText = NonNullable<ToolOptions<unknown, unknown>['text']>;

export class Tool implements Listed {
  readonly name: string;
  readonly details: ToolDetails;
  readonly handler: AnyHandler;
  readonly input: Schema | undefined;
  readonly output: Schema | undefined;
  readonly text: AnyText;
  readonly visibleTo?: (principal: Principal | undefined) => boolean;
  /** Whether older revisions get its value as `{ result }`; undefined without an output schema. */
  readonly wraps: boolean | undefined;
  /** Bytes its result may have, where it has a limit of its own. */
  readonly limit: number | undefined;
  #toonReady: boolean;

  constructor(
    name: string,
    details: ToolDetails,
    handler: AnyHandler,
    input: Schema | undefined,
    output: Schema | undefined,
    text: AnyText,
  ) {
    this.name = name;
    this.details = details;
    this.handler = handler;
    this.input = input;
    this.output = output;
    this.text = text;
    this.wraps = output === undefined ? undefined : output.json['type'] !== 'object';
    this.limit = limitOf(details);
    this.#toonReady = output === undefined || typeof text === 'function' || text === 'json';
    if (details.visible !== undefined) this.visibleTo = details.visible;
  }

  with(details: ToolDetails): Tool {
    return new Tool(this.name, { ...this.details, ...details }, this.handler, this.input, this.output, this.text);
  }

  /** What a call must wait for; undefined when nothing is left to load. */
  unready(): Promise<void> | undefined {
    return this.ready ? undefined : this.prepare();
  }

  get ready(): boolean {
    return this.#toonReady && (this.input === undefined || this.input.ready) && (this.output === undefined || this.output.ready);
  }

  /** Compiles what a call needs; undefined when that took no waiting. */
  prepare(): Promise<void> | undefined {
    const steps = [this.input?.prepare(), this.output?.prepare(), this.#toonReady ? undefined : this.#loadToon()];
    const waits = steps.filter((step) => step !== undefined);
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
  }

  async #loadToon(): Promise<void> {
    const { loadToon } = await import('../protocol/text.ts');
    await loadToon();
    this.#toonReady = true;
  }
}
