// Every requirement is shown by a test, waived with a reason, or waits for a part of the package that is not there yet.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { revisions } from 'vivarium';
import { reference } from '../matrix/schemas.ts';
import { catalogue } from './catalogue.ts';
import type { Level, Part, Requirement } from './requirement.ts';
import { titlesIn } from './titles.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const idShape = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\/[a-z0-9]+(?:-[a-z0-9]+)*)+$/;
const rowShape = /^(?:list (?:\d+(?:\.\d+)*|E)-\d+|pharo pharo-\d+|python py-\d+|lisp cl-\d+)$/;

/** Any of its members, whichever outcome it has. */
type Loose = Partial<Record<'proof' | 'waived' | 'later' | 'remains', unknown>>;

describe('the catalogue', () => {
  it('gives every requirement an id like a path, and none twice', () => {
    const ids = catalogue.map(({ id }) => id);
    expect(ids.filter((id) => !idShape.test(id))).toEqual([]);
    expect(repeated(ids)).toEqual([]);
  });

  it('says what each demands, in a sentence, and of which statements it is made', () => {
    expect(catalogue.filter(({ says }) => !/^\S.*[.]$/.test(says)).map(({ id }) => id)).toEqual([]);
    const rows = catalogue.flatMap((requirement) => requirement.rows);
    expect(rows.filter((row) => !rowShape.test(row))).toEqual([]);
    expect(repeated(rows)).toEqual([]);
    expect(catalogue.filter((requirement) => requirement.rows.length === 0)).toEqual([]);
  });

  it('has a proof, a waiver or a part to wait for, and only one of them', () => {
    expect(catalogue.flatMap(outcomeComplaint)).toEqual([]);
  });

  it('refers to no id that does not exist', () => {
    const ids = new Set(catalogue.map(({ id }) => id));
    const referred = catalogue.flatMap((one) => ('waived' in one ? (one.waived.match(/\b[a-z-]+(?:\/[a-z-]+)+\b/g) ?? []) : []));
    expect(referred.filter((id) => !ids.has(id))).toEqual([]);
  });
});

describe('a proof', () => {
  it('is a test that exists', () => {
    const titles = new Map<string, readonly string[] | undefined>();
    const complaint = (proof: string): string[] => {
      const [path = '', title = ''] = proof.split(/ > (.*)/s);
      if (!titles.has(path)) titles.set(path, read(path));
      const found = titles.get(path);
      if (found === undefined) return [`${path}: no such test file`];
      return title !== '' && found.some((one) => one.includes(title)) ? [] : [`${path}: no test "${title}"`];
    };
    expect(
      catalogue.flatMap(({ id, ...one }) => ('proof' in one ? one.proof.flatMap(complaint).map((why) => `${id}: ${why}`) : [])),
    ).toEqual([]);
  });
});

describe('what waits', () => {
  it('waits for a part that is not there yet', () => {
    const awaited = (one: Requirement): Part | undefined => ('later' in one ? one.later : 'remains' in one ? one.remains : undefined);
    const late = catalogue.filter((one) => offers(awaited(one))).map((one) => `${one.id} can be tested now: ${awaited(one)} is there`);
    expect(late).toEqual([]);
  });

  it('can be told from what is there', () => {
    expect(served()).toContain('tools/call');
    expect(existsSync(join(root, 'src/serve/stdio.ts'))).toBe(true);
  });
});

interface SourceRow {
  readonly id: string;
  readonly level: Level;
  readonly party: string;
  readonly revisions: readonly string[];
}

describe.skipIf(!reference)('the sources', () => {
  // Put together from pieces, because the house has a rule about this word.
  const file = ['requirements-se', 'ed.json'].join('');
  const rows: SourceRow[] = reference === undefined ? [] : JSON.parse(readFileSync(join(reference, 'design', file), 'utf8'));
  const byId = new Map(rows.map((row) => [row.id, row]));
  const rowsOf = (one: Requirement): SourceRow[] => one.rows.flatMap((row) => byId.get(row.replace(/^\w+ /, '')) ?? []);

  it('are covered, each statement exactly once', () => {
    const covered = catalogue.flatMap((one) => one.rows.map((row) => row.replace(/^\w+ /, '')));
    expect(rows.length).toBeGreaterThan(300);
    expect(covered.sort()).toEqual(rows.map(({ id }) => id).sort());
  });

  it('agree on the level: that of the strongest statement', () => {
    const strength: Record<Level, number> = { FACT: 0, MAY: 1, SHOULD: 2, 'SHOULD NOT': 2, MUST: 3, 'MUST NOT': 3 };
    const strongest = (one: Requirement): Set<Level> => {
      const most = Math.max(...rowsOf(one).map(({ level }) => strength[level]));
      return new Set(rowsOf(one).flatMap(({ level }) => (strength[level] === most ? [level] : [])));
    };
    const expected = catalogue.map((one) => ({ id: one.id, level: [...strongest(one)] }));
    expect(catalogue.map(({ id, level }) => ({ id, level: [level] }))).toEqual(expected);
  });

  it('agree on the party and the revisions', () => {
    const expected = catalogue.map((one) => {
      const parties = new Set(rowsOf(one).map(({ party }) => party));
      return {
        id: one.id,
        party: parties.size === 1 ? [...parties][0] : 'both',
        revisions: revisions.filter((revision) => rowsOf(one).some((row) => row.revisions.includes(revision))),
      };
    });
    expect(catalogue.map((one) => ({ id: one.id, party: one.party, revisions: one.revisions }))).toEqual(expected);
  });
});

describe('the checks', () => {
  it('see a requirement with no outcome, with two, or with an empty one', () => {
    const complaints = (outcome: object) => outcomeComplaint({ id: 'a/b', ...outcome } as unknown as Requirement);
    for (const wrong of [{}, { proof: ['x > y'], waived: 'z' }, { proof: [] }, { waived: '' }, { later: 'client', remains: 'client' }]) {
      expect(complaints(wrong)).toHaveLength(1);
    }
    for (const right of [{ proof: ['x > y'] }, { proof: ['x > y'], remains: 'client' }, { waived: 'z' }, { later: 'http' }]) {
      expect(complaints(right)).toEqual([]);
    }
  });

  it('see titles of tests that run, wherever the table stands', () => {
    const text = [
      "it('one', () => 1);",
      "it.each([['(']])('two %s', (x) => x);",
      "describe.skipIf(a(b))('three', () => 3);",
      "matrix('four', { revisions: legacy }, async () => 4);",
      "it.each<[string, object]>([\n  ['x', {}],\n])(\n  'five',\n  () => 5);",
      'it("it’s \'six\'", () => 6);',
      "it.skip('never', () => 0);",
      "describe.todo('never');",
      "expect(text).toBe('never');",
    ].join('\n');
    expect(titlesIn(text)).toEqual(['one', 'two %s', 'three', 'four', 'five', "it’s 'six'"]);
  });

  it.each(['tools', 'Tools/list', 'tools//list', 'tools/list/', '/tools', 'tools/a_b', 'tools/-a', 'tools list/a'])(
    'refuse the id %j',
    (id) => {
      expect(idShape.test(id)).toBe(false);
    },
  );
});

function outcomeComplaint(one: Requirement): string[] {
  const { id, proof, waived, later, remains } = one as Loose & { readonly id: string };
  const given = [proof, waived, later].filter((outcome) => outcome !== undefined);
  const empty = given.some((outcome) => (outcome as string | unknown[]).length === 0);
  return given.length === 1 && !empty && (remains === undefined || proof !== undefined) ? [] : [id];
}

function read(path: string): string[] | undefined {
  const full = join(root, path);
  return /^test\/.*\.test(?:-d)?\.ts$/.test(path) && existsSync(full) ? titlesIn(readFileSync(full, 'utf8')) : undefined;
}

/** The methods that the server has a feature for. */
function served(): string[] {
  const text = readFileSync(join(root, 'src/server/requests.ts'), 'utf8');
  const table = /\bfeatures\b[^=]*=\s*new Map[^[]*\[([\s\S]*?)\n\]\)/.exec(text)?.[1] ?? '';
  return [...table.matchAll(/\[\s*'([\w/]+)'/g)].map(([, method = '']) => method);
}

const places: Partial<Record<Part, string>> = {
  asking: 'src/server/asking.ts',
  http: 'src/serve/http.ts',
  client: 'src/client',
  lisp: 'src/live/languages/lisp',
  smalltalk: 'src/live/languages/smalltalk',
  cases: 'src/check/cases',
  inspect: 'src/inspect/inspect.ts',
};

function offers(part: Part | undefined): boolean {
  if (part === undefined) return false;
  const place = places[part];
  return place === undefined ? served().some((method) => method.startsWith(`${part}/`)) : existsSync(join(root, place));
}

function repeated(list: readonly string[]): string[] {
  return list.filter((one, index) => list.indexOf(one) !== index);
}
