// What a reload says of files.
import { existsSync } from 'node:fs';
import { source } from '../loader/resolve.ts';
import type { Followers } from './followers.ts';
import type { ChangedFiles, Renewed } from './reimport.ts';

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

/** What keeps what was exported before, and what a fresh start would not find. */
export function notFollowed({ held, broken }: Pick<Followers, 'held' | 'broken'>, short: (url: string) => string): string[] {
  const lines: string[] = [];
  for (const [url, { gained, lost }] of held) {
    const what = [gained.length > 0 ? `lack ${gained.join(', ')}` : '', lost.length > 0 ? `still have ${lost.join(', ')}` : ''];
    const said = what.filter((one) => one !== '').join(' and ');
    if (said !== '') lines.push(`namespace objects of ${short(url)} that were taken before ${said}`);
  }
  for (const { script, name, line, of } of broken) {
    const place = `${short(script.url)}${line > 0 ? `:${line}` : ''}`;
    lines.push(`${place} imports ${name}, which ${short(of)} does not export any more: a fresh start fails there`);
  }
  return lines;
}

/** `reasons` by file. */
export function renewedLines(renewed: Renewed, reasons: ReadonlyMap<string, string>, short: (file: string) => string): string[] {
  const files = [...reasons.keys()];
  const changed = files.map((file) => short(file)).join(', ');
  const importers = renewed.stale.filter((file) => !files.includes(file)).map((file) => short(file));
  const bound = renewed.bound.length === 0 ? '' : `; ${renewed.bound.join(', ')} in cells ${renewed.bound.length === 1 ? 'is' : 'are'} new`;
  const with_ = importers.length === 0 ? '' : ` with ${importers.join(', ')}`;
  // JSON has none of its own.
  const whose = files.some((file) => source.test(file)) ? 'its variables' : 'the variables of those that import it';
  const lines = [`imported anew ${changed}${with_}: ${[...new Set(reasons.values())].join('; ')}, so ${whose} begin again${bound}`];
  if (renewed.bound.length === 0) lines[0] = `changed ${changed}: what imports it from now on gets the new code; nothing in cells did`;
  const who = importers.length === 0 ? 'What was made before' : `What runs already of ${importers.join(', ')}`;
  lines.push(`${who} still uses the old ${changed}: ${fresh}`);
  return lines;
}
