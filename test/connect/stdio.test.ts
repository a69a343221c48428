import { describe, expect, it } from 'vitest';
import { stdio } from '../../src/connect/stdio.ts';
import type { Channel } from '../../src/protocol/channel.ts';
import { fixture, hear, play, start } from './stdio-fixture.ts';

const line = (message: object): string => `${JSON.stringify(message)}\n`;

describe('a child process as a channel', () => {
  it('carries messages both ways, in order', async () => {
    const { channel, count } = await play([{ echo: true }]);
    const sent = Array.from({ length: 1_000 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'echo', params: { text: 'é\u2028😀\n' } }));
    for (const message of sent) channel.send(message);
    expect(await count(1_000)).toEqual(sent);
    expect(channel.kind).toBe('pipe');
  });

  it('keeps messages for a listener that comes later', async () => {
    const channel = await stdio({
      command: process.execPath,
      args: [fixture('player'), JSON.stringify([{ out: '{"a":1}\nno\n{"a":2}\n' }])],
    }).open();
    const end = await channel.closed;
    const { messages, junk } = hear(channel);
    expect(messages).toEqual([{ a: 1 }, { a: 2 }]);
    expect(junk).toEqual(['no']);
    expect(end).toMatchObject({ wanted: false, exitCode: 0 });
  });

  it('stops reading what nobody listens to, and reads on for a listener', async () => {
    const steps = [{ pour: JSON.stringify({ text: 'x'.repeat(1_000) }), times: 10_000 }, { read: 'end' }];
    let channel: Channel | undefined;
    await new Promise<void>((resolve) => {
      const connector = stdio(
        { command: process.execPath, args: [fixture('player'), JSON.stringify(steps)] },
        { onStderr: (text) => text === 'stuck' && resolve() },
      );
      void connector.open().then((opened) => {
        channel = opened;
      });
    });
    expect(await hear(channel as Channel).count(10_000)).toHaveLength(10_000);
  });

  it('puts together what arrives byte by byte', async () => {
    const messages = [{ text: 'é😀\u2028' }, [{ id: 1 }, { id: 2 }], { id: 'three' }];
    const { count } = await play([{ bytes: messages.map(line).join('') }, { read: 'end' }]);
    expect(await count(3)).toEqual(messages);
  });

  it('tolerates a byte order mark, carriage returns, empty lines and a missing last newline', async () => {
    const { channel, messages, junk } = await play([{ out: '\ufeff{"a":1}\r\n\r\n \t\n\n{"a":2}\r\n{"a":3}' }]);
    await channel.closed;
    expect(messages).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
    expect(junk).toEqual([]);
  });

  it('tells junk from messages before, between and after them, line by line', async () => {
    const ansi = '\u001b[32minfo\u001b[0m started';
    const { channel, messages, junk } = await play([
      { out: `${ansi}\n{"a":1}\n{"a":\n42\nnull\n"text"\n{"a":2} done\n` },
      { hex: '22fffec3220a' },
      { out: `{"a":3}\n${'y'.repeat(5_000)}\r\nbye` },
    ]);
    await channel.closed;
    expect(messages).toEqual([{ a: 1 }, { a: 3 }]);
    expect(junk).toEqual([
      ansi,
      '{"a":',
      '42',
      'null',
      '"text"',
      '{"a":2} done',
      '(a line that is not UTF-8)',
      `${'y'.repeat(1_000)}…`,
      'bye',
    ]);
    expect(channel.trace?.().lastLine).toBe('bye');
  });

  it('passes over a line that is too long, with one report, and goes on', async () => {
    const { messages, junk, channel } = await play([{ out: '{"a":1}\n"' }, { out: 'x', times: 3_000_000 }, { out: '"\n{"a":2}\n' }], {
      maxMessageBytes: 1_000_000,
    });
    await channel.closed;
    expect(messages).toEqual([{ a: 1 }, { a: 2 }]);
    expect(junk).toEqual(['(a line of more than 1000000 bytes)']);
  });

  it('goes on when a listener fails, whose failure is not swallowed', async () => {
    const failures: unknown[] = [];
    const own = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', (error) => failures.push(error));
    try {
      const { channel } = await play([{ echo: true }]);
      const got: object[] = [];
      const second = new Promise<void>((resolve) => {
        channel.receive((message) => {
          got.push(message);
          if (got.length === 1) throw new Error('on purpose');
          resolve();
        });
      });
      channel.send({ a: 1 });
      channel.send({ a: 2 });
      await second;
      expect(got).toEqual([{ a: 1 }, { a: 2 }]);
      expect(failures).toMatchObject([{ message: 'on purpose' }]);
    } finally {
      process.removeAllListeners('uncaughtException');
      for (const listener of own) process.on('uncaughtException', listener);
    }
  });
});

describe('what a child is started with', () => {
  it('is exactly the given arguments, which no shell reads', async () => {
    const args = ['a b', ';', '$(id)', '`id`', '--', '-e', '"', "'", '\\', '*', '', '$HOME', '&&', '|', '>x', 'ü\n'];
    const { count } = await start([fixture('info'), ...args]);
    expect((await count(1))[0].argv).toEqual(args);
  });

  it('is the usual variables, no others, and those of the command', async () => {
    process.env['VIVARIUM_SECRET'] = 'secret';
    process.env['LC_TEST'] = 'lc';
    process.env['NODE_TEST'] = 'no';
    try {
      const open = async (inheritEnv?: boolean | string[]) => {
        const command = { command: process.execPath, args: [fixture('info')], env: { OWN: '1', HOME: undefined } };
        return (await hear(await stdio(command, inheritEnv === undefined ? {} : { inheritEnv }).open()).count(1))[0].env;
      };
      const usual = await open();
      expect(usual).toMatchObject({ PATH: process.env['PATH'], LC_TEST: 'lc', OWN: '1' });
      for (const name of ['VIVARIUM_SECRET', 'NODE_TEST', 'VITEST', 'HOME']) expect(usual).not.toHaveProperty(name);
      expect(await open(['VIVARIUM_*'])).toMatchObject({ VIVARIUM_SECRET: 'secret', LC_TEST: 'lc' });
      expect(await open(true)).toMatchObject({ VIVARIUM_SECRET: 'secret', NODE_TEST: 'no' });
      expect(Object.keys(await open(false)).filter((name) => name !== '__CF_USER_TEXT_ENCODING')).toEqual(['OWN']);
    } finally {
      for (const name of ['VIVARIUM_SECRET', 'LC_TEST', 'NODE_TEST']) delete process.env[name];
    }
  });

  it('is the given folder', async () => {
    const channel = await stdio({ command: process.execPath, args: [fixture('info')], cwd: '/' }).open();
    expect((await hear(channel).count(1))[0].cwd).toBe('/');
  });

  it('is shown as a line for people', () => {
    expect(stdio({ command: 'npx', args: ['-y', 'some server', '\u001b[2J'] }).target).toBe('npx -y "some server" "\\u001b[2J"');
  });
});
