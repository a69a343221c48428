// Results a server of 2026-07-28 allows to be kept, for as long as it says.

interface Kept {
  /** As text: nobody can change it, and its size is known. */
  readonly text: string;
  readonly until: number;
}

const maxKept = 1_000;
const maxLength = 1024 * 1024;
const maxLengths = 16 * maxLength;
const cacheable: ReadonlySet<string> = new Set([
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
  'resources/read',
]);

export class KeptResults {
  readonly #kept: Map<string, Kept> = new Map();
  readonly #on: boolean;
  #drops = 0;
  #length = 0;

  constructor(on: boolean) {
    this.#on = on;
  }

  get(method: string, params: object): object | undefined {
    if (!this.#on || this.#kept.size === 0 || !cacheable.has(method)) return undefined;
    const key = keyOf(method, params);
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    if (kept.until > performance.now()) return JSON.parse(kept.text);
    this.#remove(key);
    return undefined;
  }

  /** To be handed to `put`: what was dropped meanwhile must not come back. */
  get generation(): number {
    return this.#drops;
  }

  put(method: string, params: object, result: object, since: number): void {
    if (since !== this.#drops) return;
    const { ttlMs } = result as { ttlMs?: unknown };
    if (!this.#on || typeof ttlMs !== 'number' || !(ttlMs > 0) || !cacheable.has(method)) return;
    // What was answered to questions of the server holds for this call only.
    if ('inputResponses' in params || 'requestState' in params) return;
    const key = keyOf(method, params);
    this.#remove(key);
    const text = JSON.stringify(result);
    if (text.length > maxLength) return;
    this.#length += text.length;
    this.#kept.set(key, { text, until: performance.now() + Math.min(ttlMs, 2 ** 31) });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= maxKept && this.#length <= maxLengths) break;
      this.#remove(oldest);
    }
  }

  /** All pages of a list go together: one that is new beside one that is old would be a list that never was. */
  drop(method: string, uri?: string): void {
    this.#drops++;
    const start = uri === undefined ? `${method} ` : keyOf(method, { uri });
    for (const key of [...this.#kept.keys()]) if (key.startsWith(start)) this.#remove(key);
  }

  #remove(key: string): void {
    this.#length -= this.#kept.get(key)?.text.length ?? 0;
    this.#kept.delete(key);
  }

  clear(): void {
    this.#kept.clear();
    this.#length = 0;
  }
}

function keyOf(method: string, params: object): string {
  return `${method} ${JSON.stringify(params)}`;
}
