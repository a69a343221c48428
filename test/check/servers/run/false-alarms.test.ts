// What looks like a fault and proves none is not verified: a server that takes its time, that has nothing, or that cannot reach another.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type CheckTarget, type Outcome, runCheck } from 'vivarium/check';
import type { Revision } from 'vivarium/protocol';
import { Server, ToolError } from 'vivarium/server';
import { httpTarget } from '../../http-target.ts';
import { pipeTarget } from '../../pipe-target.ts';

const never = (): Promise<never> => new Promise(() => undefined);
const input = { type: 'object', properties: { of: { type: 'string' } }, required: ['of'] } as const;
const annotations = { readOnlyHint: true };

/** Checks nothing itself and ends nothing: as a server that asks another one which does not answer. */
function createSlow(): Server {
  const server = new Server({ name: 'slow', version: '1.0.0' });
  server.tool('ask', { description: 'Asks', annotations }, never);
  server.resource('slow:///one', { name: 'one' }, never);
  server.prompt('tell', { description: 'Tells' }, never);
  return server;
}

async function outcomes(create: () => Server, meddle = {}, revision: Revision = '2025-11-25'): Promise<readonly Outcome[]> {
  const { runs } = await runCheck(
    pipeTarget(create, () => meddle),
    { revision, timeout: 450 },
  );
  return runs.flatMap((run) => run.outcomes);
}

const failed = (all: readonly Outcome[]): string[] => all.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id);
const verdictOf = (all: readonly Outcome[], id: string): string | undefined => all.find((one) => one.id === id)?.verdict;

describe('a server whose own code takes its time', () => {
  it('breaks nothing by that, and what could not be seen is not verified', { timeout: 90_000 }, async () => {
    const all = await outcomes(createSlow);
    expect(failed(all)).toEqual([]);
    expect(verdictOf(all, 'tasks/augment/ignored')).toBe('not-verified');
  });

  it('may be as slow with arguments that do not fit', { timeout: 90_000 }, async () => {
    // The arguments are taken from the call, so that nothing refuses them before the tool is asked.
    const all = await outcomes(
      () => {
        const server = createSlow();
        server.tool('find', { description: 'Finds', input, annotations }, never);
        return server;
      },
      { in: (line: string) => line.replace(/"name":"find","arguments":\{[^{}]*(?:\{[^{}]*\})?[^{}]*\}/, '"name":"ask","arguments":{}') },
    );
    expect(failed(all)).toEqual([]);
    expect(verdictOf(all, 'tools/call/inputs-validated')).toBe('not-verified');
    expect(verdictOf(all, 'json-schema/validated')).not.toBe('failed');
  });
});

describe('a call as a task, at a server without tasks', () => {
  const create = (): Server => {
    const server = new Server({ name: 'plain', version: '1.0.0' });
    server.tool('look', { description: 'Looks', annotations }, () => {
      throw new ToolError('there is nothing');
    });
    return server;
  };
  const refuse = (line: string): string =>
    line.includes('"isError":true')
      ? JSON.stringify({ jsonrpc: '2.0', id: (JSON.parse(line) as { id: unknown }).id, error: { code: -32000, message: 'nothing' } })
      : line;

  it('is not held against it when the call fails in the same way without the task', async () => {
    expect(verdictOf(await outcomes(create, { out: refuse }), 'tasks/augment/ignored')).toBe('not-verified');
  });
});

describe('a server that has nothing to give', () => {
  const create = (): Server => {
    const server = new Server({ name: 'empty', version: '1.0.0' });
    server.resource('empty:///one', { name: 'one' }, () => 'one');
    return server;
  };
  const idOf = (line: string): unknown => (JSON.parse(line) as { id?: unknown }).id;

  it('is not said to read what is no URI when it gives no contents', async () => {
    const asked = new Set<unknown>();
    const meddle = {
      in(line: string) {
        if (line.includes('this is no URI')) asked.add(idOf(line));
        return line;
      },
      out: (line: string) => (asked.has(idOf(line)) ? JSON.stringify({ jsonrpc: '2.0', id: idOf(line), result: { contents: [] } }) : line),
    };
    expect(verdictOf(await outcomes(create, meddle), 'resources/security/uris')).toBe('not-verified');
  });

  it('is not said to refuse a list when it failed at making it', async () => {
    const asked = new Set<unknown>();
    const error = { code: -32603, message: 'fetch failed' };
    const meddle = {
      in(line: string) {
        if (line.includes('"resources/list"')) asked.add(idOf(line));
        return line;
      },
      out: (line: string) => (asked.has(idOf(line)) ? JSON.stringify({ jsonrpc: '2.0', id: idOf(line), error }) : line),
    };
    expect(verdictOf(await outcomes(create, meddle, '2026-07-28'), 'resources/list/answered')).toBe('not-verified');
  });
});

describe('a server that can run only once at a time', () => {
  it('owes no answers from processes that ended before they said anything', async () => {
    const target = pipeTarget(() => new Server({ name: 'alone', version: '1.0.0' }));
    if (target.kind !== 'pipe') throw new Error('no pipe');
    let count = 0;
    const alone: CheckTarget = {
      ...target,
      open(streams) {
        count += 1;
        if (count === 1) return target.open(streams);
        const child = target.open({ ...streams, stdout: () => undefined });
        // Later than an answer is owed.
        setTimeout(() => child.kill('SIGKILL'), 600);
        return child;
      },
    };
    const { runs } = await runCheck(alone, {
      revision: '2025-11-25',
      timeout: 2_000,
      only: ['jsonrpc/request', 'lifecycle/before-initialized'],
    });
    expect(count).toBeGreaterThan(1);
    expect(failed(runs.flatMap((run) => run.outcomes))).toEqual([]);
  });

  it('owes nothing when it is ended by another', async () => {
    const target = pipeTarget(() => new Server({ name: 'alone', version: '1.0.0' }));
    if (target.kind !== 'pipe') throw new Error('no pipe');
    let count = 0;
    const ended: CheckTarget = {
      ...target,
      open(streams) {
        const child = target.open(streams);
        const write = (bytes: Buffer): void => {
          if (!bytes.includes('1999-01-01')) return child.write(bytes);
          count += 1;
          child.kill('SIGKILL');
        };
        return { ...child, write };
      },
    };
    const { runs } = await runCheck(ended, { revision: '2025-11-25', timeout: 2_000, only: ['lifecycle'] });
    expect(count).toBe(1);
    expect(runs[0]?.outcomes.find(({ id }) => id === 'lifecycle/version/other')).toMatchObject({
      verdict: 'not-verified',
      message: 'somebody else ended the server while it was asked',
    });
  });
});

describe('a server that does one thing after the other', () => {
  it('may take its time for each of many requests at once', { timeout: 60_000 }, async () => {
    let free = 0;
    const later = () => {
      free = Math.max(free, performance.now()) + 60;
      return free - performance.now();
    };
    const target = pipeTarget(
      () => new Server({ name: 'patient', version: '1.0.0' }),
      () => ({ later }),
    );
    const { runs } = await runCheck(target, { revision: '2025-11-25', timeout: 700, only: ['jsonrpc/request/answered'] });
    expect(runs[0]?.outcomes).toMatchObject([{ id: 'jsonrpc/request/answered', verdict: 'passed' }]);
  });
});

describe('a server that puts pieces together slowly', () => {
  it('has as long for that as for any answer', { timeout: 60_000 }, async () => {
    const target = pipeTarget(
      () => new Server({ name: 'slow', version: '1.0.0' }),
      () => ({ later: (line) => (line.includes('pièces') ? 2_300 : 0) }),
    );
    const { runs } = await runCheck(target, { revision: '2025-11-25', only: ['jsonrpc/request/answered'] });
    expect(runs[0]?.outcomes).toMatchObject([{ id: 'jsonrpc/request/answered', verdict: 'passed' }]);
  });
});

describe('a server that the signal itself ends', () => {
  it('may leave half of a message behind', { timeout: 60_000 }, async () => {
    const large = `
      const greeting = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'large', version: '1' } };
      const tools = [{ name: 'look', description: 'x'.repeat(1_000_000), inputSchema: { type: 'object' } }];
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method } = JSON.parse(line);
        if (method === 'tools/list') {
          // The signal comes in the middle of it.
          process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: { tools } }).slice(0, 500_000));
          setInterval(() => undefined, 1_000);
        } else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'initialize' ? greeting : {} }));
      });
    `;
    const { runs } = await runCheck(
      { kind: 'command', command: process.execPath, args: ['-e', large] },
      { revision: '2025-11-25', timeout: 300, only: ['stdio/exit-on-sigterm'] },
    );
    expect(runs[0]?.outcomes).toMatchObject([{ id: 'stdio/exit-on-sigterm', verdict: 'passed' }]);
  });
});

describe('a server that compresses what it says', () => {
  it.each(['gzip', 'deflate', 'br'] as const)('is understood: %s', async (encoding) => {
    const compress = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }[encoding];
    const { target, close } = await httpTarget(() => new Server({ name: 'small', version: '1.0.0' }), {
      async around(_, next) {
        const { status, headers, body } = await next();
        const bytes = body === null ? undefined : new Uint8Array(await new Response(body).arrayBuffer());
        if (bytes === undefined || bytes.length === 0 || headers.get('content-type') !== 'application/json')
          return new Response(bytes, { status, headers });
        headers.set('content-encoding', encoding);
        headers.delete('content-length');
        return new Response(new Uint8Array(compress(bytes)), { status, headers });
      },
    });
    const { runs } = await runCheck(target, { revision: '2025-11-25', only: ['ping'], timeout: 1_000 });
    await close();
    expect(runs[0]?.outcomes.find(({ id }) => id === 'ping/empty')?.verdict).toBe('passed');
  });
});
