// A program that writes faster than anybody reads: it is given up when it writes no messages, and leaves room for others when it does.
import { describe, expect, it, onTestFinished } from 'vitest';
import { stdio } from '../../../src/connect/stdio.ts';
import { connect } from '../../../src/index.ts';
import type { ChannelEnd } from '../../../src/protocol/channel.ts';
import { failureOf } from '../../client/rude.ts';

const endless = (line: string) => ({
  command: process.execPath,
  args: [
    '-e',
    `const b = (${JSON.stringify(`${line}\n`)}).repeat(20_000); const go = () => process.stdout.write(b, go); go(); process.stdout.on('error', () => process.exit());`,
  ],
});

describe('a flood of lines', () => {
  it.each(['y', '{}', '[]', '"y"', '{"y":'])('%s ends the channel with what came, and few of them are told', async (line) => {
    const channel = await stdio(endless(line)).open();
    onTestFinished(() => channel.close());
    const junk: string[] = [];
    channel.junk?.((one) => junk.push(one));
    channel.receive(() => undefined);
    const end = (await channel.closed) as ChannelEnd;
    expect(end).toMatchObject({ wanted: false, message: expect.stringMatching(/floods its stdout with lines that are no messages/) });
    expect(end.message).toContain(line);
    expect(junk.length).toBeLessThanOrEqual(1_000);
  });

  it('is what connect fails with', async () => {
    const error = await failureOf(connect(endless('y')));
    expect(error).toMatchObject({ code: 'ERR_CONNECT', message: expect.stringMatching(/floods its stdout .*: y\b/) });
  });

  it('that are messages leaves their turn to timers', async () => {
    const channel = await stdio(endless('{"jsonrpc":"2.0","method":"notifications/x"}')).open();
    onTestFinished(() => channel.close());
    let messages = 0;
    channel.receive(() => messages++);
    const seen: number[] = [];
    while (new Set(seen).size < 20) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      seen.push(messages);
    }
    // A turn takes one piece of the pipe at most, which is 64 KiB, and sometimes what lay before it.
    const most = Math.max(...seen.map((count, at) => count - (seen[at - 1] ?? 0)));
    expect(most).toBeLessThan(30_000);
  });
});
