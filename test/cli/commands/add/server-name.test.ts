import { describe, expect, it } from 'vitest';
import { type Arguments, CommandError } from '../../../../src/cli/args/command.ts';
import { finalName, provisionalName } from '../../../../src/cli/commands/add/server-name.ts';
import type { ServerTarget } from '../../../../src/cli/target/target.ts';

const args = (values: Arguments['values'] = {}): Arguments => ({ values, lists: {}, positionals: [] }) as unknown as Arguments;
const program = (command: string, ...words: readonly string[]): ServerTarget => ({
  label: command,
  entry: { command, args: words, env: {} },
});
const at = (url: string): ServerTarget => ({ label: url, entry: { url, headers: {}, sse: false } });
const trial = (name: string) => [{ clients: [], isRemote: false, seconds: 1, server: { name, version: '1' } }];

describe('the name of a server', () => {
  it.each([
    ['server-filesystem', program('npx', '-y', '@modelcontextprotocol/server-filesystem', '/tmp')],
    ['playwright', program('npx', '-y', '@playwright/mcp@latest', '--port', '8931')],
    ['mcp-server-git', program('uvx', 'mcp-server-git', '--repository', 'x/y')],
    ['context7', program('npx', '-y', '-p', 'other', 'context7@1.2.3')],
    ['postgres', program('docker', 'run', '-i', '--rm', '-e', 'TOKEN', 'mcp/postgres:latest', 'postgres://u:p@h/db')],
    ['weather', program('node', 'build/weather.mjs', '--api-key', 'sk-live-abcdefghijklmnop1234')],
    ['notes', program('python3', '-m', 'notes')],
    ['my-tool', program('/opt/my-tool', 'stdio')],
    ['notes', at('https://mcp.notes.example/mcp')],
  ])('is %s, after its package, file, program or host', (name, target) => {
    expect(provisionalName(args(), target)).toBe(name);
    expect(finalName(args(), target, name, trial('another'))).toBe(name);
  });

  it.each([program('node', 'server.mjs', '--token', 'hunter2'), at('http://127.0.0.1:3000/mcp'), program('node', 'stdio.mjs', '8080')])(
    'is its own where nothing else says something, and never the value of a flag',
    (target) => {
      expect(finalName(args(), target, provisionalName(args(), target), trial('My weather!'))).toBe('My-weather');
    },
  );

  it('is not for the server to choose where an entry is replaced', () => {
    const target = program('node', 'server.mjs');
    expect(() => finalName(args({ replace: true }), target, 'server', trial('github'))).toThrow(CommandError);
    expect(finalName(args({ replace: true, name: 'server' }), target, 'server', trial('github'))).toBe('server');
  });
});
