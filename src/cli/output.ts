// Where the result of a command goes.
import { writeFileSync } from 'node:fs';

export function write(text: string | Uint8Array, file: string | undefined): void {
  if (file === undefined) process.stdout.write(text);
  else writeFileSync(file, text);
}
