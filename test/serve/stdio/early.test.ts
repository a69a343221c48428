import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const run = (code: string, input: string) =>
  spawnSync(process.execPath, ['--input-type=module', '-e', code], { cwd: root, input, encoding: 'utf8', timeout: 60_000 });
const imports = "import { Server } from 'vivarium/server'; import { serveStdio } from 'vivarium/serve/stdio'; import { z } from 'zod';\n";
const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';
const pong = '{"jsonrpc":"2.0","id":1,"result":{}}\n';

it('what is printed right after serveStdio, which nobody awaited, goes to stderr', () => {
  const { stdout, stderr } = run(`${imports}serveStdio(new Server({ name: 's', version: '1' })); console.log('running');`, ping);
  expect(stdout).toBe(pong);
  expect(stderr).toContain('running');
});

it('a server whose schemas are all of zod never loads ajv, also when it writes TOON', () => {
  const code = `${imports}
    import { register } from 'node:module';
    register('data:text/javascript,' + encodeURIComponent("export async function resolve(s, c, n) { if (/^ajv/.test(s)) process._rawDebug('LOADED ' + s); return n(s, c); }"));
    const server = new Server({ name: 's', version: '1' });
    server.tool('t', { output: z.object({ a: z.number() }), text: 'auto' }, () => ({ a: 1 }));
    await serveStdio(server);
    await new Promise((resolve) => setTimeout(resolve, 300));`;
  const init =
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}\n';
  const { stdout, stderr } = run(code, `${init}{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}\n`);
  expect(stdout).toContain('"structuredContent":{"a":1}');
  expect(stderr).not.toContain('LOADED');
});
