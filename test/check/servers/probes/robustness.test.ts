// Servers that do not survive what a server has to survive are found out, and those that do are not.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type CheckOptions, type CheckTarget, type Outcome, runCheck } from 'vivarium/check';
import { type Around, httpTarget } from '../../http-target.ts';
import { createHonest } from '../mutants/honest.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function served(around: Around, transport: 'http' | 'sse' = 'http'): Promise<CheckTarget> {
  const { target, close } = await httpTarget(createHonest, { around, transport });
  closing.push(close);
  return target;
}

/** In front of an honest server: nothing passes any more once a request was like that. */
async function fragile(isFatal: (request: string) => boolean, transport: 'http' | 'sse'): Promise<CheckTarget> {
  const target = await served((_, next) => next(), transport);
  if (target.kind !== 'url') throw new Error('no URL');
  const url = new URL(target.url);
  const behind = Number(url.port);
  const sockets = new Set<Socket>();
  let isBroken = false;
  const front = createServer((socket) => {
    if (isBroken) return void socket.destroy();
    const back = connect(behind, '127.0.0.1');
    for (const one of [socket, back]) {
      sockets.add(one);
      one.on('error', () => undefined).on('close', () => sockets.delete(one));
    }
    socket.on('data', (chunk) => {
      if (!isFatal(chunk.toString('latin1'))) return;
      isBroken = true;
      for (const one of sockets) one.destroy();
    });
    socket.pipe(back).pipe(socket);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  closing.unshift(async () => {
    for (const one of sockets) one.destroy();
    await new Promise((resolve) => front.close(resolve));
  });
  url.port = String((front.address() as AddressInfo).port);
  return { ...target, url: url.href };
}

const answered = 'jsonrpc/request/answered';

async function outcomes(target: CheckTarget, options: CheckOptions): Promise<readonly Outcome[]> {
  const { runs, problem } = await runCheck(target, { timeout: 2_000, ...options });
  expect(problem).toBeUndefined();
  return runs.flatMap((run) => run.outcomes);
}

const lengthsIn = (request: string): string[] => [...request.matchAll(/^content-length: (.*)\r$/gim)].map(([, length = '']) => length);
const bodyOf = (request: string): string => request.slice(request.indexOf('\r\n\r\n') + 4);
const isLie = (request: string): boolean => request.startsWith('POST') && request.includes('"lies"');

const lies: readonly (readonly [string, (request: string) => boolean])[] = [
  ['a Content-Length above that of the body', (request) => isLie(request) && Number(lengthsIn(request)[0]) > bodyOf(request).length],
  [
    'a Content-Length below that of the body',
    (request) => isLie(request) && Number(lengthsIn(request)[0]) > 5 && Number(lengthsIn(request)[0]) < bodyOf(request).length,
  ],
  ['two different lengths', (request) => isLie(request) && lengthsIn(request).length === 2],
  ['a Content-Length below zero', (request) => isLie(request) && lengthsIn(request)[0] === '-1'],
  ['a Content-Length beside Transfer-Encoding', (request) => isLie(request) && /^transfer-encoding/im.test(request)],
];

describe.each(['http', 'sse'] as const)('a server over %s that stops at', (transport) => {
  it.each(lies)('%s', async (what, isFatal) => {
    const all = await outcomes(await fragile(isFatal, transport), { revision: '2024-11-05', only: [answered] });
    expect(all).toMatchObject([{ id: answered, verdict: 'failed', message: expect.stringContaining(`after ${what} `) }]);
  });

  it('none of these is not blamed', async () => {
    const all = await outcomes(await fragile(() => false, transport), { revision: '2024-11-05', only: [answered] });
    expect(all).toMatchObject([{ id: answered, verdict: 'passed' }]);
  });
});

describe('a server that has enough of requests', () => {
  const tooMany = (after?: string): Response =>
    new Response('Too many', { status: 429, headers: after === undefined ? {} : { 'retry-after': after } });

  it('is left alone for as long as it asks, and judged by what it says then', async () => {
    const arrivals: number[] = [];
    const target = await served((_, next) => {
      arrivals.push(performance.now());
      return arrivals.length === 1 ? tooMany('1') : next();
    });
    const all = await outcomes(target, { revision: '2025-11-25', only: ['ping', 'lifecycle'], level: 'must' });
    expect(all.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
    expect(all.find(({ id }) => id === 'ping/answered')?.verdict).toBe('passed');
    // As the server sees it.
    expect((arrivals[1] ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThanOrEqual(990);
  });

  it.each(['http', 'sse'] as const)('now and then, over %s, breaks nothing', async (transport) => {
    let count = 0;
    const target = await served((_, next) => {
      count += 1;
      return count % 7 === 0 ? tooMany('0') : next();
    }, transport);
    const all = await outcomes(target, { revision: '2024-11-05', level: 'must', timeout: 5_000 });
    expect(all.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
    expect(all.filter(({ verdict }) => verdict === 'passed').length).toBeGreaterThan(20);
  });

  it('for an hour breaks nothing; what it does not answer is not verified', async () => {
    let count = 0;
    const target = await served((_, next) => {
      count += 1;
      return count > 6 ? tooMany('3600') : next();
    });
    const all = await outcomes(target, { revision: '2025-11-25', level: 'must' });
    expect(all.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
    expect(all.find(({ id }) => id === 'ping/answered')).toMatchObject({
      verdict: 'not-verified',
      message: expect.stringContaining('429'),
    });
  });
});

describe('a limit of requests a minute', () => {
  it.each(['http', 'sse'] as const)('holds over %s for all connections together', async (transport) => {
    const arrivals: number[] = [];
    const target = await served((_, next) => {
      arrivals.push(performance.now());
      return next();
    }, transport);
    // One in 30 ms; two lanes of probes run beside each other.
    await outcomes(target, { revision: '2024-11-05', only: ['ping', 'lifecycle', 'sse', 'tools/list'], rateLimit: 2_000 });
    const span = (arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0);
    expect(arrivals.length).toBeGreaterThan(8);
    // The last may come early by as much as the first came late.
    expect(span).toBeGreaterThan((arrivals.length - 3) * 30);
  });
});
