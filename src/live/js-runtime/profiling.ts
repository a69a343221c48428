// Where time and memory go.
import type { Evaluated, Inspector, Remote } from './inspector.ts';
import type { Positions } from './positions.ts';

interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly scriptId: string;
    readonly url: string;
    readonly lineNumber: number;
    readonly columnNumber: number;
  };
}

interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples?: readonly number[];
  readonly timeDeltas?: readonly number[];
}

export interface Cost {
  readonly name: string;
  readonly place: string;
  readonly ms: number;
}

const maxCosts = 20;
/** Each is counted by a walk over the whole heap. */
const maxClasses = 10;

export class Profiler {
  readonly #inspector: Inspector;
  readonly #folder: string;
  readonly #positions: Positions | undefined;

  constructor(inspector: Inspector, folder: string, positions?: Positions) {
    this.#inspector = inspector;
    this.#folder = folder;
    this.#positions = positions;
  }

  async profile(start: boolean): Promise<object> {
    if (start) {
      await this.#inspector.post('Profiler.enable');
      await this.#inspector.post('Profiler.setSamplingInterval', { interval: 500 });
      await this.#inspector.post('Profiler.start');
      return {};
    }
    try {
      const { profile } = await this.#inspector.post<{ profile: Profile }>('Profiler.stop');
      return this.#costs(profile);
    } finally {
      await this.#inspector.post('Profiler.disable');
    }
  }

  async heap(classes: readonly string[]): Promise<object> {
    const { usedSize, totalSize } = await this.#inspector.post<{ usedSize: number; totalSize: number }>('Runtime.getHeapUsage');
    const counts: { name: string; count: number }[] = [];
    for (const name of classes.slice(0, maxClasses)) counts.push({ name, count: await this.#instances(name) });
    return { usedSize, totalSize, classes: counts.sort((a, b) => b.count - a.count), more: Math.max(0, classes.length - maxClasses) };
  }

  async #costs({ nodes, samples = [], timeDeltas = [] }: Profile): Promise<object> {
    const byId = new Map(nodes.map((node) => [node.id, node]));
    const costs = new Map<string, { name: string; place: string; micros: number }>();
    let total = 0;
    for (const [at, id] of samples.entries()) {
      const node = byId.get(id);
      const micros = timeDeltas[at] ?? 0;
      if (node === undefined || node.callFrame.functionName === '(idle)') continue;
      const { functionName, url } = node.callFrame;
      const place = url === '' ? '' : `${this.#short(url)}:${await this.#lineOf(node.callFrame)}`;
      const key = `${functionName} ${place}`;
      const cost = costs.get(key) ?? { name: functionName || '(anonymous)', place, micros: 0 };
      cost.micros += micros;
      total += micros;
      costs.set(key, cost);
    }
    const sorted = [...costs.values()].sort((a, b) => b.micros - a.micros);
    const top: Cost[] = sorted.slice(0, maxCosts).map(({ name, place, micros }) => ({ name, place, ms: micros / 1000 }));
    return { costs: top, ms: total / 1000, samples: samples.length, more: Math.max(0, sorted.length - maxCosts) };
  }

  /** In the file as it is now, where it was swapped. */
  async #lineOf({ scriptId, url, lineNumber, columnNumber }: ProfileNode['callFrame']): Promise<number> {
    const at = { file: url, line: lineNumber + 1, column: columnNumber + 1 };
    return this.#positions?.isSwapped(scriptId, url) === true ? (await this.#positions.inScript(scriptId, at)).line : at.line;
  }

  async #instances(name: string): Promise<number> {
    const { objectId: prototypeObjectId } = await this.#inspector.look(`${name}.prototype`);
    const { objects } = await this.#inspector.post<{ objects: Remote }>('Runtime.queryObjects', { prototypeObjectId, objectGroup: 'look' });
    const { result } = await this.#inspector.post<Evaluated>('Runtime.callFunctionOn', {
      objectId: objects.objectId,
      functionDeclaration: 'function () { return this.length; }',
      returnByValue: true,
    });
    await this.#inspector.post('Runtime.releaseObjectGroup', { objectGroup: 'look' });
    return Number(result.value);
  }

  #short(url: string): string {
    const path = url.replace(/^file:\/\//, '');
    return path.startsWith(`${this.#folder}/`) ? path.slice(this.#folder.length + 1) : path;
  }
}

/** Numbers are given in order, so those that are there end at one. */
export async function newestRef(inspector: Inspector): Promise<number> {
  const there = async (ref: number): Promise<boolean> =>
    inspector.find('get', ref).then(
      () => true,
      () => false,
    );
  let low = 0;
  let high = 1;
  while (await there(high)) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await there(middle)) low = middle;
    else high = middle;
  }
  await inspector.post('Runtime.releaseObjectGroup', { objectGroup: 'look' });
  return low;
}
