import { expect, it } from 'vitest';
import { commands, findCommand } from '../../../src/cli/commands/table.ts';

it.each(Object.entries(commands))('%s loads the command of that name', async (name, { load }) => {
  const command = await load();
  expect(command.name).toBe(name);
  expect(command.usage.split(' ')[0]).toBe(name);
});

it.each(['constructor', '__proto__', 'toString', ''])('knows no command %j', (name) => {
  expect(findCommand(name)).toBeUndefined();
});
