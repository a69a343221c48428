// A living image of Smalltalk: an agent defines a class, browses it, meets an error, mends the method while the error stands, and tests it.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const project = mkdtempSync(join(tmpdir(), 'vivarium-story-'));
const command = join(dirname(createRequire(import.meta.url).resolve('vivarium/package.json')), 'dist/cli/main.js');
const client = new Client({ name: 'story', version: '1.0.0' });
const args = [command, 'live', '--language', 'smalltalk', '--cwd', project];
await client.connect(new StdioClientTransport({ command: process.execPath, args }));

async function use(name: string, given: Record<string, unknown>): Promise<string> {
  const { content } = (await client.callTool({ name, arguments: given })) as { content: { type: string; text?: string }[] };
  const text = content.map((block) => block.text ?? `(${block.type})`).join('\n');
  process.stdout.write(`> ${name} ${JSON.stringify(given)}\n${text}\n\n`);
  return text;
}

// A class and its methods, in an image that stays.
await use('evaluate', { code: "Object subclass: #Account instanceVariableNames: 'balance' package: 'Bank'" });
await use('evaluate', { code: "Account compile: 'deposit: amount\n\t^ balance := balance + amount' protocol: 'moving'" });
await use('evaluate', { code: "Account compile: 'depositAll: amounts\n\tamounts do: [ :each | self deposit: each ]' protocol: 'moving'" });

// What a browser would show.
assert.match(
  await use('lookup', { name: 'Account' }),
  /class Account in Bank\nsuperclasses: Object < ProtoObject\ninstance variables: balance/,
);
assert.match(await use('lookup', { name: 'Account', want: 'members' }), /moving: deposit: depositAll:/);
assert.match(await use('lookup', { name: '#deposit:', want: 'callers' }), /#deposit: has 1 sender\n {2}Account>>depositAll:/);

// The error says what the receiver held.
const failed = await use('evaluate', { code: 'account := Account new. account depositAll: #(10 20)' });
assert.match(failed, /^\[ERROR] MessageNotUnderstood: nil does not understand #\+\n {2}receiver: an Account \{ balance: nil }/);
assert.match(failed, /0: Account>>deposit:\n {2}1: \[] in Account>>depositAll:/);

// The same again, held where it happened; the method is mended there, and the cell runs again.
assert.match(
  await use('evaluate', { code: 'account depositAll: #(10 20)', on_error: 'pause' }),
  /^\[PAUSED][\s\S]*\[Restarts]\n {2}0: retry/,
);
assert.match(await use('debug', { action: 'eval', frame: 0, code: 'amount' }), /^=> 10/);
await use('debug', {
  action: 'eval',
  frame: 0,
  code: "Account compile: 'deposit: amount\n\tbalance isNil ifTrue: [ balance := 0 ].\n\t^ balance := balance + amount' protocol: 'moving'",
});
await use('debug', { action: 'restart', restart: 0 });
assert.match(await use('inspect', { target: 'account' }), /balance: 30/);

// SUnit in the same image.
await use('evaluate', { code: "TestCase subclass: #AccountTest instanceVariableNames: '' package: 'Bank-Tests'" });
await use('evaluate', { code: "AccountTest compile: 'testDeposit\n\tself assert: (Account new deposit: 5) equals: 5' protocol: 'tests'" });
assert.match(await use('run_tests', {}), /^\[PASSED] 1 passed, 0 failed/);

await client.close();
rmSync(project, { recursive: true, force: true });
