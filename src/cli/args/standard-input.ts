// Everything that comes on standard input, up to a limit.
import { Bytes } from '../../jsonrpc/event-stream.ts';
import { CommandError, exitCodes } from './command.ts';

const maxBytes = 64 * 1024 * 1024;

export async function standardInput(): Promise<string> {
  const all = new Bytes();
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    all.add(chunk);
    if (all.length > maxBytes) throw new CommandError(exitCodes.usage, 'Standard input is larger than 64 MiB');
  }
  return all.take(new TextDecoder());
}
