// Real edits, from one published version of other people's packages to the next: a dozen of them. All are in published-all.test.ts.
import { describe, expect, it } from 'vitest';
import { publishedNotRun } from '../../../../../../scripts/published-edits.mjs';
import { onEachNode } from '../../../../fixture.ts';
import { complaint, provePublished } from '../judge/prove.ts';

const dozen = ['braces', 'bytes', 'cookie-es', 'destr', 'dset', 'etag', 'ini', 'is-plain-obj', 'kind-of', 'ms', 'strip-ansi', 'vary'];

describe.skipIf(publishedNotRun())('after the reload of a published edit', () => {
  onEachNode((node) => {
    it('twelve packages behave as after a fresh start, and keep their state', async () => {
      const rows = await provePublished(node, dozen);
      expect(rows.flatMap(({ verdict }) => complaint(verdict) || [])).toEqual([]);
      expect(rows.map(({ name, outcome }) => `${name}: ${outcome}`)).toEqual(dozen.map((name) => `${name}: equal`));
    });
  });
});
