// The catalogue of requirements: whole, without doubles, and tied to the sentences of the specification.
import { describe, expect, it } from 'vitest';
import { catalogue, choose, isNamedBy, joined, requirement } from '../../../src/check/catalogue/catalogue.ts';
import {
  addressOf,
  all,
  isAtLeast,
  isObservable,
  judgedIn,
  type Level,
  levelIn,
  type Requirement,
  sectionOf,
} from '../../../src/check/model/requirement.ts';
import { disagreements, readMaps, readSentences, shareOf } from '../agreement.ts';

const idShape = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\/[a-z0-9]+(?:-[a-z0-9]+)*)+$/;
const pageShape =
  /^(?:(?:architecture|basic|client|server)(?:\/[a-z-]+)*|index|deprecated|schema|tutorials\/security\/security_best_practices)(?:#[a-z0-9_-]+)?$/;

/** Why a sentence with a keyword is no requirement for a server or a client. */
const waivers = new Map([
  ['editorial', 'explains words or other sentences'],
  ['repeated', 'announces what the sentences after it demand one by one'],
  ['about-hosts', 'concerns the application around a client: its screens, its users, its documentation'],
  ['authorization-server', 'concerns an authorization server, which is neither party'],
  ['page-counts', 'says in the schema with more force what a page recommends: the page counts'],
  ['about-extensions', 'concerns those who write extensions'],
  ['about-transports', 'concerns those who define transports'],
  ['intermediary', 'concerns proxies between the two parties'],
]);

const one: Requirement = {
  id: 'ping/empty',
  level: 'SHOULD',
  levels: { '2026-07-28': 'MUST' },
  party: 'server',
  revisions: ['2025-11-25', '2026-07-28'],
  transports: ['stdio'],
  text: 'It answers.',
  page: 'basic/x#y',
  pages: { '2026-07-28': 'basic/z' },
  judged: 'probe',
};

describe('the catalogue', () => {
  it('gives every requirement an id like a path', () => {
    expect(catalogue.filter(({ id }) => !idShape.test(id)).map(({ id }) => id)).toEqual([]);
  });

  it('says what each demands in one sentence, and where it is written', () => {
    expect(catalogue.filter(({ text }) => !/^[A-Z-].*\.$/s.test(text) || text.length > 260).map(({ id }) => id)).toEqual([]);
    const pages = catalogue.flatMap(({ id, page, pages: others = {} }) => [page, ...Object.values(others)].map((at) => `${id} ${at}`));
    expect(pages.filter((line) => !pageShape.test(line.replace(/^\S+ /, '')))).toEqual([]);
  });

  it('holds each in at least one revision, and knows exceptions only for those', () => {
    const strange = catalogue.filter(
      ({ revisions: held, levels = {}, pages = {}, parties = {} }) =>
        held.length === 0 || [levels, pages, parties].flatMap(Object.keys).some((revision) => !held.some((each) => each === revision)),
    );
    expect(strange.map(({ id }) => id)).toEqual([]);
  });

  it('gives a reason where nothing can be observed', () => {
    const silent = catalogue.filter(({ judged }) => typeof judged === 'object' && judged.unobservable.length < 10);
    expect(silent.map(({ id }) => id)).toEqual([]);
  });

  it('hides from one party only what is asked of both', () => {
    expect(catalogue.filter(({ hidden, party }) => hidden !== undefined && party !== 'both').map(({ id }) => id)).toEqual([]);
  });

  it('refuses an id that is there twice', () => {
    expect(() => joined([[one], [one]])).toThrow('two requirements have the id ping/empty');
    expect(joined([[one], [{ ...one, id: 'ping/answered' }]])).toHaveLength(2);
  });

  it('finds a requirement by its id', () => {
    expect(requirement('stdio/no-embedded-newline')).toMatchObject({ level: 'MUST NOT', party: 'both' });
    expect(requirement('toString')).toBeUndefined();
  });
});

describe('a sentence of the specification', () => {
  const maps = readMaps();
  const sentences = readSentences();

  it('is mapped to requirements that exist, or waived with a reason that has a name', () => {
    const complaints = [...maps].flatMap(([page, map]) =>
      Object.entries(map).flatMap(([hash, ids]) => [ids].flat().flatMap((id) => (isKnown(id) ? [] : [`${page} ${hash}: ${id}`]))),
    );
    expect(complaints).toEqual([]);
  });

  it('stands behind every requirement, in each of its revisions and with its level, unless that comes from elsewhere', () => {
    expect(disagreements(catalogue, sentences, maps)).toEqual([]);
  });

  it.each(all)('is mapped, of 100 sentences of %s at least 95', (revision) => {
    const { count, mapped } = shareOf(revision, sentences, maps);
    expect(count).toBeGreaterThan(200);
    expect(mapped / count).toBeGreaterThanOrEqual(0.95);
  });

  function isKnown(id: string): boolean {
    return id.startsWith('waived:') ? waivers.has(id.slice('waived:'.length)) : requirement(id) !== undefined;
  }
});

describe('the comparison', () => {
  const compare = (ids: string, levels: Level[], within: Requirement['revisions'] = all) =>
    disagreements([], [{ page: 'x', hash: '0', levels, revisions: within }], new Map([['x', { '0': ids }]]));

  it('sees a requirement that does not exist, a revision it does not hold in, and another level', () => {
    expect(compare('a/b', ['MUST'])).toEqual(['x 0: no requirement a/b']);
    expect(compare('stdio/exit-on-eof', ['SHOULD'], ['2024-11-05'])).toEqual([
      'stdio/exit-on-eof: does not hold in 2024-11-05, but x 0 says so',
    ]);
    expect(compare('stdio/exit-on-eof', ['MUST'], ['2026-07-28'])).toEqual(['stdio/exit-on-eof: is SHOULD, but x 0 says MUST']);
    expect(compare('stdio/exit-on-eof', ['SHOULD', 'MAY'], ['2026-07-28'])).toEqual([]);
    expect(compare('waived:editorial', ['MUST'])).toEqual([]);
  });

  it('sees a requirement that no sentence stands behind, and a map that is older than the sentences', () => {
    expect(disagreements([one], [], new Map())).toEqual([
      'ping/empty: no sentence of 2025-11-25 says so',
      'ping/empty: no sentence of 2026-07-28 says so',
    ]);
    expect(disagreements([{ ...one, basis: 'schema' }], [], new Map([['x', { '0': 'waived:editorial' }]]))).toEqual([
      'x 0: no such sentence',
    ]);
  });

  it('counts what is mapped in a revision', () => {
    const sentence = { page: 'x', hash: '0', levels: ['MUST' as const], revisions: all };
    expect(shareOf('2024-11-05', [sentence, { ...sentence, hash: '1' }], new Map([['x', { '1': 'ping/empty' }]]))).toEqual({
      count: 2,
      mapped: 1,
    });
  });
});

describe('a choice', () => {
  const ids = (choice: Parameters<typeof choose>[0]) =>
    choose(choice, [one, { ...one, id: 'tools/list/shape', party: 'both' }]).map(({ id }) => id);

  it('without conditions is everything', () => {
    expect(choose()).toEqual(catalogue);
  });

  it('goes by revision, party, transport, section and whether it can be observed', () => {
    expect(ids({ revision: '2024-11-05' })).toEqual([]);
    expect(ids({ party: 'client' })).toEqual(['tools/list/shape']);
    expect(ids({ party: 'server', section: 'ping' })).toEqual(['ping/empty']);
    expect(ids({ transport: 'http' })).toEqual([]);
    expect(ids({ transport: 'stdio', observable: true })).toEqual(['ping/empty', 'tools/list/shape']);
    expect(ids({ observable: false })).toEqual([]);
  });

  it('goes by the party it is asked of in the revision', () => {
    const moved: Requirement = { ...one, party: 'both', parties: { '2026-07-28': 'client' } };
    expect(choose({ party: 'server', revision: '2026-07-28' }, [moved])).toEqual([]);
    expect(choose({ party: 'client', revision: '2026-07-28' }, [moved])).toEqual([moved]);
    expect(choose({ party: 'server', revision: '2025-11-25' }, [moved])).toEqual([moved]);
    expect(choose({ party: 'server' }, [moved])).toEqual([moved]);
  });

  it('goes by whether it can be observed in the party under test', () => {
    const half: Requirement = { ...one, party: 'both', hidden: { server: 'nothing is sent to a server' } };
    expect(choose({ party: 'server', observable: true }, [half])).toEqual([]);
    expect(choose({ party: 'client', observable: true }, [half])).toEqual([half]);
    expect(judgedIn(half, 'server')).toEqual({ unobservable: 'nothing is sent to a server' });
  });

  it('goes by the level it has in the revision', () => {
    expect(ids({ revision: '2025-11-25', level: 'must' })).toEqual([]);
    expect(ids({ revision: '2026-07-28', level: 'must' })).toEqual(['ping/empty', 'tools/list/shape']);
    expect(ids({ level: 'must' })).toEqual(['ping/empty', 'tools/list/shape']);
  });

  it('goes by ids, their beginnings and patterns', () => {
    expect(ids({ only: ['ping/empty'] })).toEqual(['ping/empty']);
    expect(ids({ only: ['tools'] })).toEqual(['tools/list/shape']);
    expect(ids({ only: ['*/list/*'] })).toEqual(['tools/list/shape']);
    expect(ids({ skip: ['tools*'] })).toEqual(['ping/empty']);
  });

  it.each([
    ['tools/call', 'tools', true],
    ['tools-x/call', 'tools', false],
    ['tools/call/name', 'tools/*/name', true],
    ['tools/call/name', '*call*name', true],
    ['ab/a', 'ab*ba', false],
    ['aba/x', '*a*a*', true],
    ['ab/x', '*b*b*', false],
  ])('asks whether %s is named by %s: %s', (id, pattern, expected) => {
    expect(isNamedBy(id, pattern)).toBe(expected);
  });
});

describe('a requirement', () => {
  it('has a level, a page and a section', () => {
    expect(levelIn(one, '2026-07-28')).toBe('MUST');
    expect(levelIn(one, '2025-11-25')).toBe('SHOULD');
    expect(addressOf(one, '2025-11-25')).toBe('https://modelcontextprotocol.io/specification/2025-11-25/basic/x#y');
    expect(addressOf(one, '2026-07-28')).toBe('https://modelcontextprotocol.io/specification/2026-07-28/basic/z');
    expect(sectionOf(one)).toBe('ping');
    expect(isObservable({ ...one, judged: { unobservable: 'nobody sees it' } })).toBe(false);
  });

  it('is at least as strict as the levels below its own', () => {
    expect(['MUST', 'MUST NOT', 'SHOULD', 'MAY'].map((level) => isAtLeast(level as Requirement['level'], 'should'))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(all).toHaveLength(5);
  });
});
