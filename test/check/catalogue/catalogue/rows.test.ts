// Every statement of the sources that concerns the wire is judged by a requirement of the catalogue, or there is a reason why not.
import { describe, expect, it } from 'vitest';
import { requirement } from '../../../../src/check/catalogue/catalogue.ts';
import { catalogue as statements } from '../../../requirements/catalogue.ts';
import { featureRows } from '../feature-rows.ts';
import { baseRows } from '../rows.ts';

const rows = new Map(Object.entries({ ...baseRows, ...featureRows }));

/** What the sources say of themselves, of a validator and of live images is not on the wire of any server. */
const elsewhere = /^(?:about|check|live)\//;

describe('a statement of the sources', () => {
  const known = statements.filter(({ id }) => !elsewhere.test(id));

  it('is a requirement of the same id, or is mapped to others, or has a reason', () => {
    const silent = known.filter(({ id }) => requirement(id) === undefined && !rows.has(id));
    expect(silent.map(({ id, says }) => `${id}: ${says}`)).toEqual([]);
    expect(known.length).toBeGreaterThan(200);
  });

  it('is mapped to requirements that exist', () => {
    const wrong = [...rows].flatMap(([id, to]) =>
      (typeof to === 'string' ? [] : to).filter((one) => requirement(one) === undefined).map((one) => `${id}: ${one}`),
    );
    expect(wrong).toEqual([]);
    expect([...rows].filter(([, to]) => to.length === 0)).toEqual([]);
  });

  it('is mapped once, and only where there is no requirement of its id', () => {
    const ids = new Set(statements.map(({ id }) => id));
    expect([...rows.keys()].filter((id) => !ids.has(id) || requirement(id) !== undefined)).toEqual([]);
  });

  it('has the same party as a requirement of its id, or one that is part of it', () => {
    const differ = known.flatMap(({ id, party }) => {
      const found = requirement(id);
      return found === undefined || found.party === party || found.party === 'both' || party === 'both' ? [] : [id];
    });
    expect(differ).toEqual([]);
  });
});
