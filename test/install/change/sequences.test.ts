// Adding, replacing, removing and undoing in any order, by two names, with and without edits by hand in between.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { applyPlan, type Change, type Plan, planChange, planUndo } from '../../../src/install/change.ts';
import type { ClientRow } from '../../../src/install/client.ts';
import { clientById } from '../../../src/install/clients.ts';
import { addServer, readServers } from '../../../src/install/edit/edit.ts';
import { Refusal } from '../../../src/install/edit/refusal.ts';
import { Journal } from '../../../src/install/journal.ts';
import { type WrittenFile, writtenFile } from '../written-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'vivarium-sequences-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'made', 'settings');
const cursor = clientById('cursor') as ClientRow;
const code = clientById('vscode') as ClientRow;

type Step = { readonly do: 'set' | 'remove' | 'undo' | 'hand'; readonly name: 'new' | 'one' | 'other'; readonly version: number };
interface Start {
  readonly text: string | undefined;
  readonly place: Pick<ClientRow, 'format' | 'path'>;
}

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom('set', 'set', 'set', 'remove', 'remove', 'undo', 'undo', 'hand'),
  name: fc.constantFrom('new', 'new', 'one', 'other'),
  version: fc.nat(3),
});
const start: fc.Arbitrary<Start> = fc
  .oneof(
    { arbitrary: writtenFile.map(({ text, place }: WrittenFile): Start => ({ text, place })), weight: 4 },
    { arbitrary: fc.constantFrom<Start>({ text: undefined, place: cursor }, { text: '', place: cursor }), weight: 1 },
    {
      arbitrary: fc.constantFrom<string | undefined>(
        undefined,
        '{}',
        '{\n\t"inputs": [\n\t\t{ "id": "MINE" } // keep\n\t],\n\t"servers": {}\n}\n',
        '{ "servers": { "one": { "command": "a" } }, "inputs": [] }',
      ),
      weight: 2,
    },
  )
  .map((one) => (typeof one === 'object' ? one : { text: one, place: code }));

const textNow = (): string | undefined => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);

class Sequence {
  readonly #start: Start;
  readonly #journal: Journal = new Journal(join(folder, 'journal'));
  /** Texts since somebody else has written, the oldest first, each with what it says. */
  #known: { readonly said: string; readonly text: string | undefined }[] = [];
  readonly #before: Map<string, { readonly text: string | undefined; readonly hands: number }> = new Map();
  #hands = 0;

  constructor(given: Start) {
    this.#start = given;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    if (given.text !== undefined) {
      mkdirSync(dirname(file));
      writeFileSync(file, given.text);
    }
  }

  async run(steps: readonly Step[]): Promise<void> {
    await this.#note();
    for (const one of steps) {
      try {
        await this.#take(one);
      } catch (error) {
        if (!(error instanceof Refusal) || !['shape', 'unproven', 'missing', 'conflict'].includes(error.reason)) throw error;
      }
    }
  }

  async #take({ do: kind, name, version }: Step): Promise<void> {
    if (kind === 'hand') return this.#byHand(version);
    if (kind === 'undo') return this.#undo();
    const entry = kind === 'remove' ? undefined : { command: `v${version}`, args: [name], env: { KEY: `\${input:K${version}}` } };
    const extras = version % 2 === 1 || this.#start.place !== code ? [] : (code.extras?.([`K${version}`]) ?? []);
    const change: Change = { client: this.#client(), scope: 'user', file, name, entry, extras, replace: true };
    const plan = await planChange(change, this.#journal);
    if (plan.after === plan.config.text) return;
    await this.#apply(plan);
    const said = await this.#said();
    expect(Object.hasOwn(said, name)).toBe(kind === 'set');
    const first = this.#known.find((one) => one.said === JSON.stringify(said));
    if (kind === 'remove' && first !== undefined) expect(textNow(), 'as it was when it first said this').toBe(first.text);
    await this.#note();
  }

  async #undo(): Promise<void> {
    const record = this.#journal.standing().at(-1);
    if (record === undefined) return;
    const plan = await planUndo(record, this.#client(), this.#journal);
    if (plan.after === plan.config.text) return this.#journal.put({ ...record, state: 'undone' });
    await this.#apply(plan);
    expect((await this.#said())[record.name]).toEqual(record.previous);
    const before = this.#before.get(record.batch);
    if (before?.hands === this.#hands) expect(textNow(), 'as it was before').toBe(before.text);
    await this.#note();
  }

  /** What was shown is what is there. */
  async #apply(plan: Plan): Promise<void> {
    const batch = `${this.#before.size}`;
    this.#before.set(batch, { text: textNow(), hands: this.#hands });
    const { retried, overwrote } = await applyPlan(plan, this.#journal, { batch, settleMs: 0 });
    expect(textNow()).toBe(plan.after);
    expect([retried, overwrote]).toEqual([false, false]);
  }

  async #byHand(version: number): Promise<void> {
    const text = textNow();
    if (text === undefined) return;
    if (version % 2 === 0) writeFileSync(file, `${text}\n${this.#start.place.format === 'jsonc' ? '//' : '#'} mine`);
    else writeFileSync(file, await addServer(text, this.#start.place, 'theirs', { command: `t${version}` }, { replace: true }));
    this.#known = [];
    this.#hands++;
    await this.#note();
  }

  async #said(): Promise<Record<string, unknown>> {
    return Object.fromEntries([...(await readServers(textNow() ?? '', this.#start.place))].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  async #note(): Promise<void> {
    this.#known.push({ said: JSON.stringify(await this.#said()), text: textNow() });
  }

  #client(): ClientRow {
    const { format, path } = this.#start.place;
    return { ...cursor, format, path };
  }
}

describe('any sequence of changes', () => {
  it('does what each of them has shown, and a removal brings back the bytes of before where nobody else wrote', async () => {
    const property = fc.asyncProperty(start, fc.array(step, { minLength: 2, maxLength: 9 }), (given, steps) =>
      new Sequence(given).run(steps),
    );
    await fc.assert(property, { seed: 20_261_118, numRuns: 120 });
  });
});
