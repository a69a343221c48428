import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer } from 'vivarium/auth';
import { serveHttp } from 'vivarium/serve/node';
import { Server } from 'vivarium/server';
import { fixture, root, vivarium } from '../vivarium.ts';

let folder: string;
let open: Awaited<ReturnType<typeof serveHttp>>;
let closed: typeof open;
const [node = '', server = ''] = fixture;
const entry = { command: node, args: [server], env: { LEVEL: '$' + '{LEVEL:-1}' } };

function makeServer(): Server {
  const made = new Server({ name: 'sums', version: '1.0.0' });
  made.tool('one', { description: 'Gives one' }, () => '1');
  made.tool('evil', { description: 'red \u001b[31m text \u202e' }, () => '\u001b]8;;http://x\u0007click\u001b[2J');
  return made;
}

beforeAll(async () => {
  mkdirSync(join(root, '.cache'), { recursive: true });
  folder = mkdtempSync(join(root, '.cache', 'target-'));
  const write = (name: string, text: string): void => {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  open = await serveHttp(makeServer(), { port: 0, sse: true });
  closed = await serveHttp(makeServer(), { port: 0, auth: bearer(['a-token-for-this-test']) });
  write('.mcp.json', JSON.stringify({ mcpServers: { plain: entry, far: { type: 'http', url: open.url } } }));
  write('code.json', `{ // servers of an editor\n "servers": { "plain": ${JSON.stringify(entry)}, }, }`);
  write('zed.json', JSON.stringify({ context_servers: { plain: entry } }));
  write('opencode.json', JSON.stringify({ mcp: { open: { type: 'local', command: [node, server], environment: {} } } }));
  write('codex.toml', `[mcp_servers.plain]\ncommand = ${JSON.stringify(node)}\nargs = [${JSON.stringify(server)}]\n`);
  write('goose.yaml', `extensions:\n  plain:\n    type: stdio\n    cmd: ${node}\n    args: [${server}]\n    envs: {}\n`);
  write('needs.json', JSON.stringify({ mcpServers: { plain: { command: node, args: ['${' + 'NOT_SET_ANYWHERE}'] } } }));
  write('broken.json', '{ "mcpServers": { ');
  write('none.json', '{ "theme": "dark" }');
  write('two.json', JSON.stringify({ mcpServers: { a: entry, b: entry } }));
  write(
    'one.mjs',
    "import { Server } from 'vivarium/server';\nconst server = new Server({ name: 'm', version: '1' });\nserver.tool('hi', {}, () => 'hi');\nexport default server;\n",
  );
});
afterAll(async () => {
  await Promise.all([open.close(), closed.close()]);
  rmSync(folder, { recursive: true, force: true });
});

const run = (args: readonly string[], env = {}) => vivarium(args, { cwd: folder, env });

describe('a server is named', () => {
  it('by a command line in one word', async () => {
    expect((await run(['call', `"${node}" "${server}"`, 'add', 'a=1', 'b=2'])).stdout).toBe('3\n');
  });

  it('so that what is meant can be told where it is not there', async () => {
    expect(await run(['list', 'nope.ts'])).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no file nope.ts') });
    const { stderr } = await run(['list', '127.0.0.1:3000/mcp']);
    expect(stderr).toContain('If it is a URL, write http://127.0.0.1:3000/mcp');
    expect((await run(['list', 'nobody'])).stderr).toContain('There are plain, far');
  });

  it('by a module of ours', async () => expect((await run(['call', 'one.mjs', 'hi'])).stdout).toBe('hi\n'));

  it('by a URL, over Streamable HTTP and over HTTP+SSE', async () => {
    expect((await run(['call', open.url, 'one'])).stdout).toBe('1\n');
    expect((await run(['list', open.url.replace('/mcp', '/sse'), '--transport', 'sse'])).stdout).toContain('one()');
  });

  it.each(['.mcp.json', 'code.json', 'zed.json', 'codex.toml', 'goose.yaml'])('by its name in %s', async (file) => {
    expect(await run(['call', 'plain', 'add', 'a=1', 'b=2', '--config', file, '--yes'])).toEqual({ code: 0, stdout: '3\n', stderr: '' });
  });

  it('by its name in a file of the project', async () => {
    expect((await run(['call', 'open', 'add', 'a=1', 'b=2', '--yes'])).stdout).toBe('3\n');
    expect((await run(['call', 'far', 'one', '--yes'])).stdout).toBe('1\n');
  });

  it('by an option, or by the environment', async () => {
    expect((await run(['call', 'add', 'a=1', 'b=2', '--server', 'plain', '-y'])).stdout).toBe('3\n');
    expect((await run(['call', 'plain', 'add', 'a=1', 'b=2', '-y'], { VIVARIUM_CONFIG: 'zed.json' })).stdout).toBe('3\n');
  });
});

describe('what a configuration file says', () => {
  it('is shown, and not started without consent', async () => {
    const { code, stderr } = await run(['list', 'plain']);
    expect(code).toBe(2);
    expect(stderr).toContain(server);
    expect(stderr).toContain('pass --yes');
  });

  it.each([
    [['list', 'nobody'], 'There are plain, far, open'],
    [['list', 'plain', '--config', 'nowhere.json'], 'There is no file'],
    [['list', 'plain', '--config', 'broken.json'], 'cannot be read'],
    [['list', 'plain', '--config', 'none.json'], 'names no servers'],
    [['list', 'plain', '--config', 'needs.json', '-y'], 'needs the variable NOT_SET_ANYWHERE'],
    [['list', '--config', 'two.json'], '--server a or --server b'],
    [['list'], 'Which server?'],
    [['list', '--'], 'Nothing stands behind --'],
    [['list', 'far', 'everything', '-y'], 'list takes one of'],
    [['list', '--env', '1=2', '--', 'x'], '--env takes NAME=value'],
    [['list', open?.url ?? 'http://127.0.0.1:9/mcp', '--env', 'A=b'], '--env is for a program'],
  ])('%j is refused with %j', async (args, said) => {
    const { code, stderr } = await run(args);
    expect(stderr).toContain(said);
    expect(code).toBe(2);
  });
});

describe('a server that wants a token', () => {
  it('ends the command with 3 and a hint', async () => {
    const { code, stderr } = await run(['list', closed.url]);
    expect([code, stderr.includes('--login'), stderr.includes('oauth()')]).toEqual([3, true, false]);
  });

  it('gets the one from the environment', async () => {
    const { code, stdout } = await run(['call', closed.url, 'one', '--token-env', 'MINE'], { MINE: 'a-token-for-this-test' });
    expect([code, stdout]).toEqual([0, '1\n']);
    expect((await run(['list', closed.url, '--token-env', 'NONE_SUCH'])).code).toBe(2);
    expect((await run(['list', closed.url, '--token', 'a-wrong-token-here'])).code).toBe(3);
  });
});

describe('a server that cannot be reached', () => {
  it.each([
    [['list', 'http://127.0.0.1:9/mcp']],
    [['list', '--', 'no-such-program-anywhere']],
    [['list', '--', process.execPath, '-e', 'process.exit(3)']],
  ])('%j ends with 4', async (args) => expect((await run(args)).code).toBe(4));

  it('is reported as one line of JSON when asked to', async () => {
    const { code, stderr } = await run(['list', 'http://127.0.0.1:9/mcp', '--format', 'json']);
    expect(JSON.parse(stderr)).toMatchObject({ exitCode: code, error: expect.stringContaining('ECONNREFUSED') });
  });
});

describe('what a hostile server says', () => {
  it('is shown and not obeyed', async () => {
    const listed = await run(['list', open.url]);
    const called = await run(['call', open.url, 'evil']);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
    expect(`${listed.stdout}${called.stdout}`).not.toMatch(/[\u001b\u0007\u202e]/);
    expect(called.stdout).toContain('\\x1b]8;;http://x\\x07click');
  });
});
