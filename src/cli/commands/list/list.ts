// vivarium list: what a server offers.
import type { Client } from '../../../client/index.ts';
import { cut, RpcError, VivariumError } from '../../../jsonrpc/error.ts';
import type { Prompt, Resource, ResourceTemplate, Tool } from '../../../protocol/types.ts';
import { type Command, CommandError, exitCodes, resultFlags } from '../../args/command.ts';
import { visit } from '../../target/connect-target.ts';
import { nobody } from '../../target/questions.ts';
import { targetFlags } from '../../target/target-flags.ts';
import { write } from '../../terminal/output.ts';
import { descriptionOf, hintsOf, signatureOf } from '../../terminal/signature.ts';
import { printable, printableJson } from '../../terminal/terminal.ts';

const kinds = ['tools', 'resources', 'templates', 'prompts', 'all'] as const;
type Kind = (typeof kinds)[number];

interface Offer {
  readonly tools?: readonly Tool[];
  readonly resources?: readonly Resource[];
  readonly templates?: readonly ResourceTemplate[];
  readonly prompts?: readonly Prompt[];
  readonly unanswered?: readonly { readonly method: string; readonly code?: number; readonly message: string }[];
}

export const list: Command = {
  name: 'list',
  summary: 'List what a server offers',
  usage: `list <server> [${kinds.join('|')}] [options]   (or: list [kind] -- program args…)`,
  flags: {
    schema: { type: 'boolean', help: 'Show whole descriptions and the schemas as they are' },
    output: { type: 'string', short: 'o', value: 'file', help: 'Write it to a file' },
    ...targetFlags,
    ...resultFlags,
  },
  takesProgram: true,
  examples: [
    ['vivarium list -- node server.js', 'everything a program on stdio offers'],
    ['vivarium list tools -- npx -y some-server', 'its tools alone'],
    ['vivarium list https://api.example/mcp --format json', 'at a URL, for a script'],
    ['vivarium list notes', 'a server named in .mcp.json or another configuration of the project'],
    ['vivarium list server.ts', 'a module that exports a Server'],
  ],
  run: (args) =>
    visit(args, nobody, async ({ client, rest, signal }) => {
      const [kind = 'all', ...more] = rest;
      if (more.length > 0 || !kinds.includes(kind as Kind))
        throw new CommandError(exitCodes.usage, `list takes one of ${kinds.join(', ')}, not ${rest.join(' ')}`);
      const offer = await collect(client, kind as Kind, signal);
      const { server, revision, instructions } = client;
      const json = args.values['format'] === 'json';
      for (const { method, code, message } of json ? [] : (offer.unanswered ?? []))
        process.stderr.write(
          `warning: ${method} was not answered: ${code === undefined ? '' : `error ${code}: `}${printable(cut(message))}\n`,
        );
      const text = json
        ? `${printableJson({ server, revision, instructions, ...offer }, 2)}\n`
        : asText(client, offer, args.values['schema'] === true);
      write(text, args.values['output'] as string | undefined);
      return exitCodes.ok;
    }),
};

/** Everything that is answered: a server may declare resources and know no templates. Only where nothing is answered is that a failure. */
async function collect(client: Client, kind: Kind, signal: AbortSignal): Promise<Offer> {
  const asks = [
    { one: 'tools', method: 'tools/list', ask: () => client.listTools({ signal }) },
    { one: 'resources', method: 'resources/list', ask: () => client.listResources({ signal }) },
    { one: 'templates', method: 'resources/templates/list', ask: () => client.listResourceTemplates({ signal }) },
    { one: 'prompts', method: 'prompts/list', ask: () => client.listPrompts({ signal }) },
  ].filter(({ one }) => kind === one || kind === 'all');
  // Together: a server far away is asked once, not four times in turn.
  const answers = await Promise.allSettled(asks.map(({ ask }) => ask()));
  const failed = answers.find((answer) => answer.status === 'rejected');
  if (failed !== undefined && (signal.aborted || answers.every(({ status }) => status === 'rejected'))) throw failed.reason;
  const unanswered = asks.flatMap(({ method }, at) => {
    const answer = answers[at];
    return answer?.status === 'rejected' ? [{ method, ...reasonOf(answer.reason) }] : [];
  });
  const lists = asks.flatMap(({ one }, at) => {
    const answer = answers[at];
    return answer?.status === 'fulfilled' ? [[one, answer.value] as const] : [];
  });
  return { ...Object.fromEntries(lists), ...(unanswered.length > 0 && { unanswered }) };
}

function reasonOf(error: unknown): { readonly code?: number; readonly message: string } {
  if (error instanceof RpcError) return { code: error.code, message: error.message };
  if (error instanceof VivariumError) return { message: error.message };
  throw error;
}

function asText({ server, revision }: Client, offer: Offer, whole: boolean): string {
  const { tools = [], resources = [], templates = [], prompts = [] } = offer;
  const head = `${printable(server?.title ?? server?.name ?? 'A server without a name')} ${printable(server?.version ?? '')}`.trimEnd();
  const sections = [
    section('Tools', tools, (tool) => toolLines(tool, whole)),
    section('Resources', resources, (one) => itemLines(one.uri, one, whole)),
    section('Templates', templates, (one) => itemLines(one.uriTemplate, one, whole)),
    section('Prompts', prompts, (one) => itemLines(promptLine(one), one, whole)),
  ].filter((lines) => lines.length > 0);
  const nothing = sections.length === 0 ? ['', 'Nothing.'] : [];
  return [`${head} (${revision})`, ...nothing, ...sections.flatMap((lines) => ['', ...lines]), ''].join('\n');
}

function section<T>(title: string, all: readonly T[], lines: (one: T) => readonly string[]): string[] {
  return all.length === 0 ? [] : [`${title}: ${all.length}`, ...all.flatMap(lines).map((line) => `  ${line}`.trimEnd())];
}

function toolLines(tool: Tool, whole: boolean): string[] {
  const hints = hintsOf(tool);
  const signature = signatureOf(tool).split('\n');
  const schemas = whole
    ? [
        `input: ${printable(JSON.stringify(tool.inputSchema))}`,
        ...(tool.outputSchema === undefined ? [] : [`output: ${printable(JSON.stringify(tool.outputSchema))}`]),
      ]
    : [];
  return [...signature, ...descriptionOf(tool.description, whole), ...schemas, ...(hints === '' ? [] : [`(${hints})`])].map((line, at) =>
    at < signature.length ? line : `    ${line}`,
  );
}

function itemLines(
  line: string,
  { title, name, description, mimeType }: { title?: string; name: string; description?: string; mimeType?: string },
  whole: boolean,
): string[] {
  // A stranger's: what should be there may not be.
  const what = [title ?? (String(line).startsWith(String(name)) ? undefined : name), mimeType]
    .filter((one) => one !== undefined)
    .join(', ');
  return [
    `${printable(String(line))}${what === '' ? '' : `  (${printable(what)})`}`,
    ...descriptionOf(description, whole).map((text) => `    ${text}`),
  ];
}

function promptLine({ name, arguments: args = [] }: Prompt): string {
  return `${name}(${(Array.isArray(args) ? args : []).map((one) => `${one.name}${one.required === true ? '' : '?'}`).join(', ')})`;
}
