// Snapshots: what a tool gave before, kept in the file of cases, compared with what it gives now.
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import type { Case } from '../../../src/check/cases/case.ts';
import { differenceBetween, snapshotOf } from '../../../src/check/cases/snapshot.ts';
import { Started } from '../../cli/started.ts';
import { vivarium } from '../../cli/vivarium.ts';

const folder = mkdtempSync(join(tmpdir(), 'vivarium-snapshots-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const server = join(folder, 'server.mjs');
writeFileSync(
  server,
  `import { Server } from ${JSON.stringify(new URL('../../../dist/server/index.js', import.meta.url).href)};
import { connect } from 'node:net';
import { serveStdio } from ${JSON.stringify(new URL('../../../dist/serve/stdio.js', import.meta.url).href)};
const server = new Server({ name: 'birds', version: '1.0.0' });
const annotations = { readOnlyHint: true };
const input = { type: 'object', properties: { of: { type: 'string' } }, required: ['of'] };
server.tool('song', { annotations, input }, ({ of }) => of + ' sings ' + (process.env.SONG ?? 'la'));
server.tool('now', { annotations }, () => String(process.hrtime.bigint()));
server.tool('knock', { annotations }, () => new Promise((resolve) => connect(Number(process.env.DOOR), '127.0.0.1').on('error', () => undefined).on('close', () => resolve('gone'))));
server.tool('long', { annotations }, () => 'x'.repeat(20000) + (process.env.SONG ?? ''));
await serveStdio(server);
`,
);
const file = join(folder, 'cases.json');
const run = (flags: readonly string[], song = 'la') =>
  vivarium(['check', '--tests', file, ...flags, '--', process.execPath, server], { env: { SONG: song } });
const kept = () => (JSON.parse(readFileSync(file, 'utf8')) as { cases: Case[] }).cases;
const one = (tool: string, expectation: object = {}, given: object = {}) => ({
  name: 'mine',
  tool,
  arguments: given,
  expect: { outcome: 'answered', ...expectation },
});

describe('--update-snapshots', { timeout: 120_000 }, () => {
  it('keeps what comes back the same twice, and a later run holds the server to it', async () => {
    const cases = [one('song', {}, { of: 'wren' }), one('song', { snapshot: false }, { of: 'lark' }), one('song'), one('now'), one('long')];
    writeFileSync(file, JSON.stringify({ version: 1, about: 'birds', cases }));
    const update = await run(['--update-snapshots']);
    expect(update).toMatchObject({ code: 0, stdout: '5 cases: 5 passed, 0 failed, 0 not run\n' });
    expect(update.stderr).toContain(`3 snapshots are kept, and 1 that change from call to call are not, in ${file}`);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ version: 1, about: 'birds' });
    expect(kept().map(({ expect: { snapshot = {} } }) => snapshot)).toMatchObject([
      { result: { content: [{ type: 'text', text: 'wren sings la' }] } },
      false,
      { result: { isError: true } },
      {},
      { sha256: expect.stringMatching(/^[0-9a-f]{64}$/), length: expect.any(Number) },
    ]);
    expect((await run([])).code).toBe(0);
    const other = await run([], 'tweet');
    expect(other.code).toBe(1);
    expect(other.stdout).toContain('is not its snapshot, at /result/content/0/text: was "wren sings la", is "wren sings tweet"');
    expect(other.stdout).toContain('is not its snapshot, at /length');
    expect(other.stdout).toContain('5 cases: 3 passed, 2 failed, 0 not run');
    expect((await run(['--update-snapshots'], 'tweet')).code).toBe(0);
    expect((await run([], 'tweet')).code).toBe(0);
  });

  it('takes none of a case that fails, and leaves what was kept of one that was not run', async () => {
    const snapshot = { result: { content: [] } };
    const cases = [one('song', { outcome: 'ok' }), { ...one('gone'), expect: { outcome: 'ok', snapshot } }];
    writeFileSync(file, JSON.stringify({ version: 1, cases }));
    expect(await run(['--update-snapshots'])).toMatchObject({ code: 1, stdout: expect.stringContaining('1 failed, 1 not run') });
    expect(kept()).toEqual(cases);
  });

  it('stops when it is interrupted: what is left is not run, and the file stays as it was', async () => {
    const text = JSON.stringify({ version: 1, cases: [one('knock'), one('song', {}, { of: 'wren' })] });
    writeFileSync(file, text);
    const door = createServer().listen(0, '127.0.0.1');
    await once(door, 'listening');
    const knock = once(door, 'connection');
    const args = ['check', '--tests', file, '--update-snapshots', '--timeout', '3s', '--', process.execPath, server];
    const running = new Started(args, { cwd: folder, env: { DOOR: String((door.address() as AddressInfo).port) } });
    const [visitor] = (await knock) as [Socket];
    // The call that is under way is waited for until its time is over.
    running.process.kill('SIGINT');
    expect(await running.ended).toBe(130);
    visitor.destroy();
    door.close();
    expect(running.stdout).toContain('1 not run: the run was interrupted');
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it.each([
    [['check', '--update-snapshots', '--', process.execPath], '--update-snapshots needs --tests'],
    [['check', '--generate', 'a', '--tests', 'b', '--', process.execPath], 'give one of them'],
    [['check', '--tests', 'package.json', '--reporter', 'html', '--', process.execPath], 'There is no reporter "html" for cases'],
  ])('%j is refused: %s', async (args, reason) => {
    expect(await vivarium(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) });
  });
});

describe('cases in other forms', { timeout: 120_000 }, () => {
  it('are JUnit that keeps to the schema, and JSON', async () => {
    writeFileSync(
      file,
      JSON.stringify({ version: 1, cases: [one('song', {}, { of: '<&>' }), one('song', { contains: ']]>' }), one('gone')] }),
    );
    const xml = join(folder, 'cases.xml');
    const { code, stdout } = await run(['--reporter', 'json', '--reporter', `junit=${xml}`]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ cases: [{ verdict: 'passed' }, { verdict: 'failed' }, { verdict: 'not-run' }] });
    const contents = readFileSync(xml, 'utf8');
    const schema = readFileSync(new URL('../report/junit.xsd', import.meta.url), 'utf8');
    const { errors } = await validateXML({
      xml: [{ fileName: 'cases.xml', contents }],
      schema: [{ fileName: 'junit.xsd', contents: schema }],
    });
    expect(errors).toEqual([]);
    expect(contents).toContain('tests="3" failures="1" errors="0" skipped="1"');
  });
});

describe('a snapshot', { timeout: 120_000 }, () => {
  it('leaves out what belongs to one call, and is compared member by member', () => {
    const taken = snapshotOf({ sent: [], result: { content: [{ type: 'text', text: 'a', _meta: { at: 1 } }], _meta: { id: 7 } } });
    expect(taken).toEqual({ result: { content: [{ type: 'text', text: 'a' }] } });
    expect(snapshotOf({ sent: [], error: { code: -1, message: 'no', data: 7 } })).toEqual({ error: { code: -1, message: 'no' } });
    expect(snapshotOf({ sent: [], silence: { reason: 'ended', message: 'nothing' } })).toBeUndefined();
    expect(differenceBetween({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 })).toBeUndefined();
    expect(differenceBetween({ b: [1, 2] }, { b: [1] })).toBe('at /b/1: was 2, is nothing');
    expect(differenceBetween(taken, undefined)).toContain('is nothing');
  });
});
