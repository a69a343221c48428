// Real edits, from one published version of other people's packages to the next: all of them, as docs/reload-proof.md has them.
import { env } from 'node:process';
import { describe, expect, it } from 'vitest';
import { publishedNames, publishedNotRun } from '../../../../../../scripts/published-edits.mjs';
import { onEachNode } from '../../../../fixture.ts';
import { complaint, provePublished } from '../judge/prove.ts';
import { keepTable, keptTable, tableWith } from '../judge/table.ts';

/** Of all, those that are equal without being imported anew. */
const wantedShare = 0.65;

describe.skipIf(publishedNotRun())('after the reload of a published edit', () => {
  onEachNode((node) => {
    it('a package behaves as after a fresh start, or the answer names what does not', { timeout: 1_200_000, retry: 0 }, async () => {
      const rows = await provePublished(node, publishedNames());
      const table = tableWith(rows, env['VIVARIUM_SECOND_NODE'] === 'only' ? '24' : '20');
      console.log(table);
      if (env['UPDATE_RELOAD_PROOF']) keepTable(table);
      expect(rows.flatMap(({ verdict }) => complaint(verdict) || [])).toEqual([]);
      const equal = rows.filter(({ outcome }) => outcome === 'equal');
      expect(equal.length / rows.length).toBeGreaterThanOrEqual(wantedShare);
      expect(table).toBe(keptTable());
    });
  });
});
