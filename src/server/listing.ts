// A list in pages: registration order, opaque cursors, and answers kept as text until something changes.
import { type ErrorObject, faults } from '../jsonrpc/error.ts';
import type { RevisionTraits } from '../protocol/revision.ts';
import type { Reply } from './answer.ts';
import type { Principal } from './context.ts';

export interface Listed {
  readonly name: string;
  /** As it appears in the list of a revision. */
  describe(traits: RevisionTraits): object;
  visibleTo?(principal: Principal | undefined): boolean;
}

interface Entry<T extends Listed> {
  /** Grows with every registration and is never reused: a cursor stays right when other entries come and go. */
  readonly order: number;
  readonly item: T;
}

/** `member` is both the name of the list in the result and, in the cursor, what keeps one list's cursor out of another. */
export class Listing<T extends Listed> {
  readonly #member: string;
  readonly #pageSize: number;
  readonly #finish: (result: Record<string, unknown>, traits: RevisionTraits, shared: boolean) => object;
  readonly #entries: Map<string, Entry<T>> = new Map();
  readonly #pages: Map<string, Reply> = new Map();
  #next = 1;
  #filtered = 0;

  constructor(
    member: string,
    pageSize: number,
    finish: (result: Record<string, unknown>, traits: RevisionTraits, shared: boolean) => object,
  ) {
    this.#member = member;
    this.#pageSize = pageSize;
    this.#finish = finish;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(name: string): T | undefined {
    return this.#entries.get(name)?.item;
  }

  values(): T[] {
    return [...this.#entries.values()].map((entry) => entry.item);
  }

  /** False when the name is taken. */
  add(item: T): boolean {
    if (this.#entries.has(item.name)) return false;
    this.#entries.set(item.name, { order: this.#next++, item });
    if (item.visibleTo !== undefined) this.#filtered++;
    this.#pages.clear();
    return true;
  }

  /** Puts another item in the same place. */
  replace(item: T): void {
    const entry = this.#entries.get(item.name);
    if (entry === undefined) return;
    this.#filtered += Number(item.visibleTo !== undefined) - Number(entry.item.visibleTo !== undefined);
    this.#entries.set(item.name, { order: entry.order, item });
    this.#pages.clear();
  }

  remove(name: string): boolean {
    const entry = this.#entries.get(name);
    if (entry === undefined) return false;
    this.#entries.delete(name);
    if (entry.item.visibleTo !== undefined) this.#filtered--;
    this.#pages.clear();
    return true;
  }

  /** Only lists that are the same for everyone, cut at the usual places, are kept: a stranger's cursors cannot fill memory. */
  page(traits: RevisionTraits, cursor: string | undefined, principal: Principal | undefined): Reply {
    const owner = this.#filtered === 0 ? '' : (principal?.id ?? '');
    const after = cursor === undefined ? 0 : this.#open(cursor, owner);
    if (typeof after !== 'number') return { error: after };
    if (this.#filtered > 0) return { result: this.#build(traits, after, principal, owner).result };
    const key = `${traits.revision} ${after}`;
    const kept = this.#pages.get(key);
    if (kept !== undefined) return kept;
    const { result, regular } = this.#build(traits, after, principal, owner);
    const reply = { result, json: JSON.stringify(result) };
    if (regular) this.#pages.set(key, reply);
    return reply;
  }

  #build(traits: RevisionTraits, after: number, principal: Principal | undefined, owner: string): { result: object; regular: boolean } {
    const page: Entry<T>[] = [];
    let skipped = 0;
    let more = false;
    for (const entry of this.#entries.values()) {
      if (entry.item.visibleTo !== undefined && !entry.item.visibleTo(principal)) continue;
      if (entry.order <= after) skipped++;
      else if (page.length < this.#pageSize) page.push(entry);
      else {
        more = true;
        break;
      }
    }
    const result: Record<string, unknown> = { [this.#member]: page.map((entry) => entry.item.describe(traits)) };
    if (more) result['nextCursor'] = this.#seal(page.at(-1)?.order ?? 0, owner);
    return { result: this.#finish(result, traits, this.#filtered === 0), regular: skipped % this.#pageSize === 0 };
  }

  #seal(order: number, owner: string): string {
    return `${order.toString(36)}.${digest(`${this.#member} ${order} ${owner}`)}`;
  }

  #open(cursor: string, owner: string): number | ErrorObject {
    const order = cursor.length <= 32 ? Number.parseInt(cursor, 36) : Number.NaN;
    if (Number.isSafeInteger(order) && this.#seal(order, owner) === cursor) return order;
    return faults.invalidParams('Invalid cursor: send the nextCursor of this list, or none to start over');
  }
}

/** FNV-1a: a cursor is opaque and self-checking, not secret; the same on every node that serves this list. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(36);
}
