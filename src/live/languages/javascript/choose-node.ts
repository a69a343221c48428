// The Node that runs a project: the one it asks for, where a version manager has it and it is new enough for us.
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type Versions from 'semver';
import { readPlainFile } from '../../../node/plain-file.ts';

export interface ChosenNode {
  readonly command: string;
  /** Where it is not what the project asks for. */
  readonly note?: string;
}

interface Wish {
  /** As npm writes ranges. */
  readonly range: string;
  readonly from: string;
}

const oldest = '>=20.19.0';
/** Of a file that says which one. */
const maxBytes = 1_048_576;
/** Of what it says: no version is longer, and a longer one only takes long to understand. */
const maxRange = 200;
/** Names of lines, as in `lts/jod`. */
const lines: ReadonlyMap<string, string> = new Map([
  ['hydrogen', '18'],
  ['iron', '20'],
  ['jod', '22'],
  ['krypton', '24'],
]);

/** What is there is looked for each time: a folder may have got another version since. */
export async function chooseNode(cwd: string, home: string = homedir()): Promise<ChosenNode> {
  const wish = wishOf(cwd);
  if (wish === undefined || fits(process.versions.node, wish.range)) return { command: process.execPath };
  if (wish.range.length > maxRange) return { command: process.execPath, note: noteOf(wish, 'which is no version') };
  const { default: semver } = await import('semver');
  const lenient = { includePrerelease: true };
  if (semver.satisfies(process.version, wish.range, lenient)) return { command: process.execPath };
  const fitting = installed(semver, home).filter(
    ({ version }) => semver.satisfies(version, wish.range, lenient) && semver.satisfies(version, oldest, lenient),
  );
  const [best] = fitting.sort((a, b) => semver.rcompare(a.version, b.version));
  if (best !== undefined) return { command: best.command };
  const why =
    semver.validRange(wish.range) === null ? 'which is no version' : tooOld(semver, wish) ? 'which is too old here' : 'which was not found';
  return { command: process.execPath, note: noteOf(wish, why) };
}

/** It is the project's word, and no line of ours. */
function noteOf({ range, from }: Wish, why: string): string {
  const said = range
    .replace(/\s+/g, ' ')
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, 60);
  return `The project asks for Node ${said} (${from}), ${why}: ${process.version} runs it. --node names another.`;
}

/** As most projects write it, such as >=20.19, ^22.1.0 or 20: told without the library, which takes longer to load than all the rest. */
export function fits(version: string, range: string): boolean {
  const wish = /^(>=|\^|~|)\s?v?(\d{1,5})(?:\.(\d{1,5}))?(?:\.(\d{1,5}))?$/.exec(range.trim());
  if (wish === null || !/^\d+\.\d+\.\d+$/.test(version)) return false;
  const [, sign, ...parts] = wish;
  const given = parts.filter((part) => part !== undefined).map(Number);
  const own = version.split('.').map(Number);
  // Later than it in the first part where they differ; and the same in those that may not.
  const at = given.findIndex((part, index) => own[index] !== part);
  if (at === -1) return true;
  const fixed = sign === '>=' ? 0 : sign === '^' ? 1 : sign === '~' ? Math.min(2, given.length) : given.length;
  return at >= fixed && own[at]! > given[at]!;
}

function tooOld(semver: typeof Versions, { range }: Wish): boolean {
  return !semver.intersects(range, oldest, { includePrerelease: true });
}

/** The nearest file that says anything, up to the root of the repository. */
function wishOf(cwd: string): Wish | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    for (const name of ['.nvmrc', '.node-version']) {
      const range = asRange(readPlainFile(join(folder, name), maxBytes) ?? '');
      if (range !== undefined) return { range, from: name };
    }
    const manifest = manifestIn(folder);
    const pinned = manifest.volta?.node;
    if (typeof pinned === 'string') return { range: pinned, from: 'volta in package.json' };
    const engine = manifest.engines?.node;
    if (typeof engine === 'string') return { range: engine, from: 'engines in package.json' };
    if (dirname(folder) === folder || existsSync(join(folder, '.git'))) return undefined;
  }
}

/** Undefined for what any version is. */
function asRange(text: string): string | undefined {
  const said = (text.split('\n').find((line) => line.replace(/#.*/, '').trim() !== '') ?? '').replace(/#.*/, '').trim();
  const line = /^lts\/(\w+)$/.exec(said)?.[1];
  if (line !== undefined) return lines.get(line.toLowerCase()) ?? said;
  return said === '' || /^(?:node|stable|current|latest|system|lts\/\*)$/i.test(said) ? undefined : said;
}

interface Manifest {
  readonly engines?: { readonly node?: unknown };
  readonly volta?: { readonly node?: unknown };
}

function manifestIn(folder: string): Manifest {
  try {
    return (JSON.parse(readPlainFile(join(folder, 'package.json'), maxBytes) ?? '') as Manifest | null) ?? {};
  } catch {
    return {};
  }
}

function installed(semver: typeof Versions, home: string): { readonly version: string; readonly command: string }[] {
  const { NVM_DIR, FNM_DIR, VOLTA_HOME, ASDF_DATA_DIR, MISE_DATA_DIR, N_PREFIX } = process.env;
  const places: readonly (readonly [string, string])[] = [
    [join(NVM_DIR || join(home, '.nvm'), 'versions/node'), 'bin/node'],
    [join(FNM_DIR || join(home, '.local/share/fnm'), 'node-versions'), 'installation/bin/node'],
    [join(VOLTA_HOME || join(home, '.volta'), 'tools/image/node'), 'bin/node'],
    [join(ASDF_DATA_DIR || join(home, '.asdf'), 'installs/nodejs'), 'bin/node'],
    [join(MISE_DATA_DIR || join(home, '.local/share/mise'), 'installs/node'), 'bin/node'],
    [join(N_PREFIX || '/usr/local', 'n/versions/node'), 'bin/node'],
  ];
  return places.flatMap(([folder, program]) =>
    entries(folder).flatMap((name) => {
      const version = semver.valid(name);
      const command = join(folder, name, program);
      return version !== null && existsSync(command) ? [{ version, command }] : [];
    }),
  );
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Not everyone has every version manager.
    return [];
  }
}
