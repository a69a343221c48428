// Child processes of the tests' own, and what a channel to one of them receives.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach } from 'vitest';
import { type Command, type StdioConnectOptions, stdio } from '../../src/connect/stdio.ts';
import type { Channel } from '../../src/protocol/channel.ts';

/** A step of the player; see the fixture. */
export interface Step {
  readonly out?: string;
  readonly hex?: string;
  readonly bytes?: string;
  readonly err?: string;
  readonly times?: number;
  readonly pour?: string;
  readonly flood?: number;
  readonly read?: 'line' | 'end';
  readonly echo?: true;
  readonly deaf?: true;
  readonly signal?: string;
  readonly exit?: number;
}

// biome-ignore lint/suspicious/noExplicitAny: whatever the child says
type Said = any;

export interface Heard {
  readonly channel: Channel;
  readonly messages: Said[];
  readonly junk: string[];
  /** Settles when so many messages have come. */
  count(wanted: number): Promise<Said[]>;
}

const opened = new Set<Channel>();

afterEach(async () => {
  await Promise.all([...opened].map((channel) => channel.close()));
  opened.clear();
});

export function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/child-${name}.mjs`, import.meta.url));
}

/** A server with a timer and a child; see the fixture. */
export function tree(settings: object = {}): Command {
  return { command: process.execPath, args: [fixture('tree'), JSON.stringify(settings)] };
}

export function throughShell(settings: object = {}): Command {
  const words = [process.execPath, fixture('tree'), JSON.stringify(settings)].map((word) => `'${word}'`);
  return { command: 'sh', args: ['-c', `${words.join(' ')}; true`] };
}

export function play(steps: readonly Step[], options?: StdioConnectOptions): Promise<Heard> {
  return start([fixture('player'), JSON.stringify(steps)], options);
}

export async function start(args: readonly string[], options?: StdioConnectOptions): Promise<Heard> {
  return hear(await stdio({ command: process.execPath, args }, { graceMs: 500, ...options }).open());
}

export function hear(channel: Channel): Heard {
  opened.add(channel);
  const messages: Said[] = [];
  const junk: string[] = [];
  const waiting = new Set<() => void>();
  channel.receive((message) => {
    messages.push(message);
    for (const check of waiting) check();
  });
  channel.junk?.((line) => junk.push(line));
  const count = (wanted: number): Promise<Said[]> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (messages.length >= wanted) resolve(messages);
      };
      waiting.add(check);
      check();
      void channel.closed.then((end) => reject(new Error(`Ended after ${messages.length} messages: ${JSON.stringify(end)}`)));
    });
  return { channel, messages, junk, count };
}

/** Processes that this one has started and not yet collected. */
export function children(of: number = process.pid): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const parent = /^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))?.[1];
      return Number(parent) === of ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}
