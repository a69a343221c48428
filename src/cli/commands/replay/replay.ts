// vivarium replay: a recording in the part of the server.
import type { AddressInfo } from 'node:net';
import { LineSplitter } from '../../../jsonrpc/lines.ts';
import { type Command, CommandError, exitCodes } from '../../args/command.ts';
import { portNumber } from '../../args/flag-values.ts';
import { printable } from '../../terminal/terminal.ts';
import { type Entry, readRecording } from '../record/recording.ts';
import { jsonText } from './json-text.ts';
import { messagesIn, ReplayScript } from './script.ts';

const maxLine = 64 * 1024 * 1024;
const faults = { utf8: 'A line that is not UTF-8 is left out', size: 'A line of more than 64 MiB is left out' } as const;

export const replay: Command = {
  name: 'replay',
  summary: 'Serve a recording, as a server for tests',
  usage: 'replay <file> [options]',
  flags: {
    http: { type: 'string', value: 'port', help: 'Serve it at a URL on this machine instead of on stdio' },
    quiet: { type: 'boolean', short: 'q', help: 'Do not say what the recording does not know' },
  },
  examples: [
    ['vivarium replay s.jsonl', 'on stdio, for a client that starts it'],
    ['vivarium replay s.jsonl --http 4000', 'at http://127.0.0.1:4000/mcp'],
    ['vivarium list -- vivarium replay s.jsonl', 'what the recorded server offered'],
  ],
  async run({ positionals, values }) {
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0)
      throw new CommandError(exitCodes.usage, 'replay takes one recording', { hint: 'vivarium replay s.jsonl' });
    const recording = readRecording(file);
    if (values['http'] !== undefined) return atUrl(recording, portNumber('http', values['http'] as string));
    const tell = (problem: string): void => void (values['quiet'] === true ? undefined : process.stderr.write(`${printable(problem)}\n`));
    const script = new ReplayScript(recording.entries, (raw) => void process.stdout.write(`${raw}\n`));
    process.stdout.on('error', () => process.exit(exitCodes.ok));
    script.begin();
    const hear = (line: string): void => {
      for (const message of messagesIn(line)) {
        const problem = script.hear(message);
        if (problem === undefined) continue;
        tell(problem);
        process.stdout.write(`${jsonText({ jsonrpc: '2.0', id: message['id'], error: { code: -32603, message: problem } })}\n`);
      }
    };
    const lines = new LineSplitter({ line: hear, fault: (kind) => tell(faults[kind]) }, maxLine);
    for await (const chunk of process.stdin as AsyncIterable<Buffer>) lines.push(chunk);
    hear(lines.end() ?? '');
    script.finish();
    return exitCodes.ok;
  },
};

async function atUrl(recording: ReturnType<typeof readRecording>, port: number): Promise<undefined> {
  const { serveRecording } = await import('./http.ts');
  const server = serveRecording(recording);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(new CommandError(exitCodes.usage, `Port ${port} cannot be had: ${cause.message}`, { cause })));
    server.listen(port, '127.0.0.1', resolve);
  });
  const { entries } = recording;
  // In HTTP+SSE a client begins where the stream is.
  const stream = entries.find(({ event }) => event?.type === 'endpoint')?.exchange;
  const isStart = ({ from, head, exchange }: Entry): boolean =>
    from === 'client' && (stream === undefined ? head?.method === 'POST' : head !== undefined && exchange === stream);
  const path = entries.find(isStart)?.head?.path ?? '/mcp';
  process.stderr.write(`The recording is served at http://127.0.0.1:${(server.address() as AddressInfo).port}${printable(path)}\n`);
  return undefined;
}
