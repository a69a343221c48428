// The project's folder. A client that is the only one may say where it is, once, before anything has happened there.
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Root } from '../../protocol/types.ts';
import type { Context } from '../../server/context.ts';

/** Clients that promise roots and do not answer are not waited for longer. */
const askMs = 3_000;

export class ProjectFolder {
  folder: string;
  /** Told when the client has named another folder. */
  onMove: (folder: string) => void = () => undefined;
  #asks: boolean;

  /** It `asks` the first caller where nobody has said the folder. */
  constructor(folder: string, asks: boolean) {
    this.folder = folder;
    this.#asks = asks;
  }

  /** A client may still name another one. */
  get open(): boolean {
    return this.#asks;
  }

  /** Before the first thing is done in it. */
  async settle(ctx: Context): Promise<void> {
    if (!this.#asks) return;
    if (ctx.can('roots')) {
      // In 2026-07-28 the call ends here and is made again with the answer.
      const roots = ctx.era === 'modern' ? await ctx.roots() : await inTime(ctx.roots());
      if (!this.#asks) return;
      const named = roots.map(folderOf).find((folder) => folder !== undefined);
      if (named !== undefined && named !== this.folder) {
        this.folder = named;
        this.onMove(named);
      }
    }
    this.#asks = false;
  }
}

function folderOf({ uri }: Root): string | undefined {
  if (!uri.startsWith('file:')) return undefined;
  try {
    const path = fileURLToPath(uri);
    return statSync(path).isDirectory() ? path.replace(/(?<=.)\/+$/, '') : undefined;
  } catch {
    // Of another machine, or not there.
    return undefined;
  }
}

async function inTime(asked: Promise<readonly Root[]>): Promise<readonly Root[]> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<readonly Root[]>((resolve) => {
    timer = setTimeout(() => resolve([]), askMs);
  });
  try {
    return await Promise.race([asked, late]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}
