// The project's folder. A sole client may name it by its roots, once, before anything runs there.

import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Root } from '../../protocol/types.ts';
import type { Context } from '../../server/context.ts';
import { settledWithin } from '../../text/timeouts.ts';

/** Timeout for clients that announce roots and do not answer. */
const askMs = 3_000;

export class ProjectFolder {
  folder: string;
  /** Called when the client has named another folder. */
  onMove: (folder: string) => void = () => undefined;
  #asks: boolean;

  /** `asks`: request the roots of the first caller. */
  constructor(folder: string, asks: boolean) {
    this.folder = folder;
    this.#asks = asks;
  }

  /** The client may still name another folder. */
  get open(): boolean {
    return this.#asks;
  }

  /** Called before anything runs in the folder. */
  async settle(ctx: Context): Promise<void> {
    if (!this.#asks) return;
    if (ctx.can('roots')) {
      // In 2026-07-28 the call ends here, and the client retries it with the answer.
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
    // A folder of another machine, or one that does not exist.
    return undefined;
  }
}

async function inTime(asked: Promise<readonly Root[]>): Promise<readonly Root[]> {
  return (await settledWithin(askMs, asked).catch(() => undefined)) ?? [];
}
