// What a reload says of files.
import { existsSync } from 'node:fs';
import type { ChangedFiles } from './reimport.ts';

export const fresh = 'sessions(action: reset) gives a fresh image';

/** Of those that are no program, or could not be read. */
export function filesTold({ data, settings, mended }: ChangedFiles, short: (file: string) => string): string[] {
  return [
    ...mended.map((file) => `${short(file)} could not be read when it was imported, and has changed since: import it again`),
    ...data.map((file) =>
      existsSync(file)
        ? `changed ${short(file)}, which is no program: reload(files: [${JSON.stringify(short(file))}]) reads it anew`
        : `gone ${short(file)}: what was read from it stays; a fresh start fails where it is imported`,
    ),
    ...settings.map((file) => `changed ${short(file)}: what it says of loaded files does not hold for them yet; ${fresh}`),
  ];
}

export function swappedLine(file: string, names: readonly string[], notes: readonly string[]): string {
  const remarks = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
  if (names.length > 0) return `swapped ${file}: ${[...new Set(names)].join(', ')}${remarks}`;
  return `unchanged ${file}${remarks === '' ? ': only comments and layout' : remarks}`;
}

export function computedLine(file: string, names: readonly string[]): string {
  return `${file}: ${names.join(', ')} ${names.length === 1 ? 'keeps its value' : 'keep their values'}, computed when the file was loaded`;
}
