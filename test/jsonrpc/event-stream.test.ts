// The reader of event streams: the rules of WHATWG, wherever the bytes are cut.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventParser, encodeEvent, encodePriming, keepAlive } from '../../src/jsonrpc/event-stream.ts';

interface Read {
  readonly events: [data: string, type: string, id: string][];
  readonly retryMs: number | undefined;
  readonly lastId: string;
  readonly overflows: number;
}

function read(chunks: Iterable<Uint8Array>, maxBytes = 1_000, lastId = ''): Read {
  const events: Read['events'] = [];
  let overflows = 0;
  const parser: EventParser = new EventParser(
    {
      event: (data, type) => events.push([data, type, parser.lastId]),
      overflow: () => {
        overflows++;
      },
    },
    maxBytes,
    lastId,
  );
  for (const chunk of chunks) parser.push(chunk);
  return { events, retryMs: parser.retryMs, lastId: parser.lastId, overflows };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const dataOf = (text: string): string[] => read([bytes(text)]).events.map(([data]) => data);

const mixed =
  '\ufeffdata: first\r\n\r\n: comment\ndata: ä\u2028ö\ndata\ndata:  🐢\nid: 7\n\nevent: other\rdata: x\r\rretry: 250\n\nid\ndata: end\n\ndata: cut';

describe('C10 an event stream', () => {
  it('is read the same however it is cut', () => {
    const whole = bytes(mixed);
    const expected = read([whole]);
    expect(expected.events).toEqual([
      ['first', '', ''],
      ['ä\u2028ö\n\n 🐢', '', '7'],
      ['x', 'other', '7'],
      ['end', '', ''],
    ]);
    expect(expected.retryMs).toBe(250);
    for (let at = 0; at <= whole.length; at++) expect(read([whole.subarray(0, at), whole.subarray(at)])).toEqual(expected);
    expect(read([...whole].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
  });

  it('gives back any event that was written, at any cut', () => {
    const text = fc.string({ unit: 'binary' }).filter((said) => !/[\r\n\0]/.test(said) && !/\p{Surrogate}/u.test(said));
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 20 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), cuts, (said, sizes) => {
        const whole = bytes(said.map((one, index) => `${keepAlive}${encodeEvent(one, String(index))}`).join(''));
        const chunks: Uint8Array[] = [];
        let at = 0;
        for (const size of sizes) {
          chunks.push(whole.subarray(at, at + size));
          at += size;
        }
        chunks.push(whole.subarray(at));
        expect(read(chunks, 100_000).events).toEqual(said.map((one, index) => [one, 'message', String(index)]));
      }),
    );
  });

  it('has lines that end with LF, CR or CRLF', () => {
    for (const end of ['\n', '\r', '\r\n']) expect(dataOf(`data: a${end}data: b${end}${end}data: c${end}${end}`)).toEqual(['a\nb', 'c']);
  });

  it('may begin with a byte order mark, which is one only there', () => {
    expect(dataOf('\ufeffdata: a\n\n\ufeffdata: b\n\n')).toEqual(['a']);
  });

  it('passes over comments and fields that nobody knows', () => {
    expect(dataOf(': data: x\nfoo: y\ndata: a\n:\n\n')).toEqual(['a']);
  });

  it('takes one blank after the colon away, and no more', () => {
    expect(dataOf('data:a\n\ndata: a\n\ndata:  a\n\n')).toEqual(['a', 'a', ' a']);
  });

  it('tells of an event only when it is whole', () => {
    expect(dataOf('data: a\n')).toEqual([]);
    expect(dataOf('event: x\nid: 1\n\n')).toEqual([]);
    expect(dataOf('data\n\n')).toEqual(['']);
  });

  it('remembers an id when its event is whole, whether it says something or not', () => {
    expect(read([bytes('id: 1\n\nid: 2\ndata: cut')]).lastId).toBe('1');
    expect(read([bytes(encodePriming('p-0', 500))])).toMatchObject({ lastId: 'p-0', retryMs: 500, events: [['', '', 'p-0']] });
    expect(read([bytes('data: a\n\n')], 1_000, 'before').lastId).toBe('before');
    expect(read([bytes('id\n\n')], 1_000, 'before').lastId).toBe('');
  });

  it('ignores an id with NUL and a time to wait that is not all digits', () => {
    const { lastId, retryMs } = read([bytes('id: 1\nretry: 10\n\nid: 2\0\nretry: 5s\n\nretry: -1\n\nretry:\n\n')]);
    expect([lastId, retryMs]).toEqual(['1', 10]);
  });

  it('replaces what is not UTF-8', () => {
    const [broken, follows] = [Uint8Array.of(0x64, 0x61, 0x74, 0x61, 0x3a, 0xc3), bytes('\n\ndata: b\n\n')];
    expect(read([broken, follows]).events.map(([data]) => data)).toEqual(['\ufffd', 'b']);
  });
});

describe('an event that is too large', () => {
  const long = 'x'.repeat(600);

  it('ends the reading, in one line or in many, and is told once', () => {
    for (const text of [`data: ${long}${long}`, `data: ${long}\ndata: ${long}\n\n`, `data: ${long}${long}\n\n`]) {
      expect(read([bytes(text), bytes('\n\ndata: after\n\n')])).toMatchObject({ events: [], overflows: 1 });
    }
  });

  it('is judged alone, not with those before it', () => {
    expect(read([bytes(`data: ${long}\n\ndata: ${long}\n\n`)])).toMatchObject({ overflows: 0 });
  });

  it('is not a comment, which may go on for ever', () => {
    const chunks = [bytes(':'), ...Array.from({ length: 50 }, () => bytes(long)), bytes('\r'), bytes('\ndata: a\n\n')];
    expect(read(chunks)).toMatchObject({ overflows: 0, events: [['a', '', '']] });
  });

  it('is held only up to the limit, byte by byte or in pieces', () => {
    const maxBytes = 4 * 1024 * 1024;
    for (const size of [7, 65_536]) {
      const chunk = new Uint8Array(size).fill(0x78);
      const before = process.memoryUsage();
      let overflows = 0;
      let peak = 0;
      const parser = new EventParser({ event: () => undefined, overflow: () => overflows++ }, maxBytes);
      let sent = 0;
      for (; overflows === 0; sent += size) {
        parser.push(chunk);
        if (sent % (size * 1_024) === 0) peak = Math.max(peak, process.memoryUsage().arrayBuffers - before.arrayBuffers);
      }
      expect(sent).toBeLessThanOrEqual(maxBytes + 2 * size);
      expect(peak).toBeLessThan(2 * maxBytes);
    }
  });

  it('leaves nothing to be told once reading was stopped', () => {
    const told: string[] = [];
    const parser: EventParser = new EventParser(
      {
        event: (data) => {
          told.push(data);
          parser.stop();
        },
        overflow: () => undefined,
      },
      1_000,
    );
    parser.push(bytes('data: a\n\ndata: b\n\n'));
    parser.push(bytes('data: c\n\n'));
    expect(told).toEqual(['a']);
  });
});
