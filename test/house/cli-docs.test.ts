// docs/cli.md is written from the commands themselves: UPDATE_CLI_DOCS=1 npx vitest run test/house/cli-docs.test.ts
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { built, root } from './tree.ts';

const page = join(root, 'docs/cli.md');
const begin = '<!-- from here on written by test/house/cli-docs.test.ts -->';
/** Three of them are one tool: add, remove, and clients, which shows what both work on. */
const maxCommands = 15;

const said = (...args: string[]): string => execFileSync(process.execPath, [built('cli/main.js'), ...args], { encoding: 'utf8' });

function commands(): string[] {
  const [, list = ''] = said('--help').split('Commands:\n');
  return [...(list.split('\n\n')[0] ?? '').matchAll(/^ {2}(\S+)/gm)].map(([, name = '']) => name);
}

it('says what the commands say of themselves', () => {
  const text = readFileSync(page, 'utf8');
  const [head = ''] = text.split(begin);
  const sections = commands().map((name) => `## ${name}\n\n\`\`\`\n${said(name, '--help').trim()}\n\`\`\`\n`);
  const expected = `${head}${begin}\n\n${sections.join('\n')}`;
  if (process.env['UPDATE_CLI_DOCS'] !== undefined) writeFileSync(page, expected);
  else expect(text).toBe(expected);
});

it(`has at most ${maxCommands} commands, each with an example`, () => {
  expect(commands().length).toBeLessThanOrEqual(maxCommands);
  for (const name of commands()) expect(said(name, '--help')).toMatch(/^Examples:\n {2}\S/m);
});
