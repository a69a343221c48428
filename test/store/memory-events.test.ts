// The event log in memory: one reader for each stream, and bounds by count, bytes and age.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryStore, type Store } from 'vivarium/store/memory';

const limits = { maxCount: 10, maxAgeMs: 1_000, maxBytes: 100 };

interface Heard {
  readonly lines: string[];
  readonly reader: { event(number: number, data: string): void; end(): void; replaced(): void };
}

function listener(): Heard {
  const lines: string[] = [];
  return {
    lines,
    reader: {
      event: (number, data) => void lines.push(`${number} ${data}`),
      end: () => void lines.push('end'),
      replaced: () => void lines.push('replaced'),
    },
  };
}

let events: Store['events'];
let store: Store;

/** Follows at once, as memory can. */
function follow(session: string, stream: string, after: number, heard = listener()) {
  const following = events.follow(session, stream, after, heard.reader);
  if (following instanceof Promise) throw new Error('memory does not wait');
  return following;
}

const missed = (following: ReturnType<typeof follow>): unknown => (typeof following === 'object' ? following.missed : following);
const append = (from: number, to: number, data = 'x', stream = 's'): void => {
  for (let number = from; number <= to; number++) events.append('a', stream, number, data);
};

beforeEach(() => {
  vi.useFakeTimers();
  store = memoryStore();
  events = store.events;
});

afterEach(() => {
  vi.useRealTimers();
});

describe('a stream', () => {
  it('gives each event to its one reader, and what was missed to whoever comes after', () => {
    const first = listener();
    events.begin('a', 's', limits, first.reader);
    append(1, 2);
    const second = listener();
    const following = follow('a', 's', 1, second);
    expect(following).toMatchObject({ missed: [[2, 'x']], last: 2, ended: false });
    append(3, 3);
    events.end('a', 's');
    expect(first.lines).toEqual(['1 x', '2 x', 'replaced']);
    expect(second.lines).toEqual(['3 x', 'end']);
  });

  it('is kept while nobody reads, and after its end', () => {
    const first = listener();
    const leave = events.begin('a', 's', limits, first.reader);
    append(1, 1);
    leave();
    append(2, 2);
    events.end('a', 's');
    expect(first.lines).toEqual(['1 x']);
    expect(follow('a', 's', 1)).toMatchObject({ missed: [[2, 'x']], last: 2, ended: true });
    expect(follow('a', 's', 0)).toMatchObject({ last: 2, ended: true });
  });

  it('does not notice when someone leaves who was replaced already', () => {
    const leave = events.begin('a', 's', limits, listener().reader);
    const second = listener();
    follow('a', 's', 0, second);
    leave();
    append(1, 1);
    expect(second.lines).toEqual(['1 x']);
  });

  it('of another name or session, or beyond its end, is none', () => {
    events.begin('a', 's', limits, listener().reader);
    append(1, 3);
    for (const [session, stream, after] of [
      ['a', 't', 0],
      ['b', 's', 0],
      ['a', 's', 4],
      ['a', 's', -1],
      ['__proto__', 's', 0],
      ['a', 'constructor', 0],
    ] as const) {
      expect([session, stream, after, follow(session, stream, after)]).toEqual([session, stream, after, undefined]);
    }
    expect(follow('a', 's', 3)).toMatchObject({ missed: [] });
  });

  it('goes with its session, and its reader is told', () => {
    const heard = listener();
    events.begin('a', 's', limits, heard.reader);
    events.drop('a');
    append(1, 1);
    expect([heard.lines, follow('a', 's', 0)]).toEqual([['end'], undefined]);
  });
});

describe('the log of a stream is bounded', () => {
  beforeEach(() => {
    events.begin('a', 's', limits, listener().reader);
  });

  it('by count', () => {
    append(1, 25);
    expect(follow('a', 's', 14)).toBe('trimmed');
    expect(missed(follow('a', 's', 15))).toHaveLength(10);
    expect(missed(follow('a', 's', 25))).toEqual([]);
  });

  it('by size, but keeps the newest whatever its size', () => {
    append(1, 5, 'x'.repeat(30));
    expect(follow('a', 's', 1)).toBe('trimmed');
    expect(missed(follow('a', 's', 2))).toHaveLength(3);
    append(6, 6, 'y'.repeat(1_000));
    expect(follow('a', 's', 4)).toBe('trimmed');
    expect(missed(follow('a', 's', 5))).toHaveLength(1);
  });

  it('by age', () => {
    append(1, 2);
    vi.advanceTimersByTime(600);
    append(3, 3);
    vi.advanceTimersByTime(401);
    expect(follow('a', 's', 1)).toBe('trimmed');
    expect(missed(follow('a', 's', 2))).toEqual([[3, 'x']]);
    vi.advanceTimersByTime(1_000);
    expect(follow('a', 's', 2)).toBe('trimmed');
    expect(missed(follow('a', 's', 3))).toEqual([]);
    append(4, 4);
    expect(follow('a', 's', 2)).toBe('trimmed');
    expect(missed(follow('a', 's', 3))).toEqual([[4, 'x']]);
  });

  it('and streams that ended go when nothing is left of them', () => {
    append(1, 2);
    events.end('a', 's');
    vi.advanceTimersByTime(1_001);
    store.tidy();
    expect(follow('a', 's', 2)).toBeUndefined();
  });
});

it('keeps so many streams of a session that have ended, the newest, and all that have not', () => {
  events.begin('a', 'open', limits, listener().reader)();
  for (let i = 0; i < 1_000; i++) {
    events.begin('a', `s${i}`, limits, listener().reader);
    events.end('a', `s${i}`);
  }
  expect(follow('a', 'open', 0)).toMatchObject({ ended: false });
  const kept = Array.from({ length: 1_000 }, (_, at) => at).filter((at) => follow('a', `s${at}`, 0) !== undefined);
  expect(kept.length).toBeLessThanOrEqual(100);
  expect(kept).toContain(999);
  expect(kept).toContain(998);
});

it('is bounded in all: the oldest go first, and streams that are read go on', () => {
  const data = 'x'.repeat(1024 * 1024);
  const large = { maxCount: 1_000, maxAgeMs: 1_000, maxBytes: 2 ** 30 };
  const heard = listener();
  events.begin('a', 's', large, heard.reader);
  for (let i = 1; i <= 40; i++) events.append('a', 's', i, data);
  events.begin('b', 's', large, listener().reader);
  for (let i = 1; i <= 40; i++) events.append('b', 's', i, data);
  expect(follow('a', 's', 0)).toBe('trimmed');
  expect(missed(follow('b', 's', 0))).toHaveLength(40);
  expect(heard.lines).toHaveLength(40);
});

it('whoever resumes anywhere, any number of times, has each event once and in order', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constant('append'), fc.constant('leave'), fc.constant('resume')), { maxLength: 60 }), (steps) => {
      const log = memoryStore().events;
      const got: number[] = [];
      let written = 0;
      const reader = { event: (number: number) => void got.push(number), end: () => undefined, replaced: () => undefined };
      let leave = log.begin('a', 's', { maxCount: 100, maxAgeMs: 60_000, maxBytes: 10_000 }, reader);
      const resume = (): void => {
        const following = log.follow('a', 's', got.length, reader);
        if (following === undefined || following === 'trimmed' || following instanceof Promise) throw new Error(`${following}`);
        got.push(...following.missed.map(([number]) => number));
        leave = following.leave;
      };
      for (const step of steps) {
        if (step === 'append') log.append('a', 's', ++written, 'x');
        else if (step === 'leave') leave();
        else resume();
      }
      resume();
      expect(got).toEqual(Array.from({ length: written }, (_, at) => at + 1));
    }),
  );
});

it('makes room at the cost of whoever has most, in however many sessions', () => {
  const large = { maxCount: 1_000, maxAgeMs: 1_000, maxBytes: 2 ** 30 };
  const record = {
    revision: '2025-11-25',
    client: { info: undefined, capabilities: {} },
    capabilities: {},
    level: 'info',
    subscribed: [],
    initialized: true,
    version: 0,
  } as const;
  const { reader } = listener();
  store.sessions.create('hers', { ...record, owner: 'alice' }, 60_000, 100);
  events.begin('hers', 's', large, reader);
  events.append('hers', 's', 1, 'x'.repeat(1024 * 1024));
  for (let at = 0; at < 90; at++) {
    store.sessions.create(`m${at}`, { ...record, owner: 'mallory' }, 60_000, 100);
    events.begin(`m${at}`, 's', large, reader);
    events.append(`m${at}`, 's', 1, 'x'.repeat(1024 * 1024));
  }
  expect(missed(follow('hers', 's', 0))).toHaveLength(1);
  expect(missed(follow('m89', 's', 0))).toHaveLength(1);
  expect(follow('m0', 's', 0)).toBe('trimmed');
});
