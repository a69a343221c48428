import { describe, expect, it } from 'vitest';
import { emptyHome } from '../add/home.ts';

describe('vivarium clients', () => {
  it('lists who is installed, which files are read, and which servers are broken', async () => {
    const home = emptyHome();
    home.put(
      '.cursor/mcp.json',
      JSON.stringify({
        mcpServers: {
          fine: { command: 'node', args: ['-v'] },
          gone: { command: 'no-such-program' },
          script: { command: 'node', args: ['/no/such/server.js'] },
          unset: { command: 'node', env: { KEY: `\${env:NOT_SET_ANYWHERE}` } },
          odd: { url: 'ftp://x.example' },
          empty: {},
          secret: { url: 'https://x.example/mcp?api_key=abcdefghijklmnop' },
        },
      }),
    );
    home.put('.kiro/settings/mcp.json', '{');
    const { code, stdout } = await home.run('clients', '--format', 'json');
    expect(code).toBe(0);
    expect(stdout).not.toContain('abcdefghijklmnop');
    const found = JSON.parse(stdout) as {
      id: string;
      files: { scope: string; problem?: string; servers: { name: string; problem?: string }[] }[];
    }[];
    expect(found.map(({ id }) => id)).toEqual(['cursor', 'kiro']);
    const problems = Object.fromEntries((found[0]?.files[1]?.servers ?? []).map(({ name, problem }) => [name, problem]));
    expect(problems).toEqual({
      fine: undefined,
      gone: 'the program no-such-program is not found by Cursor',
      script: 'there is no file /no/such/server.js',
      unset: 'the variable NOT_SET_ANYWHERE is not set here',
      odd: 'its URL is not http or https',
      empty: expect.stringContaining('neither a command nor a URL'),
      secret: undefined,
    });
    expect(found[1]?.files[1]?.problem).toMatch(/line 1/);
  });

  it('says the same to people, and lists every client with --all', async () => {
    const home = emptyHome();
    home.put('.config/goose/config.yaml', 'extensions:\n  dev:\n    type: builtin\n  far:\n    type: stdio\n    cmd: nothing-here\n');
    expect((await home.run('clients')).stdout).toMatch(
      /^Goose \(goose\)\n {2}user {5}~\/.config\/goose\/config.yaml\n {4}far {2}nothing-here {2}BROKEN: the program/,
    );
    expect((await home.run('clients', '--all')).stdout.match(/^\S.*not installed$/gm)?.length).toBeGreaterThan(18);
  });

  it('has nothing to repair where nothing was interrupted', async () => {
    expect((await emptyHome().run('clients', '--repair')).stdout).toBe('There is nothing to repair\n');
  });
});
