// vivarium call: one call of one tool.
import { modelView } from '../../../client/model-view.ts';
import type { CallToolResult, ContentBlock, Tool } from '../../../protocol/types.ts';
import { compileUntrusted } from '../../../schema/untrusted.ts';
import { near } from '../../../text/did-you-mean.ts';
import { type Command, CommandError, exitCodes, resultFlags } from '../../args/command.ts';
import { ifListed, visit } from '../../target/connect-target.ts';
import { answerHint, askerOf, questionFlags } from '../../target/questions.ts';
import { targetFlags } from '../../target/target-flags.ts';
import { Shown } from '../../terminal/content.ts';
import { write } from '../../terminal/output.ts';
import { progressLine } from '../../terminal/progress-line.ts';
import { signatureOf } from '../../terminal/signature.ts';
import { printableJson } from '../../terminal/terminal.ts';
import { argumentFlags, readArguments, refuseMisspelt } from './call-arguments.ts';

export const call: Command = {
  name: 'call',
  summary: 'Call a tool',
  usage: 'call <server> <tool> [name=value | name:=json | name=@file | -]… [options]   (or: call <tool> … -- program args…)',
  flags: {
    ...argumentFlags,
    'no-check': { type: 'boolean', help: "Send the arguments without checking them against the tool's schema" },
    quiet: { type: 'boolean', short: 'q', help: 'Show no progress' },
    save: { type: 'string', value: 'folder', help: 'Save images, sound and other bytes there' },
    output: { type: 'string', short: 'o', value: 'file', help: 'Write the result to a file' },
    ...questionFlags,
    ...targetFlags,
    ...resultFlags,
  },
  takesProgram: true,
  examples: [
    ['vivarium call add a=1 b=2 -- node server.js', 'numbers become numbers where the schema says so'],
    ['vivarium call notes note_put note:=\'{"id":"a"}\'', 'JSON as it stands, on a server of .mcp.json'],
    ['vivarium call https://api.example/mcp draw text=@poem.txt --save pictures', 'text from a file; images to a folder'],
    ['cat args.json | vivarium call server.ts add -', 'all arguments from standard input'],
    ['vivarium call server.ts add a=1 b=2 --format json', 'the whole result, for a script'],
  ],
  run: (args) => {
    const asker = askerOf(args);
    return visit(args, asker, async ({ client, rest, signal }) => {
      const [name, ...words] = rest;
      if (name === undefined) throw new CommandError(exitCodes.usage, 'Which tool?', { hint: 'vivarium list shows them' });
      const tools = await ifListed('tools/list', client.listTools({ signal }));
      const tool = tools?.find((one) => one.name === name) ?? (tools && unknown(name, tools));
      const given = await readArguments(words, args, (tool?.inputSchema ?? {}) as Readonly<Record<string, unknown>>);
      if (tool !== undefined && args.values['no-check'] !== true) await check(tool, given);
      const line = progressLine(args.values['quiet'] !== true);
      const result = await client.callTool(name, given, { signal, onProgress: line.show }).finally(line.clear);
      const file = args.values['output'] as string | undefined;
      if (args.values['format'] === 'json') write(`${printableJson(result, 2)}\n`, file);
      else {
        const text = new Shown(args.values['save'] as string | undefined, name).blocks(wholeOf(result));
        if (result.isError === true && file === undefined) process.stderr.write(text);
        else write(text, file);
        const hint = result.isError === true ? answerHint(asker, text) : undefined;
        if (hint !== undefined) process.stderr.write(`  ${hint}\n`);
      }
      return result.isError === true ? exitCodes.toolError : exitCodes.ok;
    });
  },
};

/** For people nothing is left out: words that are not the structured value, and then the value. */
function wholeOf(result: CallToolResult): readonly ContentBlock[] {
  const view = modelView(result);
  return [...(result.content ?? []).filter((block) => block.type === 'text' && !view.includes(block)), ...view];
}

function unknown(name: string, tools: readonly Tool[]): never {
  const names = tools.map((tool) => tool.name);
  const meant = near(name, names);
  const hint = meant === undefined ? `There are ${names.slice(0, 20).join(', ') || 'none'}` : `Did you mean ${meant}?`;
  throw new CommandError(exitCodes.toolError, `There is no tool "${name}"`, { hint });
}

/** Before anything is sent: the schema's words are clearer than most servers'. What cannot be checked here is left to the server. */
async function check(tool: Tool, given: object): Promise<void> {
  const { properties, additionalProperties, patternProperties } = (tool.inputSchema ?? {}) as Readonly<Record<string, unknown>>;
  const isOpen = patternProperties !== undefined || additionalProperties === true || typeof additionalProperties === 'object';
  // Most schemas allow names they do not know: a misspelt one would be sent, and not be missed.
  if (!isOpen && typeof properties === 'object' && properties !== null)
    refuseMisspelt(`The tool "${tool.name}"`, given, Object.keys(properties), `${signatureOf(tool)}\n--no-check sends it as it is`);
  const { problem } = (await compileUntrusted(tool.inputSchema)).check(given);
  if (problem !== undefined) throw new CommandError(exitCodes.usage, `The arguments do not fit: ${problem}`, { hint: signatureOf(tool) });
}
