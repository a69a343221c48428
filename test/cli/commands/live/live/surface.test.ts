// vivarium live --surface, as the built package does it: the messages of the documents, byte for byte, on stdio and at a URL.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { notRun } from '../../../../../scripts/prepare.mjs';
import { main, Started } from '../../../started.ts';

function start(...args: readonly string[]): Started {
  const home = mkdtempSync(join(tmpdir(), 'live-surface-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  // The core for an instant start is shared: it is made once.
  return new Started(['live', ...args], { cwd: home, env: { XDG_STATE_HOME: join(home, 'state') } });
}

const initialize = (name: string, version: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"${name}","version":"${version}"}}}`;
const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

/** Sends each line and waits for its answer, where one is due. */
async function converse(live: Started, lines: readonly (readonly [sent: string, answer?: string])[]): Promise<void> {
  let expected = '';
  for (const [sent, answer] of lines) {
    live.process.stdin.write(`${sent}\n`);
    if (answer === undefined) continue;
    expected += `${answer}\n`;
    const already = expected.split('\n').length - 1;
    await live.until('stdout', new RegExp(`^(?:.*\\n){${already}}`));
    expect(live.stdout).toBe(expected);
  }
  live.process.stdin.end();
  expect(await live.ended).toBe(0);
  expect(live.stdout).toBe(expected);
}

describe.skipIf(notRun('sbcl'))('vivarium live --surface cl', () => {
  it('goes through the complete session of the reference, byte for byte', async () => {
    const live = start('--surface', 'cl', '--name', 'cl-mcp-server', '--server-version', '0.1.0');
    await converse(live, [
      [
        initialize('test', '1.0'),
        '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-03-26","capabilities":{"tools":{}},"serverInfo":{"name":"cl-mcp-server","version":"0.1.0"}}}',
      ],
      [initialized],
      [
        '{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
        '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"evaluate-lisp","description":"Evaluate Common Lisp code in a persistent session","inputSchema":{"type":"object","required":["code"],"properties":{"code":{"type":"string","description":"The Lisp code to evaluate"}}}}]}}',
      ],
      [
        '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"evaluate-lisp","arguments":{"code":"(+ 1 2)"}}}',
        '{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"=> 3"}],"isError":false}}',
      ],
      [
        '{"jsonrpc":"2.0","id":4,"method":"unknown-method"}',
        '{"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"Method not found","data":"Method \'unknown-method\' is not supported"}}',
      ],
      [
        '{"not-jsonrpc":"2.0","method":"initialize"}',
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request","data":"Missing required field: jsonrpc"}}',
      ],
    ]);
  });

  it('answers a single message that is piped in, says who it is, and ends', async () => {
    const live = start('--surface', 'cl');
    live.process.stdin.end(`${initialize('test', '1.0')}\n`);
    expect(await live.ended).toBe(0);
    expect(JSON.parse(live.stdout).result.serverInfo).toEqual({ name: 'vivarium-live', version: '0.1.0' });
  });
});

describe('vivarium live --surface pharo', () => {
  it('goes through the handshake and the calls of the guide, byte for byte', async () => {
    const live = start('--surface', 'pharo', '--name', 'pharo-mcp', '--server-version', '0.1.0');
    await converse(live, [
      [
        initialize('claude-desktop', '1.0.0'),
        '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-03-26","capabilities":{"tools":{"listChanged":false},"resources":{"subscribe":false,"listChanged":false},"prompts":{"listChanged":false}},"serverInfo":{"name":"pharo-mcp","version":"0.1.0"}}}',
      ],
      [initialized],
      ['{"jsonrpc":"2.0","id":2,"method":"ping"}', '{"jsonrpc":"2.0","id":2,"result":{}}'],
      [
        '{"jsonrpc":"2.0","id":3,"method":"tools/list"}',
        '{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"evaluate","description":"Evaluate a Pharo expression","inputSchema":{"type":"object","properties":{"expression":{"type":"string","description":"Pharo expression to evaluate"}},"required":["expression"]}}]}}',
      ],
      [
        '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"evaluate","arguments":{"expression":"3 + 4"}}}',
        '{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"7"}],"isError":false}}',
      ],
      [
        '{"jsonrpc":"2.0","id":5,"method":"resources/list"}',
        '{"jsonrpc":"2.0","id":5,"result":{"resources":[{"uri":"pharo://system/version","name":"System Version","description":"Current Pharo version","mimeType":"text/plain"}]}}',
      ],
      [
        '{"jsonrpc":"2.0","id":7,"method":"resources/templates/list"}',
        '{"jsonrpc":"2.0","id":7,"result":{"resourceTemplates":[{"uriTemplate":"pharo://class/{className}","name":"Class Details","description":"Get details for a Pharo class","mimeType":"application/json"}]}}',
      ],
      [
        '{"jsonrpc":"2.0","id":8,"method":"prompts/list"}',
        '{"jsonrpc":"2.0","id":8,"result":{"prompts":[{"name":"review-class","description":"Review a Pharo class","arguments":[{"name":"className","description":"The class to review","required":true}]}]}}',
      ],
      [
        '{"jsonrpc":"2.0","id":9,"method":"prompts/get","params":{"name":"review-class","arguments":{"className":"OrderedCollection"}}}',
        '{"jsonrpc":"2.0","id":9,"result":{"description":"Code review for OrderedCollection","messages":[{"role":"user","content":{"type":"text","text":"Please review the class OrderedCollection."}}]}}',
      ],
      [
        '{"jsonrpc":"2.0","id":10,"method":"unknown/method"}',
        '{"jsonrpc":"2.0","id":10,"error":{"code":-32601,"message":"Method not found: unknown/method"}}',
      ],
    ]);
  });
});

const call = (code: string): string =>
  `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"evaluate-lisp","arguments":{"code":"${code}"}}}`;

it.skipIf(notRun('sbcl'))('the surface cl is exact from the first call of a new user on; its remarks are on stderr', async () => {
  const home = mkdtempSync(join(tmpdir(), 'live-surface-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 20 }));
  const env = { HOME: home, XDG_STATE_HOME: join(home, 'state'), XDG_CACHE_HOME: join(home, 'cache') };
  const live = new Started(['live', '--surface', 'cl'], { cwd: home, env });
  live.process.stdin.write(`${initialize('test', '1.0')}\n${initialized}\n${call('(+ 1 2)')}\n`);
  await live.until('stdout', /^(?:.*\n){2}/);
  expect(live.stdout.split('\n')[1]).toBe('{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"=> 3"}],"isError":false}}');
  await live.until('stderr', /\[NOTE\] A core with the bridge is being built once/);
  live.process.stdin.end();
  expect(await live.ended).toBe(0);
});

it('the surface cl answers a client where SBCL is not installed, and its calls say what to install', async () => {
  const home = mkdtempSync(join(tmpdir(), 'live-surface-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const live = new Started(['live', '--surface', 'cl'], { cwd: home, env: { XDG_STATE_HOME: join(home, 'state'), PATH: home } });
  live.process.stdin.write(`${initialize('test', '1.0')}\n${initialized}\n${call('(+ 1 2)')}\n`);
  await live.until('stdout', /^(?:.*\n){2}/);
  const [first = '', second = ''] = live.stdout.split('\n');
  expect(JSON.parse(first)).toMatchObject({ id: 1, result: { protocolVersion: '2025-03-26' } });
  const { isError, content } = JSON.parse(second).result;
  expect(isError).toBe(true);
  expect(content[0].text).toContain('SBCL is not installed: apt-get install sbcl');
  expect(content[0].text).toContain('--sbcl <path>');
  expect(live.stderr).toContain('Common Lisp (SBCL) cannot be had here');
  live.process.stdin.end();
  expect(await live.ended).toBe(0);
});

describe.each([
  ['cl', 'evaluate-lisp={"code":"(+ 1 2)"}'],
  ['pharo', 'evaluate={"expression":"3 + 4"}'],
])('vivarium check, asked about the surface %s', (surface, call) => {
  it.skipIf(surface === 'cl' && notRun('sbcl'))(
    'finds nothing broken in any revision',
    async () => {
      const home = mkdtempSync(join(tmpdir(), 'live-judged-'));
      onTestFinished(() => rmSync(home, { recursive: true, force: true }));
      const server = ['--', process.execPath, main, 'live', '--surface', surface, '--state', join(home, 'state')];
      const judge = new Started(['check', '--spec-version', 'all', '--quiet', '--timeout', '30s', '--args', call, ...server], {
        cwd: home,
      });
      expect([await judge.ended, judge.stdout]).toEqual([0, expect.stringContaining('CONFORMANT to 2025-03-26')]);
      expect(judge.stdout).not.toContain('NOT CONFORMANT');
    },
    180_000,
  );
});

it.each([
  [['--surface', 'cl', '--sbcl', '/nowhere/sbcl'], 'Common Lisp (SBCL) cannot be had here: there is no program /nowhere/sbcl'],
  [['--surface', 'basic'], 'There is no surface "basic", only cl, pharo'],
  [['--surface', 'cl', '--language', 'javascript'], 'The surface cl is for lisp, not for javascript'],
])('vivarium live refuses %j with the reason', async (args, reason) => {
  const live = start(...args);
  expect(await live.ended).toBe(2);
  expect(live.stderr).toContain(reason);
});
