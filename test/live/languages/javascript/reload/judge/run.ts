// Edits, each made under a running program and by a fresh start: what both show, and what `reload` said.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Lab, openLab } from '../../../../fixture.ts';

export type Files = Readonly<Record<string, string>>;

export interface Edit {
  /** Its folder in the project. */
  readonly id: string;
  /** The file that is imported, in both versions. */
  readonly entry: string;
  readonly required: boolean;
  readonly before: Files;
  readonly after: Files;
}

/** What can be seen, by its place: view, export and what of it. */
export type Facts = Readonly<Record<string, string>>;

export interface Seen {
  readonly edit: Edit;
  readonly answer: string;
  readonly reloaded: Facts;
  readonly fresh: Facts;
  /** It cannot be loaded by a fresh start either: before the edit, or after it. */
  readonly unfit?: string;
}

interface Options {
  readonly node: string;
  /** As the observer takes it. */
  readonly observed: Readonly<Record<string, unknown>>;
  /** Makes what both projects need beside the edits. */
  readonly furnish?: (folder: string) => void;
}

const observer = new URL('./observer.mjs', import.meta.url).href;

/** Two images: one is edited, one begins with what the edits lead to. */
export class Bench {
  readonly #running: Lab;
  readonly #fresh: Lab;

  private constructor(running: Lab, fresh: Lab) {
    this.#running = running;
    this.#fresh = fresh;
  }

  static async open({ node, observed, furnish }: Options): Promise<Bench> {
    const [running, fresh] = await Promise.all([openLab({ node, limits }), openLab({ node, limits })]);
    for (const lab of [running, fresh]) {
      furnish?.(lab.folder);
      await lab.value(`const { Observer } = await import(${JSON.stringify(observer)});`);
      await lab.value(`const observer = new Observer(${JSON.stringify(observed)});`);
    }
    return new Bench(running, fresh);
  }

  async see(edits: readonly Edit[]): Promise<Seen[]> {
    for (const edit of edits) {
      put(this.#running, edit.id, {}, edit.before);
      put(this.#fresh, edit.id, {}, edit.after);
    }
    const [before, after] = await Promise.all([load(this.#running, edits), load(this.#fresh, edits)]);
    const unfit = new Map([...before, ...after]);
    const fit = edits.filter((edit) => !unfit.has(edit));
    for (const { id, before: old, after: now } of fit) put(this.#running, id, old, now);
    const { text: answer } = await this.#running.call('reload');
    // Not even one is named: it is no answer, and says nothing about them.
    if (fit.length > 0 && !answer.includes('/') && !/^Nothing/.test(answer)) throw new Error(`reload: ${answer}`);
    const [reloaded, fresh] = await Promise.all([observed(this.#running, fit), observed(this.#fresh, fit)]);
    const seen = fit.map((edit) => ({ edit, answer, reloaded: reloaded(edit), fresh: fresh(edit) }));
    return [...seen, ...[...unfit].map(([edit, text]) => ({ edit, answer, reloaded: {}, fresh: {}, unfit: text }))];
  }

  async close(): Promise<void> {
    await Promise.all([this.#running.close(), this.#fresh.close()]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const limits = { heapMb: 512, rssMb: 1_024 };

function put(lab: Lab, id: string, old: Files, files: Files): void {
  for (const path of Object.keys(old)) if (!(path in files)) rmSync(join(lab.folder, id, path));
  for (const [path, text] of Object.entries(files)) {
    if (old[path] === text) continue;
    const file = join(lab.folder, id, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** As cells of a user would have it: their names follow what is imported anew. Those that cannot be loaded, and why. */
async function load(lab: Lab, edits: readonly Edit[]): Promise<Map<Edit, string>> {
  const failed = new Map<Edit, string>();
  const { isError } = await lab.evaluate(edits.map(loading).join('\n'));
  if (isError) {
    for (const edit of edits) {
      const alone = await lab.evaluate(loading(edit));
      if (alone.isError) failed.set(edit, alone.text);
    }
  }
  const good = edits.filter((edit) => !failed.has(edit));
  await lab.value(good.map(({ id }) => `await observer.take('${id}', ${id});`).join('\n'));
  return failed;
}

function loading({ id, entry, required }: Edit): string {
  const path = JSON.stringify(`./${id}/${entry}`);
  return required ? `const ${id} = require(${path});` : `import * as ${id} from ${path};`;
}

async function observed(lab: Lab, edits: readonly Edit[]): Promise<(edit: Edit) => Facts> {
  const file = join(lab.folder, 'facts.json');
  const all = edits.map(({ id, entry, required }) => {
    const path = JSON.stringify(`./${id}/${entry}`);
    return `${id}: [() => ${id}, async () => ${required ? `require(${path})` : `await import(${path})`}]`;
  });
  await lab.value(`await observer.observeAll(${JSON.stringify(file)}, { ${all.join(', ')} });`);
  const facts = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, Facts>>;
  return ({ id }) => facts[id] ?? {};
}
