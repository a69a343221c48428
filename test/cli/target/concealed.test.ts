// Answers and values of variables that are put into the entry of a configuration file: no message shows them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hider } from '../../../src/cli/target/concealed.ts';
import { onTerminal } from '../on-terminal.ts';
import { vivarium } from '../vivarium.ts';

const secret = 'hunter2-and-a-half';
const variable = (name: string): string => `\${${name}}`;
const dies = "console.error('no such key: ' + process.argv[1]); process.exit(3)";

const servers = (what: string): Readonly<Record<string, object>> => ({
  dying: { command: process.execPath, args: ['-e', dies, variable(what)] },
  absent: { command: `no-such-program-${variable(what)}` },
  folder: { command: process.execPath, args: [], cwd: `/nowhere/${variable(what)}` },
  far: { url: `http://127.0.0.1:9/${variable(what)}/mcp` },
  old: { type: 'sse', url: `http://127.0.0.1:9/${variable(what)}/sse` },
  header: { url: 'http://127.0.0.1:9/mcp', headers: { 'x-key': `${variable(what)}\n` } },
});

let folder: string;
let byVariable: string;
let byAnswer: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vivarium-concealed-'));
  [byVariable, byAnswer] = [join(folder, 'variable.json'), join(folder, 'answer.json')];
  writeFileSync(byVariable, JSON.stringify({ mcpServers: servers('MY_WORD') }));
  const inputs = [{ id: 'word', type: 'promptString', description: 'Password of the bank', password: true }];
  writeFileSync(byAnswer, JSON.stringify({ inputs, servers: servers('input:word') }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the value of a variable', () => {
  it.each(Object.keys(servers('')))('is in no message when the server fails: %s', async (name) => {
    for (const command of [['list'], ['doctor'], ['doctor', '--format', 'json'], ['list', '--format', 'json']]) {
      const args = [...command, '--server', name, '--config', byVariable, '--yes'];
      const { code, stdout, stderr } = await vivarium(args, { cwd: folder, env: { MY_WORD: secret } });
      expect(code).not.toBe(0);
      expect(`${stdout}${stderr}`).not.toContain(secret);
      if (name !== 'header') expect(`${stdout}${stderr}`).toMatch(/\$\{MY_WORD\}|%7BMY_WORD%7D/);
    }
  });

  it('is not said by record either', async () => {
    const args = ['record', '--server', 'absent', '--config', byVariable, '--yes', '-o', 'r.jsonl'];
    const { code, stderr } = await vivarium(args, { cwd: folder, env: { MY_WORD: secret } });
    expect([code, stderr.includes(secret)]).toEqual([4, false]);
  });

  it('is found in the forms that addresses and JSON give it, the longest first', () => {
    const hide = hider(
      new Map([
        ['a b/C"', '<one>'],
        ['a b/C" and more', '<two>'],
        ['no', '<short>'],
      ]),
    );
    expect(hide('a b/C" and more, a%20b%2FC%22, a b/C\\", no')).toBe('<two>, <one>, <one>, no');
  });
});

describe.runIf(process.platform === 'linux')('an answer that is typed unseen', () => {
  it.each(['list', 'doctor'])('is asked for by the name of its server, and %s does not show it', async (command) => {
    const args = [command, '--server', 'dying', '--config', byAnswer, '--yes'];
    const { code, text } = await onTerminal(args, /Password of the bank: /, `${secret}\r`);
    expect(code, text).toBe(4);
    expect(text).toContain(`For the server "dying" in ${byAnswer}: Password of the bank: `);
    expect(text).toContain(`no such key: ${variable('input:word')}`);
    expect(text).not.toContain(secret);
  });
});
