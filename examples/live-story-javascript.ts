// A living program: an agent finds a bug in a running cart, mends the file, and the same cart goes on with the mended code.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const project = mkdtempSync(join(tmpdir(), 'vivarium-story-'));
mkdirSync(join(project, 'src'));
mkdirSync(join(project, 'test'));
writeFileSync(join(project, 'package.json'), '{ "name": "shop", "type": "module", "scripts": { "test": "node --test" } }\n');
const file = join(project, 'src/cart.ts');
writeFileSync(
  file,
  `export interface Line { name: string; price: number; count: number }

export class Cart {
  lines: Line[] = [];
  discount: { percent: number } | undefined;

  add(name: string, price: number, count = 1): this {
    this.lines.push({ name, price, count });
    return this;
  }

  total(): number {
    const sum = this.lines.reduce((all, line) => all + line.price * line.count, 0);
    return sum * (1 - this.discount!.percent / 100);
  }
}
`,
);
writeFileSync(
  join(project, 'test/cart.test.ts'),
  `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cart } from '../src/cart.ts';

test('a cart without a discount', () => assert.equal(new Cart().add('fern', 9, 2).add('moss', 4).total(), 22));
`,
);

const command = join(dirname(createRequire(import.meta.url).resolve('vivarium/package.json')), 'dist/cli/main.js');
const client = new Client({ name: 'story', version: '1.0.0' });
const state = join(project, '.state');
await client.connect(new StdioClientTransport({ command: process.execPath, args: [command, 'live', '--cwd', project, '--state', state] }));

let calls = 0;
let characters = 0;
async function use(name: string, args: Record<string, unknown>): Promise<string> {
  const { content } = (await client.callTool({ name, arguments: args })) as { content: { type: string; text?: string }[] };
  const text = content.map((block) => block.text ?? `(${block.type})`).join('\n');
  calls++;
  characters += JSON.stringify(args).length + text.length;
  process.stdout.write(`> ${name} ${JSON.stringify(args)}\n${text}\n\n`);
  return text;
}

// The project's own module, with its types, in a session that stays.
await use('evaluate', {
  code: "import { Cart } from './src/cart.ts';\nconst cart = new Cart().add('fern', 9, 2)\nconst known = new WeakSet([cart])",
});
assert.match(await use('evaluate', { code: "cart.add('moss', 4).lines.length" }), /^=> 2/);
assert.match(await use('evaluate', { code: 'cart.total()' }), /^\[ERROR] TypeError: .*percent[\s\S]*src\/cart\.ts:14/);

assert.match(await use('run_tests', {}), /^\[FAILED] 0 passed, 1 failed[\s\S]*a cart without a discount/);

// The same again, stopped where it happens.
const paused = await use('evaluate', { code: 'cart.total()', on_error: 'pause' });
assert.match(paused, /^\[PAUSED] TypeError[\s\S]*sum = 22/);
assert.match(await use('debug', { action: 'eval', frame: 0, code: 'this.discount' }), /^=> undefined/);
await use('debug', { action: 'abort' });

// The file is mended, and swapped in: the cart is the same one.
writeFileSync(file, readFileSync(file, 'utf8').replace('this.discount!.percent', '(this.discount?.percent ?? 0)'));
assert.match(await use('reload', {}), /^swapped src\/cart\.ts: Cart\.total/);
assert.match(await use('evaluate', { code: '[known.has(cart), cart.total()]' }), /^=> \[ true, 22 \]/);

// Its tests run where they always do.
assert.match(await use('run_tests', {}), /^\[PASSED] 1 passed/);

// What was done is written down, and can be done again.
await use('sessions', { action: 'save', name: 'story' });
const restored = await use('sessions', { action: 'restore', name: 'story' });
const [session] = /s-[\w-]+/.exec(restored) ?? [];
assert.match(await use('evaluate', { session, code: 'cart.total()' }), /^=> 22/);

const { tools } = await client.listTools();
const listed = Math.round(JSON.stringify(tools).length / 4);
process.stdout.write(`${calls} calls, about ${Math.round(characters / 4)} tokens; the tools cost about ${listed} tokens once\n`);
await client.close();
rmSync(project, { recursive: true, force: true });
