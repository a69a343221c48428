import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entryOf, expanded, readConfigurations, type ServerEntry } from '../../../src/cli/target/client-config.ts';
import { vivarium } from '../vivarium.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vivarium-config-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const variable = (name: string): string => `\${${name}}`;

async function entryIn(file: string, text: string, name: string): Promise<ServerEntry> {
  writeFileSync(join(folder, file), text);
  const [configuration] = await readConfigurations(file, folder);
  return entryOf(name, configuration?.servers.get(name), file);
}

describe('a configuration file', () => {
  it('may list its servers, each with its name, as Continue does', async () => {
    const text = `name: mine
mcpServers:
  - name: plain
    command: npx
    args: [-y, some-server]
    env:
      LEVEL: 3
  - command: nameless
  - name: far
    type: streamable-http
    url: https://api.example/mcp
    requestOptions:
      headers:
        X-Key: a
`;
    expect(await entryIn('continue.yaml', text, 'plain')).toEqual({ command: 'npx', args: ['-y', 'some-server'], env: { LEVEL: '3' } });
    expect(await entryIn('continue.yaml', text, 'far')).toEqual({ url: 'https://api.example/mcp', headers: { 'X-Key': 'a' }, sse: false });
    const [configuration] = await readConfigurations('continue.yaml', folder);
    expect([...(configuration?.servers.keys() ?? [])]).toEqual(['plain', 'far']);
  });

  it('may be the opencode.jsonc of the project, with variables of its own form', async () => {
    const text =
      '{ // mine\n "mcp": { "open": { "type": "local", "command": ["node", "a.js"], "environment": { "KEY": "{env:OPEN_KEY}!" } } } }';
    const entry = await entryIn('opencode.jsonc', text, 'open');
    const found = await readConfigurations(undefined, folder);
    expect(found.map(({ file }) => file)).toEqual(['opencode.jsonc']);
    expect(expanded(entry, 'open', 'opencode.jsonc', new Map())).toMatchObject({ command: 'node', args: ['a.js'], env: { KEY: '!' } });
  });

  it('may name the folders that VS Code knows', () => {
    const entry = entryOf('a', { command: 'x', args: [variable('userHome'), variable('workspaceFolderBasename')] }, 'f');
    expect(expanded(entry, 'a', 'f', new Map())).toMatchObject({ args: [homedir(), expect.not.stringContaining('$')] });
  });

  it('gets answers as they are: what somebody typed is no variable and no pattern', () => {
    const entry = entryOf('a', { url: `https://a.example/${variable('input:key')}?b=${variable('input:other')}` }, 'f');
    const answers = new Map([['key', `$&${variable('HOME')}`]]);
    expect(expanded(entry, 'a', 'f', answers)).toMatchObject({ url: `https://a.example/$&${variable('HOME')}?b=` });
  });
});

describe('what a client would fill in itself never reaches a server as it stands', () => {
  it.each([
    ['input:key', 'needs the input "key", which cannot be asked for without a terminal'],
    ['command:pick', 'which only the client it was written for can fill in'],
    ['{ secrets.KEY }', 'which only the client it was written for can fill in'],
  ])('%s', async (what, said) => {
    for (const server of [
      { command: process.execPath, args: ['-e', 'console.error("started")', variable(what)] },
      { command: process.execPath, args: ['-e', 'console.error("started")'], env: { KEY: `a-${variable(what)}` } },
      { url: 'http://127.0.0.1:9/mcp', headers: { authorization: variable(what) } },
    ]) {
      writeFileSync(join(folder, 'code.json'), JSON.stringify({ inputs: [{ id: 'key', type: 'promptString' }], servers: { server } }));
      const { code, stderr } = await vivarium(['list', 'server', '--config', 'code.json', '--yes', '--verbose'], { cwd: folder });
      expect(code).toBe(2);
      expect(stderr).toContain(`The server "server" in code.json `);
      expect(stderr).toContain(said);
      expect(stderr).toContain('write a variable of the environment');
      expect(stderr).not.toContain('started');
    }
  });
});
