// The lines that add a live server to a client work when they are pasted, and show nobody the token.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect } from 'vivarium';
import { httpLines } from '../../../../src/cli/commands/live/client-lines.ts';
import { Started } from '../../started.ts';

let home: string;
let programs: string;

beforeEach(() => {
  // A name that a shell would take apart.
  home = mkdtempSync(join(tmpdir(), "it's a $home "));
  programs = join(home, 'bin');
  mkdirSync(programs);
  for (const name of ['claude', 'code']) {
    const script = `#!${process.execPath}\nrequire('fs').writeFileSync(${JSON.stringify(join(home, name))}, JSON.stringify(process.argv.slice(2)));\n`;
    writeFileSync(join(programs, name), script);
    chmodSync(join(programs, name), 0o755);
  }
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

/** What a shell does with a pasted line, and what it prints. */
function paste(line: string): string {
  return execFileSync('sh', ['-c', line], { encoding: 'utf8', env: { PATH: `${programs}:${process.env['PATH']}`, HOME: home } });
}

const argumentsOf = (program: string): string[] => JSON.parse(readFileSync(join(home, program), 'utf8'));

async function answers(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const client = await connect(url, { headers });
  try {
    const { content } = await client.callTool('evaluate', { code: '6 * 7' });
    return (content as readonly { text: string }[])[0]?.text.split('\n', 1)[0] ?? '';
  } finally {
    await client.close();
  }
}

describe('the lines that vivarium live --http prints', () => {
  it('connect each client when they are pasted, and have the token in none of them', async () => {
    const project = join(home, 'project');
    mkdirSync(project);
    const live = new Started(['live', '--http', '0'], { cwd: project, env: { HOME: home, XDG_STATE_HOME: join(home, 'state') } });
    await live.until('stderr', /eval '1 \+ 1'\n/);
    const token = readFileSync(join(home, 'state/vivarium/live/token'), 'utf8').trim();
    expect(live.stderr).not.toContain(token);
    const line = (start: RegExp): string => live.stderr.split('\n').find((one) => start.test(one)) ?? '';

    paste(line(/^ {2}Claude Code /).replace(/^ {2}Claude Code +/, ''));
    const [, , name, claude = ''] = argumentsOf('claude');
    expect([name, argumentsOf('claude').join(' ').includes(token)]).toEqual(['vivarium-live', false]);
    const { url, headersHelper } = JSON.parse(claude) as { url: string; headersHelper: string };
    expect(await answers(url, JSON.parse(paste(headersHelper)))).toBe('=> 42');

    paste(line(/^ {2}VS Code {2}/).replace(/^ {2}VS Code +/, ''));
    const [flag, code = ''] = argumentsOf('code');
    expect([flag, code.includes(token)]).toEqual(['--add-mcp', false]);
    const added = JSON.parse(code) as { url: string; headers: { Authorization: string }; inputs: readonly { id: string }[] };
    // What the editor does once it has asked.
    const resolved = added.headers.Authorization.replace(`\${input:${added.inputs[0]?.id}}`, token);
    expect(await answers(added.url, { Authorization: resolved })).toBe('=> 42');

    const [, exported = ''] = /(export \w+=.*)/.exec(live.stderr) ?? [];
    const seen = (variable: string): string => paste(`${exported}\nprintf %s "$${variable}"`);
    const toml = live.stderr.split('\n').filter((one) => /^ {17}\S/.test(one));
    const { mcp_servers: servers } = parse(toml.join('\n')) as {
      mcp_servers: Record<string, { url: string; bearer_token_env_var: string }>;
    };
    const codex = servers['vivarium-live'];
    expect(await answers(codex?.url ?? '', { Authorization: `Bearer ${seen(codex?.bearer_token_env_var ?? '')}` })).toBe('=> 42');

    const cursor = JSON.parse(line(/^ {2}Cursor /).replace(/^.*?: (?=\{)/, '')).mcpServers['vivarium-live'];
    const [, variable = ''] = /\$\{env:(\w+)\}/.exec(cursor.headers.Authorization) ?? [];
    expect(await answers(cursor.url, { Authorization: `Bearer ${seen(variable)}` })).toBe('=> 42');
  }, 60_000);

  it('have the token in them with --show-token', async () => {
    const live = new Started(['live', '--http', '0', '--show-token'], {
      cwd: home,
      env: { HOME: home, XDG_STATE_HOME: join(home, 'state') },
    });
    await live.until('stderr', /eval '1 \+ 1'\n/);
    const token = readFileSync(join(home, 'state/vivarium/live/token'), 'utf8').trim();
    paste(/claude mcp add .*/.exec(live.stderr)?.[0] ?? '');
    expect(argumentsOf('claude').slice(-2)).toEqual(['--header', `Authorization: Bearer ${token}`]);
  });

  it('leave a variable of --auth-token-env to the client', () => {
    const lines = httpLines({ name: 'live', url: 'http://127.0.0.1:4100/mcp', variable: 'TOKEN' });
    paste(`TOKEN=secret-secret; export TOKEN; ${lines[0]?.replace(/^ {2}Claude Code +/, '')}`);
    expect(argumentsOf('claude').join(' ')).not.toContain('secret-secret');
    const { headersHelper } = JSON.parse(argumentsOf('claude')[3] ?? '') as { headersHelper: string };
    expect(JSON.parse(paste(`TOKEN=secret-secret; ${headersHelper}`))).toEqual({ Authorization: 'Bearer secret-secret' });
  });
});
