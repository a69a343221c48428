// A live server with the surface of another, and ways to its images that are the same for every transport and revision.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { createLive, type Live, type LiveOptions } from 'vivarium/live';
import type { Link, Message } from '../matrix/link.ts';

export function openSurface(options: LiveOptions): Live {
  const { live, close } = create(options);
  onTestFinished(close);
  return live;
}

/** One for all tests of a file, with one image: for those to whom it is the same what others did in it. */
export function shareSurface(options: LiveOptions): () => Live {
  let opened: ReturnType<typeof create> | undefined;
  afterAll(() => opened?.close());
  return () => {
    opened ??= create({ ...options, single: true });
    return opened.live;
  };
}

function create(options: LiveOptions): { readonly live: Live; close(): Promise<void> } {
  const folder = mkdtempSync(join(tmpdir(), 'live-surface-'));
  const live = createLive({ cwd: folder, stateFolder: join(folder, 'state'), spare: 'none', ...options });
  const close = async (): Promise<void> => {
    await live.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { live, close };
}

export interface Said {
  readonly text: string;
  readonly isError: boolean;
}

export function said({ result, error }: Message): Said {
  if (error !== undefined) throw new Error(error.message);
  return { text: result.content[0].text, isError: result.isError };
}

/** What a link says to a tool, as the text of its first block. */
export function speaker(link: Link, tool: string, argument: string): (code: string, more?: object) => Promise<Said> {
  return async (code, more) => said(await link.call(tool, { [argument]: code, ...more }));
}
