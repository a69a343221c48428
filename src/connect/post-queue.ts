// The messages of one HTTP channel: those on their way, and those that wait for `notifications/initialized` to arrive first.
import type { RequestId } from '../jsonrpc/message.ts';
import type { Sending } from '../protocol/channel.ts';
import { type Envelope, type Hub, isRequest, Post } from './post.ts';

export class PostQueue {
  readonly #hub: Hub;
  readonly #posts: Set<Post> = new Set();
  readonly #held: [message: object, sending: Sending][] = [];
  /** `notifications/initialized` is on its way: what follows must not overtake it. */
  #opening: Post | undefined;

  constructor(hub: Hub) {
    this.#hub = hub;
  }

  get isOpening(): boolean {
    return this.#opening !== undefined;
  }

  send(message: Envelope, sending: Sending, resumable: boolean): void {
    const post = new Post(this.#hub, message, sending, resumable);
    this.#posts.add(post);
    if (message.method === 'notifications/initialized') this.#opening = post;
    post.begin();
  }

  hold(message: object, sending: Sending): void {
    this.#held.push([message, sending]);
  }

  opened(): void {
    this.#opening = undefined;
  }

  /** What was held, which is then no longer here. */
  takeHeld(): [message: object, sending: Sending][] {
    return this.#held.splice(0);
  }

  abandon(id: RequestId): void {
    const held = this.#held.findIndex(([message]) => isRequest(message, id));
    if (held >= 0) this.#held.splice(held, 1);
    for (const post of this.#posts) if (isRequest(post.message, id)) return post.abort();
  }

  /** The answer came on another stream. */
  answered(id: unknown): void {
    for (const post of this.#posts) if (isRequest(post.message, id)) return post.settle();
  }

  /** Whether it was the one that everything waited for. */
  over(post: Post): boolean {
    this.#posts.delete(post);
    return post === this.#opening;
  }

  dropHeld(): void {
    this.#held.length = 0;
  }

  abort(): void {
    for (const post of [...this.#posts]) post.abort();
  }
}

/** Later, as any other failure. */
export function refuseClosed(sending: Sending): void {
  queueMicrotask(() => sending.failed?.({ kind: 'network', message: 'The channel is closed', unsent: true }));
}
