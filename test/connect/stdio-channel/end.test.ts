import { describe, expect, it, vi } from 'vitest';
import type { ChannelFailure } from '../../../src/protocol/channel.ts';
import { isAlive } from '../../serve/child.ts';
import { hear, play, start } from '../stdio-fixture.ts';

/** A child that is never there to read. */
const deaf = [{ out: '{"ready":true}\n' }, { deaf: true as const }];

const failureOf = (send: (failed: (failure: ChannelFailure) => void) => void): Promise<ChannelFailure> => new Promise(send);

describe('the end of a child', () => {
  it('comes after everything it wrote before', async () => {
    const { channel, messages } = await play([
      { out: '{"jsonrpc":"2.0","text":"0123456789"}\n', times: 100_000 },
      { err: 'done\n' },
      { exit: 7 },
    ]);
    expect(await channel.closed).toEqual({
      wanted: false,
      exitCode: 7,
      exitSignal: null,
      message: 'The server exited with code 7; its stderr says: done',
    });
    expect(messages).toHaveLength(100_000);
  });

  it('comes after everything even if this process is busy meanwhile', async () => {
    const { channel } = await play([{ out: `${JSON.stringify({ text: 'x'.repeat(990) })}\n`, times: 180 }, { exit: 0 }]);
    let count = 0;
    channel.receive(() => {
      count++;
      const until = performance.now() + (count % 60 === 1 ? 400 : 0);
      while (performance.now() < until);
    });
    await channel.closed;
    expect(count).toBe(180);
  });

  it('brings the answer that was written just before it', async () => {
    const { channel, messages } = await play([{ read: 'line' }, { out: '{"answer":1}\n' }, { exit: 0 }]);
    channel.send({ question: 1 });
    expect(await channel.closed).toEqual({ wanted: false, exitCode: 0, exitSignal: null, message: 'The server exited with code 0' });
    expect(messages).toEqual([{ answer: 1 }]);
  });

  it('is told with its last words, which cannot play tricks', async () => {
    const { channel } = await play([{ err: 'starting\n\u001b[31mFATAL: missing DATABASE_URL\u001b[0m' }, { exit: 3 }]);
    expect(await channel.closed).toMatchObject({
      message: 'The server exited with code 3; its stderr says: \\x1b[31mFATAL: missing DATABASE_URL\\x1b[0m',
    });
    expect(channel.trace?.().stderr).toEqual(['starting', '\u001b[31mFATAL: missing DATABASE_URL\u001b[0m']);
  });

  it('is told with the line that matters of an uncaught error', async () => {
    const { channel } = await start(['-e', "throw Object.assign(new TypeError('no such thing'), { code: 'E', more: [1] })"]);
    expect(await channel.closed).toMatchObject({ message: 'The server exited with code 1; its stderr says: TypeError: no such thing' });
  });

  it('is told with the signal that caused it', async () => {
    const { channel } = await play([{ signal: 'SIGSEGV' }, { deaf: true }]);
    expect(await channel.closed).toMatchObject({ wanted: false, exitSignal: 'SIGSEGV', message: 'The server was ended by SIGSEGV' });
  });

  it('is the end of its stdout, even if it lives on', async () => {
    const { channel } = await start(['-e', "require('fs').closeSync(1); setInterval(() => undefined, 1000)"]);
    expect(await channel.closed).toMatchObject({ wanted: false, message: 'The server closed its stdout' });
    await channel.close();
  });

  it('does not wait for somebody else who holds its stdout', async () => {
    const { channel, count } = await start(
      [new URL('../../fixtures/child-tree.mjs', import.meta.url).pathname, '{"holds":true,"stubborn":true,"leaves":true}'],
      { graceMs: 120_000 },
    );
    const [{ pids }] = await count(1);
    expect(await channel.closed).toMatchObject({ exitCode: 4 });
    const [, holder] = pids;
    expect(isAlive(holder)).toBe(true);
    process.kill(holder, 'SIGKILL');
    await channel.close();
  });

  it('is wanted when the channel was closed, and then no failure', async () => {
    const { channel } = await play([{ echo: true }]);
    await Promise.all([channel.close(), channel.close(), channel[Symbol.asyncDispose]()]);
    expect(await channel.closed).toEqual({ wanted: true, exitCode: 0, exitSignal: null });
    await channel.close();
  });

  it('does not cut off what was sent before close', async () => {
    const { channel, messages } = await play([{ echo: true }]);
    for (let id = 0; id < 1_000; id++) channel.send({ id });
    await channel.close();
    expect(messages).toHaveLength(1_000);
  });
});

describe('a message that cannot be sent', () => {
  it('fails after close', async () => {
    const { channel } = await play([{ echo: true }]);
    const closing = channel.close();
    const failed = vi.fn();
    channel.send({ id: 1 }, { failed });
    expect(failed).toHaveBeenCalledWith({ kind: 'network', message: 'The channel is closed', unsent: true });
    await closing;
    expect(failed).toHaveBeenCalledOnce();
  });

  it('fails with the reason why the child ended', async () => {
    const { channel } = await play([{ err: 'no licence\n' }, { exit: 2 }]);
    const whole = await failureOf((failed) => channel.send({ text: 'x'.repeat(5_000_000) }, { failed }));
    expect(whole).toMatchObject({ kind: 'network', message: 'The server exited with code 2; its stderr says: no licence' });
    await channel.closed;
    const later = await failureOf((failed) => channel.send({ id: 2 }, { failed }));
    expect(later).toEqual({ ...whole, unsent: true });
  });

  it('fails when the child has closed its stdin but lives on', async () => {
    const code = "require('fs').closeSync(0); process.stdout.write('{\"ready\":1}\\n'); setInterval(() => undefined, 1000)";
    const { channel, count } = await start(['-e', code]);
    await count(1);
    const failure = await failureOf((failed) => channel.send({ id: 1 }, { failed }));
    expect(failure).toMatchObject({ kind: 'network', message: 'The server closed its stdin' });
    expect(await failureOf((failed) => channel.send({ id: 2 }, { failed }))).toMatchObject({ unsent: true });
  });

  it('fails when too much waits for a child that reads nothing, and only then', async () => {
    const { channel, count } = await play(deaf, { graceMs: 100 });
    await count(1);
    const failures: ChannelFailure[] = [];
    const text = 'x'.repeat(1024 * 1024);
    for (let id = 0; id < 200; id++) channel.send({ id, text }, { failed: (failure) => failures.push(failure) });
    expect(failures).toHaveLength(137);
    expect(failures[0]).toMatchObject({ kind: 'protocol', unsent: true, cause: { code: 'ERR_TOO_LARGE' } });
    expect(failures[0]?.message).toMatch(/bytes wait for a server that reads too slowly or not at all/);
    await channel.close();
    expect(failures).toHaveLength(200);
    expect(failures.slice(138).every(({ unsent }) => unsent)).toBe(true);
  });

  it('fails when it is not JSON', async () => {
    const { channel } = await play([{ echo: true }]);
    const failure = await failureOf((failed) => channel.send({ n: 1n }, { failed }));
    expect(failure).toMatchObject({ kind: 'protocol', unsent: true, cause: { code: 'ERR_NOT_JSON' } });
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const call = { method: 'tools/call', params: { name: 'add', arguments: circle } };
    const round = await failureOf((failed) => channel.send(call, { failed }));
    expect(round.message).toBe('tools/call of "add" cannot be written as JSON: Converting circular structure to JSON');
  });

  it('does no harm when nobody wants to know', async () => {
    const { channel } = await play([{ exit: 0 }]);
    channel.send({ text: 'x'.repeat(1_000_000) });
    await channel.closed;
    channel.send({});
  });
});

describe('a slow reader', () => {
  it('gets everything in the end, in order', async () => {
    const slow =
      "let n = 0; process.stdin.on('data', (c) => { n += c.length; process.stdin.pause(); setTimeout(() => process.stdin.resume(), 1); }).on('end', () => console.log(JSON.stringify({ n })))";
    const { channel } = await start(['-e', slow], { graceMs: 20_000 });
    const { messages } = hear(channel);
    const message = { text: 'y'.repeat(10_000) };
    for (let id = 0; id < 500; id++) channel.send(message);
    await channel.close();
    expect(messages).toEqual([{ n: 500 * (JSON.stringify(message).length + 1) }]);
  });
});

describe('stderr', () => {
  it('of 100 MB that nobody reads costs neither time nor memory', async () => {
    const before = process.memoryUsage().rss;
    const { channel, count } = await play([{ flood: 100 }, { err: 'end\n' }, { out: '{"done":1}\n' }, { read: 'end' }]);
    expect(await count(1)).toEqual([{ done: 1 }]);
    await channel.close();
    const lines = channel.trace?.().stderr ?? [];
    expect(lines).toHaveLength(50);
    expect(lines.at(-1)).toBe('end');
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });

  it('is shown line by line, each cut, without empty ones', async () => {
    const one: string[] = [];
    const two: string[] = [];
    const text = `a\r\n\n${'é'.repeat(3_000)}\nlast`;
    const { channel } = await play([{ err: text }], { stderr: (line) => one.push(line), onStderr: (line) => two.push(line) });
    await channel.closed;
    expect(one).toEqual(['a', `${'é'.repeat(1_000)}…`, 'last']);
    expect(two).toEqual(one);
  });

  it('without a single newline stays bounded', async () => {
    const { channel } = await play([{ err: 'z', times: 20_000_000 }]);
    await channel.closed;
    expect(channel.trace?.().stderr).toEqual([`${'z'.repeat(1_000)}…`]);
  });

  it('goes to ours if that is wanted', async () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      const { channel } = await play([{ err: 'hello\n' }], { stderr: 'inherit' });
      await channel.closed;
      expect(Buffer.concat(write.mock.calls.map(([chunk]) => chunk as Buffer)).toString()).toBe('hello\n');
      expect(channel.trace?.().stderr).toEqual(['hello']);
    } finally {
      write.mockRestore();
    }
  });
});
