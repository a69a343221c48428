// vivarium check as a command: what it chooses, how it ends, and what it says when there is nothing to judge.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Report } from 'vivarium/check';
import { fixture, vivarium } from './vivarium.ts';

describe('a server that cannot be started', { timeout: 120_000 }, () => {
  it.each([
    [['--', 'no-such-program-at-all'], 'there is no program no-such-program-at-all on PATH'],
    [['--', './no/such/file'], 'there is no file ./no/such/file'],
    [['--', './README.md'], './README.md may not be executed'],
    [['--cwd', '/no/such/folder', '--', process.execPath], 'there is no folder /no/such/folder to start it in'],
  ])('is told of once, in one sentence, with exit code 4: %j', async (args, sentence) => {
    const { code, stdout, stderr } = await vivarium(['check', ...args]);
    expect([code, stderr]).toEqual([4, '']);
    expect(stdout.split('\n').filter((line) => line.startsWith('  '))).toEqual([`  ${sentence}`]);
  });

  it('is told of in the same words when cases are to be made or a client is judged', async () => {
    const generate = await vivarium(['check', '--generate', 'none.json', '--', 'no-such-program-at-all']);
    expect(generate).toMatchObject({
      code: 4,
      stderr: 'The server could not be reached: there is no program no-such-program-at-all on PATH\n',
    });
    const client = await vivarium(['check', '--client', '--', 'no-such-program-at-all']);
    expect(client).toMatchObject({ code: 4, stdout: expect.stringContaining('\n  there is no program no-such-program-at-all on PATH\n') });
  });
});

describe('what was not verified for want of leave', { timeout: 120_000 }, () => {
  const run = async (...flags: readonly string[]) => {
    const reporter = ['--reporter', 'json', '--spec-version', '2025-11-25', '--section', 'tools,progress'];
    const { stdout } = await vivarium(['check', ...reporter, ...flags, '--', ...fixture]);
    const [first] = (JSON.parse(stdout) as Report).runs;
    if (first === undefined) throw new Error('no run');
    return first;
  };

  it('is counted, and with leave nothing is open for that reason', async () => {
    const careful = await run();
    const free = await run('--allow-side-effects');
    expect(careful.withSideEffects).toBeGreaterThan(5);
    expect(free.withSideEffects).toBeUndefined();
    expect(free.tally.notVerified).toBeLessThanOrEqual(careful.tally.notVerified - (careful.withSideEffects ?? 0));
    expect(free.tally.passed).toBeGreaterThan(careful.tally.passed);
  });

  it('stands in the report as one line', async () => {
    const { stdout } = await vivarium(['check', '--spec-version', '2025-11-25', '--section', 'tools', '--', ...fixture]);
    expect(stdout.match(/--allow-side-effects calls every tool: up to \d+ more would be verified/g)).toHaveLength(1);
  });
});

describe('a report that cannot be written', { timeout: 120_000 }, () => {
  it('is refused before anything is started', async () => {
    const { code, stdout, stderr } = await vivarium(['check', '--reporter', 'html=/no/such/folder/check.html', '--', ...fixture]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('/no/such/folder/check.html cannot be written: there is no folder /no/such/folder');
  });
});

describe('a run in which nothing was judged', { timeout: 120_000 }, () => {
  it('is not called conformant', async () => {
    const { stdout } = await vivarium(['check', '--reporter', 'json', '--only', 'quality', '--', ...fixture]);
    const { runs } = JSON.parse(stdout) as Report;
    expect(runs).toMatchObject([{ conformant: false, verdict: expect.stringMatching(/^NOTHING JUDGED/) }]);
  });
});

interface Row {
  readonly id: string;
  readonly section: string;
  readonly level: string;
  readonly party: string;
  readonly revisions: readonly string[];
  readonly transports?: readonly string[];
}

describe('check list', { timeout: 120_000 }, () => {
  const list = async (...flags: readonly string[]) =>
    JSON.parse((await vivarium(['check', 'list', '--format', 'json', ...flags])).stdout) as readonly Row[];

  it('chooses by party, section, level, revision and transport, together', async () => {
    const all = await list();
    const of = async (...flags: readonly string[]) => {
      const rows = await list(...flags);
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.length).toBeLessThan(all.length);
      return rows;
    };
    for (const { party } of await of('--party', 'client', '--spec-version', '2025-11-25')) expect(['client', 'both']).toContain(party);
    for (const { section } of await of('--section', 'tools,ping')) expect(['tools', 'ping']).toContain(section);
    for (const { level } of await of('--level', 'must', '--spec-version', '2025-06-18')) expect(['MUST', 'MUST NOT']).toContain(level);
    for (const { revisions } of await of('--spec-version', '2024-11-05')) expect(revisions).toContain('2024-11-05');
    for (const { transports = ['stdio'] } of await of('--transport', 'stdio')) expect(transports).toContain('stdio');
    const [both, wide] = [await of('--party', 'server', '--section', 'http', '--level', 'must'), await of('--section', 'http')];
    expect(wide.map(({ id }) => id)).toEqual(expect.arrayContaining(both.map(({ id }) => id)));
    expect(both.length).toBeLessThan(wide.length);
  });

  it.each([
    [['list', '--party', 'both'], '--party takes server, client, not both'],
    [['list', '--section', 'tool'], 'There is no section tool'],
    [['list', '--section', 'tools', '--only', 'http'], '--only names nothing in the section tools'],
    [['--party', 'client', '--', ...fixture], '--party is for check list'],
  ])('refuses %j', async (args, reason) => {
    expect(await vivarium(['check', ...args])).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) });
  });
});

describe('a wish that cannot be met', { timeout: 120_000 }, () => {
  const program = ['--', ...fixture];
  it.each([
    [['--skip', 'tools/cal', ...program], '--skip tools/cal names no requirement'],
    [['--lock', '.', ...program], '. is a folder'],
    [['--lock', 'no/such/folder/lock.json', '--update-lock', ...program], 'there is no folder'],
    [['--reporter', 'json=.', ...program], '. cannot be written: it is a folder'],
    [['--generate', '.', ...program], '. cannot be written: it is a folder'],
    [['--token-env', 'NO_SUCH_VARIABLE', 'http://127.0.0.1:9/mcp'], '--token-env NO_SUCH_VARIABLE: there is no such variable here'],
  ])('is refused in one sentence before anything is started: %j', async (args, sentence) => {
    const { code, stdout, stderr } = await vivarium(['check', ...args]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(sentence);
    expect(stderr).not.toContain('    at ');
  });
});

describe('what stands in the place of a server', { timeout: 120_000 }, () => {
  it('is shown where it prints something else', async () => {
    const { code, stdout } = await vivarium([
      'check',
      '--connect-timeout',
      '1s',
      '--',
      process.execPath,
      '-e',
      'console.log("ready"); setInterval(() => {}, 1000)',
    ]);
    expect(code).toBe(4);
    expect(stdout).toContain('1 line on its standard output is no message, the first "ready"');
  });

  it.each([
    [307, { location: '/mcp/' }, 'HTTP 307, which leads to "/mcp/": give that address'],
    [200, { 'content-type': 'text/html' }, 'HTTP 200 and "text/html", and no message in it'],
  ] as const)('is shown where an address answers with HTTP %i', async (status, headers, words) => {
    const server = createServer((_, response) => response.writeHead(status, headers).end('<html>'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { code, stdout } = await vivarium(['check', `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`]);
    server.close();
    expect(code).toBe(4);
    expect(stdout).toContain(words);
  });
});
