// Commands of clients that fail, lie, hang or write something else.
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Change, planChange } from '../../src/install/change.ts';
import type { ClientRow } from '../../src/install/client.ts';
import { clientById } from '../../src/install/clients.ts';
import { Refusal } from '../../src/install/edit/refusal.ts';
import { Journal } from '../../src/install/journal.ts';
import { applyByCommand } from '../../src/install/own-command.ts';

const before = '{ "mcpServers": { "old": { "command": "x" } }, "count": 1 }\n';
const entry = { type: 'stdio', command: 'node', args: ['s.js'] };
const asAsked = `{ "mcpServers": { "old": { "command": "x" }, "new": ${JSON.stringify(entry)} }, "count": 2 }`;

function setting(asked: object = entry) {
  const folder = mkdtempSync(join(tmpdir(), 'vivarium-own-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'claude.json');
  writeFileSync(file, before);
  const journal = new Journal(join(folder, 'journal'));
  const change: Change = { client: clientById('claude-code') as ClientRow, scope: 'user', file, name: 'new', entry: asked };
  const run = async (script: string) => {
    const program = join(folder, 'claude');
    writeFileSync(program, `#!/bin/sh\n${script}\n`);
    chmodSync(program, 0o755);
    return applyByCommand(await planChange(change, journal), [program], journal, { batch: 'b' });
  };
  const write = (text: string): string => `cat > '${file}' <<'EOF'\n${text}\nEOF`;
  return { file, journal, run, write, kept: () => readdirSync(join(folder, 'journal')) };
}

describe.skipIf(process.platform === 'win32')("a client's own command", () => {
  it('is believed where the file has the entry as asked, and what else it changed is named', async () => {
    const { run, write, journal } = setting();
    const { beside, record } = await run(write(asAsked));
    expect([beside, record.entry]).toEqual([['count'], entry]);
    expect(journal.records()).toHaveLength(1);
  });

  it('may leave out an empty list, and add one', async () => {
    const { file, journal, run, write } = setting({ command: 'node', args: [] });
    await run(write('{ "mcpServers": { "old": { "command": "x" }, "new": { "command": "node", "env": {} } }, "count": 1 }'));
    expect(journal.past(file)).toHaveLength(1);
  });

  it('that ends with a failure is a failure, and what was there before is kept', async () => {
    const { run, write, journal, file } = setting();
    const refused = (await run(`${write('{ "mcpServers": { "new": { "command": "evil" } } }')}\nexit 5`).catch(
      (error) => error,
    )) as Refusal;
    expect(refused).toBeInstanceOf(Refusal);
    expect(refused.message).toContain('ended with 5');
    const [, backup = ''] = /Before: (\S+)/.exec(refused.hint ?? '') ?? [];
    expect(readFileSync(backup, 'utf8')).toBe(before);
    expect(existsSync(file)).toBe(true);
    expect(journal.records()).toEqual([]);
  });

  it('that writes another entry is not believed', async () => {
    const { run, write, journal } = setting();
    await expect(run(write('{ "mcpServers": { "new": { "command": "evil" } } }'))).rejects.toThrow('wrote something else');
    expect(journal.records()).toEqual([]);
  });

  it('that fails before it writes leaves nothing in the journal', async () => {
    const { run, kept } = setting();
    await expect(run('echo no; exit 1')).rejects.toThrow('ended with 1');
    expect(kept()).toEqual([]);
  });

  it('is over when it has ended, whoever keeps its pipes', { timeout: 60_000 }, async () => {
    const { run, write } = setting();
    expect((await run(`sleep 90 & ${write(asAsked)}`)).record.name).toBe('new');
  });
});
