export interface Found {
  /** Without emphasis, links and line breaks. */
  readonly text: string;
  readonly hash: string;
  readonly levels: readonly string[];
  /** That of the heading it stands under; empty before the first. */
  readonly anchor: string;
}

export interface Page {
  /** Below the folder of the revision: `basic/transports`. */
  readonly path: string;
  readonly name: string;
  readonly headings: readonly string[];
  readonly sentences: readonly Found[];
}

export function pagesOf(folder: string, revision: string): Page[];
