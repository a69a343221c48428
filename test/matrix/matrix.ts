// Runs one behaviour over every transport and every revision that has it.
import { describe, it } from 'vitest';
import { type Revision, revisions } from 'vivarium';
import type { Server } from 'vivarium/server';
import { type Link, type LinkOptions, open, type Transport } from './link.ts';

export interface Cell {
  readonly revision: Revision;
  readonly transport: Transport;
  /** Opens a link to the server in this cell's revision; it is closed, and its messages judged, when the test ends. */
  connect(server: Server, options?: Partial<LinkOptions>): Promise<Link>;
}

export interface MatrixOptions {
  readonly revisions?: readonly Revision[];
  readonly transports?: readonly Transport[];
  /** Cells that cannot be, by transport and revision: `/^http 2026/`. */
  readonly except?: RegExp;
}

export const legacy: readonly Revision[] = revisions.filter((revision) => revision !== '2026-07-28');
export const since = (first: Revision): readonly Revision[] => revisions.slice(revisions.indexOf(first));

/** One connection, one client, in this process: what is sent is read at once, and whoever sends it is the local user. */
export const pipes: readonly Transport[] = ['memory', 'wire'];
/** The others have the same rooms behind them, so they take turns, by title; tour.test.ts takes each through everything. */
function usual(title: string, revision: Revision): readonly Transport[] {
  // 2026-07-28 has nothing to do with the transport of 2024-11-05; older clients lose much where nothing is remembered.
  const others: readonly Transport[] = revision === '2026-07-28' ? ['fetch', 'stateless'] : ['fetch', 'sse'];
  let sum = 0;
  for (const character of title) sum += character.charCodeAt(0);
  return [...pipes, 'http', others[sum % others.length] as Transport];
}

/** `title` is the behaviour, as a sentence. */
export function matrix(title: string, options: MatrixOptions, behaviour: (cell: Cell) => Promise<void>): void {
  describe(title, () => {
    for (const revision of options.revisions ?? revisions) {
      for (const transport of options.transports ?? usual(title, revision)) {
        if (options.except?.test(`${transport} ${revision}`)) continue;
        it(`${transport} ${revision}`, async () => {
          const links: Link[] = [];
          await behaviour({
            revision,
            transport,
            async connect(server, more = {}) {
              const link = await open(server, transport, { revision, ...more });
              links.push(link);
              return link;
            },
          });
          for (const link of links) await link.close();
        });
      }
    }
  });
}
