// Compiles generated TypeScript with the project's own compiler and flags, and says which lines it refuses.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Where generated files find the wire types. */
export const wireTypes = '../../src/protocol/types.ts';
export const constructors = '../../src/protocol/constructors.ts';

/** Maps each file name to its text; answers `file: offending line -> message` for each error. */
export async function compile(files: ReadonlyMap<string, string>): Promise<string[]> {
  await mkdir(join(root, '.cache'), { recursive: true });
  const folder = await mkdtemp(join(root, '.cache', 'protocol-types-'));
  try {
    const compilerOptions = { noEmit: true, allowImportingTsExtensions: true, pretty: false };
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: '../../tsconfig.base.json', compilerOptions, files: [...files.keys()] }),
    );
    for (const [name, text] of files) await writeFile(join(folder, name), text);
    return errorsIn(await run(folder), files);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function run(folder: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      join(root, 'node_modules/.bin/tsc'),
      ['--noEmit', '-p', '.'],
      { cwd: folder, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (error !== null && stdout === '') reject(new Error(`tsc did not run: ${error.message}${stderr}`));
        else resolve(stdout);
      },
    );
  });
}

function errorsIn(output: string, files: ReadonlyMap<string, string>): string[] {
  const errors: string[] = [];
  for (const line of output.split('\n')) {
    if (line === '' || line.startsWith(' ')) continue;
    const [, file = '', row = '0', message = ''] = /^([^(]+)\((\d+),\d+\): error (.*)$/.exec(line) ?? [];
    const source = files.get(file)?.split('\n')[Number(row) - 1];
    errors.push(source === undefined ? line : `${file}: ${source.trim()} -> ${message}`);
  }
  return errors;
}
