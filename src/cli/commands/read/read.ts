// vivarium read: the contents of one resource.
import { type Command, CommandError, exitCodes, resultFlags } from '../../args/command.ts';
import { visit } from '../../target/connect-target.ts';
import { askerOf, questionFlags } from '../../target/questions.ts';
import { targetFlags } from '../../target/target-flags.ts';
import { Shown } from '../../terminal/content.ts';
import { write } from '../../terminal/output.ts';
import { printableJson } from '../../terminal/terminal.ts';

export const read: Command = {
  name: 'read',
  summary: 'Read a resource',
  usage: 'read <server> <uri> [options]   (or: read <uri> -- program args…)',
  flags: {
    save: { type: 'string', value: 'folder', help: 'Save images, sound and other bytes there' },
    output: { type: 'string', short: 'o', value: 'file', help: 'Write it to a file; bytes as they are' },
    ...questionFlags,
    ...targetFlags,
    ...resultFlags,
  },
  takesProgram: true,
  examples: [
    ['vivarium read note:///a -- node server.js', 'its text'],
    ['vivarium read https://api.example/mcp img://logo -o logo.png', 'its bytes'],
    ['vivarium read notes note:///a --format json', 'the whole result, on a server of .mcp.json'],
  ],
  run: (args) =>
    visit(args, askerOf(args), async ({ client, rest, signal }) => {
      const [uri, ...more] = rest;
      if (uri === undefined || more.length > 0)
        throw new CommandError(exitCodes.usage, 'read takes one URI', { hint: 'vivarium list shows them' });
      const result = await client.readResource(uri, { signal });
      const file = args.values['output'] as string | undefined;
      const [only, ...others] = result.contents;
      if (args.values['format'] === 'json') write(`${printableJson(result, 2)}\n`, file);
      else if (file !== undefined && only !== undefined && others.length === 0 && 'blob' in only)
        write(Buffer.from(only.blob, 'base64'), file);
      else write(new Shown(args.values['save'] as string | undefined, uri.split('/').at(-1) ?? 'resource').contents(result.contents), file);
      return exitCodes.ok;
    }),
};
