import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { onTerminal } from '../on-terminal.ts';
import { root } from '../vivarium.ts';

describe.runIf(process.platform === 'linux')('on a terminal', () => {
  const odd = ['--', process.execPath, join(root, 'test/fixtures/odd.mjs')];

  it.each([
    ['what is typed answers', 'Amber\r', 0, '{"action":"accept","content":{"name":"Amber"}}'],
    ['Ctrl-D declines', '\x04', 0, '{"action":"decline"}'],
    ['Ctrl-C interrupts the command', '\x03', 130, 'Interrupted'],
  ])('%s while a server asks', async (_, keys, code, said) => {
    const ended = await onTerminal(['call', 'ask', ...odd], /name \(optional\): /, keys);
    expect([ended.code, ended.text.includes(said)], ended.text).toEqual([code, true]);
  });

  it.each([
    ['Enter', '\r'],
    ['Ctrl-D', '\x04'],
    ['Ctrl-C', '\x03'],
  ])('%s starts nothing that a configuration names', async (_, keys) => {
    const folder = mkdtempSync(join(tmpdir(), 'vivarium-questions-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const config = join(folder, 'servers.json');
    writeFileSync(config, JSON.stringify({ mcpServers: { one: { command: 'node', args: ['nothing.js'] } } }));
    const ended = await onTerminal(['list', '--config', config], /\[y\/N\]/, keys);
    expect([ended.code, ended.text.includes('Nothing was started')], ended.text).toEqual([130, true]);
  });
});
