// Servers that others have published: a package of npm by its name, and what a server.json of the MCP registry describes.
import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { CommandError, exitCodes } from '../args/command.ts';
import { readText } from '../args/read-file.ts';
import type { ServerEntry } from './client-config.ts';

type Json = Readonly<Record<string, unknown>>;

/** `@scope/name`, with a version or without; other packages need `npm:`, because a bare word is the name of a server. */
export function npmPackage(word: string): string | undefined {
  const [, named] = /^npm:((?:@[\w.-]+\/)?[a-z\d][\w.-]*(?:@[\w.^~-]+)?)$/i.exec(word) ?? [];
  return named ?? (/^@[a-z\d][\w.-]*\/[\w.-]+(?:@[\w.^~-]+)?$/i.test(word) ? word : undefined);
}

export function isManifest(word: string, cwd: string): boolean {
  return /(?:^|[.-])server\.json$/.test(basename(word)) && statSync(resolve(cwd, word), { throwIfNoEntry: false })?.isFile() === true;
}

/** How to start, or to reach, what the file describes; the name is the last part of its own. */
export function readManifest(
  file: string,
  given: Readonly<Record<string, string>>,
): { readonly name: string; readonly entry: ServerEntry } {
  const refuse = (why: string, hint?: string): CommandError =>
    new CommandError(exitCodes.usage, `${file} ${why}`, hint === undefined ? {} : { hint });
  let manifest: Json;
  try {
    manifest = asObject(JSON.parse(readText(file, { mostMiB: 4 }))) ?? {};
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    throw refuse(`is not JSON: ${(cause as Error).message}`);
  }
  const name =
    String(manifest['name'] ?? '')
      .split('/')
      .at(-1) ?? '';
  const [remote] = objects(manifest['remotes']);
  const known = objects(manifest['packages']).filter(({ registryType }) => Object.hasOwn(runners, String(registryType)));
  const [found] = known;
  if (found !== undefined) {
    const transport = asObject(found['transport'])?.['type'] ?? 'stdio';
    if (transport === 'stdio' || remote === undefined) return { name, entry: started(found, given, refuse) };
  }
  if (remote === undefined) throw refuse('describes no package of npm, PyPI or a container registry, and no remote server');
  return { name, entry: reached(remote, given, refuse) };
}

type Refuse = (why: string, hint?: string) => CommandError;

/** What starts a package, by its registry. */
const runners: Readonly<Record<string, (id: string, version: string | undefined) => readonly string[]>> = {
  npm: (id, version) => ['npx', '-y', version === undefined ? id : `${id}@${version}`],
  pypi: (id, version) => ['uvx', version === undefined ? id : `${id}@${version}`],
  oci: (id, version) => ['docker', 'run', '-i', '--rm', version === undefined || id.includes(':') ? id : `${id}:${version}`],
};

function started(found: Json, given: Readonly<Record<string, string>>, refuse: Refuse): ServerEntry {
  const { identifier, version, registryType } = found;
  if (typeof identifier !== 'string' || !/^[\w@][\w@./:-]*$/.test(identifier)) throw refuse('has a package without a proper identifier');
  const run = runners[String(registryType)]?.(identifier, typeof version === 'string' && /^[\w.+-]+$/.test(version) ? version : undefined);
  const [command = '', ...words] = run ?? [];
  const env: Record<string, string> = {};
  for (const { name, value, default: usual, isRequired } of objects(found['environmentVariables'])) {
    if (typeof name !== 'string') continue;
    const known = given[name] ?? process.env[name] ?? text(value) ?? text(usual);
    if (known !== undefined) env[name] = known;
    else if (isRequired === true) throw refuse(`wants the variable ${name}, which is not set`, `--env ${name}=…`);
  }
  const last = registryType === 'oci' ? words.length - 1 : words.length;
  const passed = registryType === 'oci' ? Object.keys(env).flatMap((name) => ['-e', name]) : [];
  const args = [
    ...words.slice(0, last),
    ...passed,
    ...argumentsIn(found['runtimeArguments'], refuse),
    ...words.slice(last),
    ...argumentsIn(found['packageArguments'], refuse),
  ];
  return { command, args, env };
}

function argumentsIn(list: unknown, refuse: Refuse): string[] {
  return objects(list).flatMap(({ type, name, value, default: usual, isRequired, valueHint }) => {
    const known = text(value) ?? text(usual);
    if (known === undefined && isRequired === true)
      throw refuse(`wants the argument ${String(name ?? valueHint)}`, 'Write the command behind --');
    if (known === undefined) return [];
    return type === 'named' && typeof name === 'string' ? [name, known] : [known];
  });
}

function reached({ url, type, headers }: Json, given: Readonly<Record<string, string>>, refuse: Refuse): ServerEntry {
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url) || /[{}]/.test(url)) throw refuse('has a remote server without a plain URL');
  const values: Record<string, string> = {};
  for (const { name, value, isRequired } of objects(headers)) {
    if (typeof name !== 'string') continue;
    const known = given[name] ?? text(value);
    if (known !== undefined && !/\{\w+\}/.test(known)) values[name] = known;
    else if (isRequired === true) throw refuse(`wants the header ${name}`, `Name the URL itself: ${url} --header "${name}: …"`);
  }
  return { url, headers: values, sse: type === 'sse' };
}

function objects(list: unknown): readonly Json[] {
  const all: readonly unknown[] = Array.isArray(list) ? list.slice(0, 1_000) : [];
  return all.map(asObject).filter((one) => one !== undefined);
}

function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
