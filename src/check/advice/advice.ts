// A piece of advice on a server's surface, which no revision demands.
import type { Json } from '../model/value.ts';

export interface Advice {
  /** Stable, as ids of requirements are: `quality/description/missing`. */
  readonly id: string;
  /** What it is about: `tool search`, `resource file:///a`, or `tools` for all of them. */
  readonly about: string;
  /** JSON pointer into the definition. */
  readonly path?: string;
  readonly message: string;
  /** Who refuses or misreads it. */
  readonly vendors?: readonly string[];
}

/** A stranger's name, cut to fit a line. */
export function nameOf(item: Json): string {
  const name = String(item['name']).replace(/\p{Cc}+/gu, ' ');
  return name.length <= 80 ? name : `${name.slice(0, 79)}…`;
}
