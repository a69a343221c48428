// Everything that comes on standard input, up to a limit.
import { CommandError, exitCodes } from './command.ts';

const maxBytes = 64 * 1024 * 1024;

export async function standardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) throw new CommandError(exitCodes.usage, 'Standard input is larger than 64 MiB');
  }
  return Buffer.concat(chunks).toString('utf8');
}
