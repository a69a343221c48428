// A list in pages: registration order, opaque cursors, and answers kept as text until something changes.
import { type ErrorObject, faults } from '../jsonrpc/error.ts';
import type { RevisionTraits } from '../protocol/revision.ts';
import type { Reply } from './answer.ts';
import type { Principal } from './context.ts';

export interface Listed {
  readonly name: string;
  visibleTo?(principal: Principal | undefined): boolean;
}

interface Entry<T extends Listed> {
  /** Grows with every registration and is never reused: a cursor stays right when other entries come and go. */
  readonly order: number;
  readonly item: T;
}

/** A page as a result; `shared` when it is the same for everyone. */
export type Render<T> = (items: readonly T[], nextCursor: string | undefined, shared: boolean) => object;

/** `kind` keeps one list's cursor out of another. */
/** An access rule fails closed: whatever is not `true`, a promise among them, is a no. */
export function onlyTrue(visible: (principal: Principal | undefined) => unknown): (principal: Principal | undefined) => boolean {
  return (principal) => {
    const answer = visible(principal);
    // Nobody waits for it: what it may throw later is no reason to end the process.
    if (answer instanceof Promise) answer.catch(() => undefined);
    return answer === true;
  };
}

export class Listing<T extends Listed> {
  readonly #kind: string;
  readonly #pageSize: number;
  readonly #entries: Map<string, Entry<T>> = new Map();
  readonly #pages: Map<string, Reply> = new Map();
  #next = 1;
  #filtered = 0;

  constructor(kind: string, pageSize: number) {
    this.#kind = kind;
    this.#pageSize = pageSize;
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
  page(traits: RevisionTraits, cursor: string | undefined, principal: Principal | undefined, render: Render<T>, variant = ''): Reply {
    const owner = this.#filtered === 0 ? '' : (principal?.id ?? '');
    const after = cursor === undefined ? 0 : this.#open(cursor, owner);
    if (typeof after !== 'number') return { error: after };
    // By position, not by cursor: many cursors lead to one page.
    const key = (position: number): string => `${traits.revision} ${position} ${variant}`;
    const start = after === 0 ? this.#pages.get(key(0)) : undefined;
    if (start !== undefined) return start;
    const { items, last, skipped, more } = this.#cut(after, principal);
    const kept = this.#pages.get(key(skipped));
    if (kept !== undefined) return kept;
    const result = render(items, more ? this.#seal(last, owner) : undefined, this.#filtered === 0);
    if (this.#filtered > 0) return { result };
    const reply = { result, json: JSON.stringify(result) };
    if (skipped % this.#pageSize === 0) this.#pages.set(key(skipped), reply);
    return reply;
  }

  /** A page of a list that is made anew for every request; the cursor names the last entry, wherever it stands by then. */
  pageOf(
    all: readonly { readonly uri: string }[],
    cursor: string | undefined,
    principal: Principal | undefined,
    render: Render<object>,
  ): Reply {
    const mark = (item: { readonly uri: string } | undefined): string => digest(`${this.#kind} made ${principal?.id ?? ''} ${item?.uri}`);
    const last = cursor === undefined ? -1 : all.findIndex((item) => `made.${mark(item)}` === cursor);
    if (cursor !== undefined && last === -1) return { error: badCursor };
    const items = all.slice(last + 1, last + 1 + this.#pageSize);
    const more = last + 1 + this.#pageSize < all.length;
    return { result: render(items, more ? `made.${mark(items.at(-1))}` : undefined, false) };
  }

  #cut(after: number, principal: Principal | undefined): { items: T[]; last: number; skipped: number; more: boolean } {
    const items: T[] = [];
    let skipped = 0;
    let last = 0;
    for (const { order, item } of this.#entries.values()) {
      if (item.visibleTo !== undefined && !item.visibleTo(principal)) continue;
      if (order <= after) skipped++;
      else if (items.length < this.#pageSize) {
        items.push(item);
        last = order;
      } else return { items, last, skipped, more: true };
    }
    return { items, last, skipped, more: false };
  }

  #seal(order: number, owner: string): string {
    return `${order.toString(36)}.${digest(`${this.#kind} ${order} ${owner}`)}`;
  }

  #open(cursor: string, owner: string): number | ErrorObject {
    const order = cursor.length <= 32 ? Number.parseInt(cursor, 36) : Number.NaN;
    if (Number.isSafeInteger(order) && this.#seal(order, owner) === cursor) return order;
    return badCursor;
  }
}

const badCursor = faults.invalidParams('Invalid cursor: send the nextCursor of this list, or none to start over');

/** FNV-1a: a cursor is opaque and self-checking, not secret; the same on every node that serves this list. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(36);
}
