// vivarium prompt: a prompt as a model would get it.
import type { Prompt } from '../../../protocol/types.ts';
import { near } from '../../../text/did-you-mean.ts';
import { type Command, CommandError, exitCodes, resultFlags } from '../../args/command.ts';
import { ifListed, visit } from '../../target/connect-target.ts';
import { askerOf, questionFlags } from '../../target/questions.ts';
import { targetFlags } from '../../target/target-flags.ts';
import { Shown } from '../../terminal/content.ts';
import { write } from '../../terminal/output.ts';
import { printable, printableJson } from '../../terminal/terminal.ts';
import { argumentFlags, readArguments, refuseMisspelt } from '../call/call-arguments.ts';

export const prompt: Command = {
  name: 'prompt',
  summary: 'Get a prompt',
  usage: 'prompt <server> <name> [name=value]… [options]   (or: prompt <name> … -- program args…)',
  flags: {
    ...argumentFlags,
    save: { type: 'string', value: 'folder', help: 'Save images, sound and other bytes there' },
    output: { type: 'string', short: 'o', value: 'file', help: 'Write it to a file' },
    ...questionFlags,
    ...targetFlags,
    ...resultFlags,
  },
  takesProgram: true,
  examples: [
    ['vivarium prompt review-class className=Cart -- node server.js', 'its messages, each with its role'],
    ['vivarium prompt notes summary --format json', 'the whole result, on a server of .mcp.json'],
  ],
  run: (args) =>
    visit(args, askerOf(args), async ({ client, rest, signal }) => {
      const [name, ...words] = rest;
      if (name === undefined) throw new CommandError(exitCodes.usage, 'Which prompt?', { hint: 'vivarium list shows them' });
      const prompts = await ifListed('prompts/list', client.listPrompts({ signal }));
      const known = prompts?.find((one) => one.name === name) ?? (prompts && unknown(name, prompts));
      const given = await readArguments(words, args);
      const declared = Array.isArray(known?.arguments) ? known.arguments : [];
      const names = declared.map((one) => String(one.name));
      refuseMisspelt(`The prompt "${name}"`, given, names, `It takes ${names.join(', ')}`);
      const missing = declared.find((one) => one.required === true && given[one.name] === undefined);
      if (missing !== undefined) throw new CommandError(exitCodes.usage, `The prompt "${name}" needs ${missing.name}=…`);
      const texts = Object.fromEntries(
        Object.entries(given).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
      );
      const result = await client.getPrompt(name, texts, { signal });
      const shown = new Shown(args.values['save'] as string | undefined, name);
      const text = result.messages.map(({ role, content }) => `[${printable(String(role))}]\n${shown.blocks([content])}`).join('\n');
      write(args.values['format'] === 'json' ? `${printableJson(result, 2)}\n` : text, args.values['output'] as string | undefined);
      return exitCodes.ok;
    }),
};

function unknown(name: string, prompts: readonly Prompt[]): never {
  // A stranger's: what should be text may be anything.
  const names = prompts.map((one) => String(one.name));
  const meant = near(name, names);
  const hint = meant === undefined ? `There are ${names.slice(0, 20).join(', ') || 'none'}` : `Did you mean ${meant}?`;
  throw new CommandError(exitCodes.toolError, `There is no prompt "${name}"`, { hint });
}
