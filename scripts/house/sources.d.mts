// Types of sources.mjs, for its tests.
export interface HouseSource {
  readonly path: string;
  readonly lines: number;
  readonly nodes: number;
  readonly imports: readonly { readonly to: string; readonly typeOnly: boolean }[];
  readonly exported: ReadonlySet<string>;
  /** Lines that decide by the wording of a message, and by a date. */
  readonly wordings: readonly number[];
  readonly dates: readonly number[];
}

export function readSources(root: string): HouseSource[];
