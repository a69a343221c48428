// vivarium check as a command: what it chooses, how it ends, and what it says when there is nothing to judge.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Report } from 'vivarium/check';
import { fixture, vivarium } from '../../vivarium.ts';

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
    [['list', 'tools/call'], 'vivarium check list --only tools/call'],
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

const folder = mkdtempSync(join(tmpdir(), 'check-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Prints a line that is no message, and has a tool that writes and one that does not answer. */
const loud = file(
  'loud.mjs',
  `import { createInterface } from 'node:readline';
console.log('hello');
const inputSchema = { type: 'object' };
const tools = [{ name: 'write', inputSchema }, { name: 'sleep', inputSchema, annotations: { readOnlyHint: true } }];
const results = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'loud', version: '1' } },
  ping: {},
  'tools/list': { tools },
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (results[method]) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }));
});`,
);
const loudly = ['--spec-version', '2025-11-25', '--only', 'stdio/stdout-clean,ping'];

describe('failures that are expected', { timeout: 120_000 }, () => {
  const run = (list: string) =>
    vivarium(['check', ...loudly, '--expected-failures', file('known.txt', list), '--', process.execPath, loud]);

  it('end with 0, and the report says so', async () => {
    const { code, stdout, stderr } = await run('stdio/stdout-clean');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^NOT CONFORMANT to 2025-11-25: .* All that is broken was expected\.$/m);
    expect(stdout).toMatch(/^ {2}✗ stdio\/stdout-clean .*\(expected\)$/m);
  });

  it('that name nothing are told as that, and those that do not fail as those', async () => {
    const { code, stderr } = await run('stdio/stdout-clean\nno/such/thing\nping/empty');
    expect(code).toBe(1);
    expect(stderr.split('\n')).toEqual([
      'no/such/thing names no requirement; take it from the list of expected failures',
      'expected to fail, and does not: ping/empty; take it from the list of expected failures',
      '',
    ]);
  });
});

describe('cases', { timeout: 120_000 }, () => {
  const cases = (tool: string) =>
    file(`${tool}.json`, JSON.stringify({ version: 1, cases: [{ name: 'one', tool, arguments: {}, expect: { outcome: 'ok' } }] }));
  const run = (...args: readonly string[]) => vivarium(['check', '--spec-version', '2025-11-25', ...args, '--', process.execPath, loud]);

  it('that were not run end with 6 under --strict, and with 0 without it', async () => {
    expect(await run('--tests', cases('write'))).toMatchObject({ code: 0, stderr: '' });
    expect(await run('--strict', '--tests', cases('write'))).toMatchObject({ code: 6, stderr: '--strict: 1 of 1 cases were not run\n' });
  });

  it('that take too long say how long was waited, and what waits longer', async () => {
    const { code, stdout } = await run('--timeout', '3s', '--tests', cases('sleep'));
    expect([code, stdout]).toEqual([1, expect.stringContaining('no answer within 3000 ms; --timeout waits longer')]);
  });
});

describe('a run whose reports are all in files', { timeout: 120_000 }, () => {
  it('tells the verdict where something failed, and nothing where not', async () => {
    const report = ['--reporter', `markdown=${join(folder, 'report.md')}`, '-q'];
    const failed = await vivarium(['check', ...report, ...loudly, '--', process.execPath, loud]);
    expect(failed).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^.*loud\.mjs: NOT CONFORMANT to [^\n]*\n$/) });
    expect(readFileSync(join(folder, 'report.md'), 'utf8')).toContain('loud 1, judged in 2025-11-25');
    const sound = await vivarium(['check', ...report, ...loudly, '--skip', 'stdio', '--', process.execPath, loud]);
    expect(sound).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const cases = file(
      'gone.json',
      JSON.stringify({ version: 1, cases: [{ name: 'one', tool: 'sleep', arguments: {}, expect: { outcome: 'ok' } }] }),
    );
    const tests = ['--tests', cases, '--reporter', `junit=${join(folder, 'cases.xml')}`, '--timeout', '3s', '--spec-version', '2025-11-25'];
    expect(await vivarium(['check', ...tests, '--', process.execPath, loud])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: '1 cases: 0 passed, 1 failed, 0 not run\n',
    });
  });
});

describe('what stands in the place of a server', { timeout: 120_000 }, () => {
  it('is shown where it prints something else', async () => {
    const { code, stdout } = await vivarium([
      'check',
      '--connect-timeout',
      '6s',
      '--',
      process.execPath,
      '-e',
      'console.log("ready"); setInterval(() => {}, 1000)',
    ]);
    expect(code).toBe(4);
    expect(stdout).toContain('1 line on its standard output is no message, the first "ready"');
  });

  it('is told how to go on where npx would have to ask', async () => {
    const npx = `console.error('npm error npx canceled due to missing packages and no YES option: ["thing@1.0.0"]'); process.exit(1)`;
    const { code, stdout } = await vivarium(['check', '--', process.execPath, '-e', npx]);
    expect([code, stdout]).toEqual([4, expect.stringContaining('; give npx -y to install it\n')]);
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
