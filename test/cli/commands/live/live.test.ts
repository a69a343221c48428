// vivarium live, as the built package does it: on stdio and at a URL.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { httpLines, stdioLines } from '../../../../src/cli/commands/live/client-lines.ts';
import { call, initialize, type Json, modern } from '../../../serve/http.ts';
import { Started } from '../../started.ts';

let home: string;
let project: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'live-cli-'));
  project = join(home, 'project');
  mkdirSync(project);
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const state = (): string => join(home, '.local/state/vivarium');

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Started {
  return new Started(['live', ...args], { cwd: project, env: { HOME: home, XDG_STATE_HOME: join(home, '.local/state'), ...env } });
}

async function served(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<{ live: Started; url: string }> {
  const live = start(['--http', '0', ...args], env);
  const [, url = ''] = await live.until('stderr', / is served at (http:[^,\s]+)/);
  return { live, url };
}

async function send(url: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const usual = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  return fetch(url, { method: 'POST', headers: { ...usual, ...headers }, body: JSON.stringify(body) });
}

const keptToken = (): string => readFileSync(join(state(), 'live/token'), 'utf8').trim();
const evaluate = (code: string): object => call(2, 'evaluate', { code });

describe('vivarium live on stdio', () => {
  it('answers initialize before any image is started, and evaluates in the folder it was started in', async () => {
    writeFileSync(join(project, 'sum.mjs'), 'export const sum = (a, b) => a + b;\n');
    const live = start([]);
    live.process.stdin.write(`${JSON.stringify(initialize())}\n`);
    await live.until('stdout', /"protocolVersion":"2025-11-25"/);
    live.process.stdin.write(`${JSON.stringify(evaluate("(await import('./sum.mjs')).sum(20, 22)"))}\n`);
    await live.until('stdout', /=> 42/);
    live.process.stdin.end();
    expect(await live.ended).toBe(0);
    expect(readdirSync(join(state(), 'run'))).toEqual([]);
  });

  it('begins every image with the files of --load, and shows it the variables of --env and no others', async () => {
    writeFileSync(join(project, 'app.mjs'), 'export const answer = 42;\n');
    const live = start(['--load', 'app.mjs', '--env', 'SEEN'], { SEEN: 'seen', UNSEEN: 'unseen' });
    live.process.stdin.write(`${JSON.stringify(initialize())}\n`);
    live.process.stdin.write(`${JSON.stringify(evaluate("[app.answer, process.env.SEEN, process.env.UNSEEN].map(String).join(' ')"))}\n`);
    await live.until('stdout', /42 seen undefined/);
  });

  it('begins all the same where a file of --load is not there yet, because the client may name another folder, and says so', async () => {
    const live = start(['--load', 'nowhere.ts']);
    live.process.stdin.write(`${JSON.stringify(initialize())}\n${JSON.stringify(evaluate('6 * 7'))}\n`);
    const [answer] = await live.until('stdout', /.*=> 42.*/);
    expect(answer).toContain('=> 42\\n[NOTE] nowhere.ts could not be loaded: ');
  });

  it.each([
    [['--cwd', 'nowhere'], 'There is no folder'],
    [['--cwd', '.', '--load', 'nowhere.ts'], 'There is no file nowhere.ts'],
    [['--timeout', '30'], 'takes a time such as'],
    [['--heap', 'much'], 'takes a whole number'],
    [['--language', 'cobol'], 'There is no language "cobol"'],
    [['--tools', 'cook'], 'There is no tool "cook"'],
    [['--spare', 'two'], '--spare is slow, all or none, not "two"'],
    [['--allow-remote'], 'is about HTTP'],
    [['extra'], 'live takes no arguments'],
    [['--attach', 'example.com:9229'], 'example.com is not this machine'],
    [['--attach', `pid:${process.pid}`], 'one that started it'],
    [['--attach', 'pid:0'], 'There is no process 0'],
    [['--attach', 'shop'], '"shop" is nothing to attach to'],
  ])('refuses %j with the reason', async (args, reason) => {
    const live = start(args);
    expect(await live.ended).toBe(2);
    expect(live.stderr).toContain(reason);
  });
});

describe('vivarium live --http', () => {
  it('lets in nobody without the token, on loopback too', async () => {
    const { url } = await served();
    expect((await send(url, initialize())).status).toBe(401);
    expect((await send(url, initialize(), { authorization: `Bearer ${'x'.repeat(43)}` })).status).toBe(401);
    expect((await send(url, initialize(), { authorization: `Bearer ${keptToken()}` })).status).toBe(200);
  });

  it('keeps the token for its owner only, and uses it again', async () => {
    const { live } = await served();
    await live.until('stderr', /code --add-mcp .*\n/);
    const token = keptToken();
    expect(statSync(join(state(), 'live/token')).mode & 0o777).toBe(0o600);
    expect(live.stderr).not.toContain(token);
    live.process.kill('SIGTERM');
    expect(await live.ended).toBe(0);
    const again = await served();
    expect((await send(again.url, initialize(), { authorization: `Bearer ${token}` })).status).toBe(200);
  });

  it('takes the token of --auth-token-env instead, and does not print it', async () => {
    const token = 'a-token-of-sufficient-length';
    const { live, url } = await served(['--auth-token-env', 'LIVE_TOKEN'], { LIVE_TOKEN: token });
    await live.until('stderr', /code --add-mcp .*\n/);
    expect((await send(url, initialize(), { authorization: `Bearer ${token}` })).status).toBe(200);
    expect(live.stderr).toContain('bearer_token_env_var = "LIVE_TOKEN"');
    expect(live.stderr).not.toContain(token);
    expect(() => keptToken()).toThrow();
  });

  it('has one session for all who come with the token, with an MCP session or without', async () => {
    const { url } = await served();
    const authorization = `Bearer ${keptToken()}`;
    const opened = await send(url, initialize(), { authorization });
    const headers = { authorization, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' };
    await send(url, evaluate('kept = 7'), headers);
    expect(await textOf(await send(url, evaluate('kept + 1'), headers))).toBe('=> 8');
    const { body, headers: more } = modern('tools/call', { name: 'evaluate', arguments: { code: 'typeof kept' } }, { authorization });
    const answer = (await (await send(url, body as object, more as Record<string, string>)).json()) as Json;
    expect(answer.result.content[0].text).toBe("=> 'number'");
    expect(answer.result.structuredContent.session).toBe('main');
  });

  it.each([
    [['--node', '/nowhere/node'], {}, '--node /nowhere/node cannot be run'],
    [['--node', '/bin/true'], {}, '--node /bin/true is no Node'],
    [['--cwd', '.'], { live: { laod: ['app.ts'] } }, 'has "live.laod", which nobody knows: there is only "live.load"'],
    [['--http', '0'], { live: { load: 'app.ts' } }, 'has a "load" that is no list of files'],
  ])('refuses %j with the configuration %j at the start', async (args, config, words) => {
    writeFileSync(join(project, 'vivarium.config.json'), JSON.stringify(config));
    const live = start(args);
    expect(await live.ended).toBe(2);
    expect(live.stderr).toContain(words);
  });

  it('refuses a host that others can reach, unless told to', async () => {
    const live = start(['--http', '0.0.0.0:0']);
    expect(await live.ended).toBe(2);
    expect(live.stderr).toContain('can be reached from elsewhere');
    const open = start(['--http', '0.0.0.0:0', '--allow-remote']);
    const [, port] = await open.until('stderr', / is served at http:\/\/0\.0\.0\.0:(\d+)/);
    expect((await send(`http://127.0.0.1:${port}/mcp`, initialize())).status).toBe(401);
  });

  it('leaves no image behind when it ends', async () => {
    const { live, url } = await served();
    const authorization = `Bearer ${keptToken()}`;
    const { body, headers } = modern('tools/call', { name: 'evaluate', arguments: { code: 'process.pid' } }, { authorization });
    const answer = await textOf(await send(url, body as object, headers as Record<string, string>));
    const pid = Number(/=> (\d+)/.exec(answer)?.[1]);
    expect(() => process.kill(pid, 0)).not.toThrow();
    live.process.kill('SIGINT');
    expect(await live.ended).toBe(0);
    expect(() => process.kill(pid, 0)).toThrow();
  });
});

describe('the lines that add it', () => {
  const url = 'http://127.0.0.1:4100/mcp';

  it('hold the token in the syntax of each client', () => {
    expect(httpLines({ name: 'live', url, token: 'T' })).toEqual([
      `  Claude Code  claude mcp add --transport http live ${url} --header 'Authorization: Bearer T'`,
      '  Codex        in ~/.codex/config.toml:',
      '                 [mcp_servers.live]',
      `                 url = "${url}"`,
      '                 http_headers = { "Authorization" = "Bearer T" }',
      `  Cursor       in .cursor/mcp.json: {"mcpServers":{"live":{"url":"${url}","headers":{"Authorization":"Bearer T"}}}}`,
      `  VS Code      code --add-mcp '{"name":"live","type":"http","url":"${url}","headers":{"Authorization":"Bearer T"}}'`,
    ]);
  });

  it('name the variable where the token is in one', () => {
    const text = httpLines({ name: 'live', url, variable: 'TOKEN' }).join('\n');
    expect(text).toContain('Bearer $TOKEN');
    expect(text).toContain('bearer_token_env_var = "TOKEN"');
    expect(text).toMatch(/"Bearer \$\{env:TOKEN\}"/);
  });

  it('can be pasted into a shell whatever the path is', () => {
    const [claude] = stdioLines('live', ['node', "/it's here/main.js", 'live']);
    expect(claude).toContain(`claude mcp add live -- node '/it'\\''s here/main.js' live`);
  });
});

async function textOf(response: Response): Promise<string> {
  return ((await response.json()) as Json).result.content[0].text;
}
