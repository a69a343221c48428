// What a project's tsconfig.json says about its files: paths, conditions, and how JSX and decorators are written.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as Reader from 'get-tsconfig';
import type { TsConfigJsonResolved, TsConfigResult } from 'get-tsconfig';
import { noteSettings } from './settings.ts';

export interface Project {
  readonly options: NonNullable<TsConfigJsonResolved['compilerOptions']>;
  /** Where a specifier may be found, without extension. */
  readonly paths: (specifier: string) => readonly string[];
}

const none: Project = { options: {}, paths: () => [] };
const known = new Map<string, Project>();

/** The nearest one above the file, as editors take it. */
export function projectOf(file: string): Project {
  const folder = dirname(file);
  let project = known.get(folder);
  if (project === undefined) {
    project = read(folder);
    known.set(folder, project);
  }
  return project;
}

function read(folder: string): Project {
  try {
    const { createPathsMatcher, getTsconfig } = reader();
    const found = getTsconfig(folder) ?? getTsconfig(folder, 'jsconfig.json');
    if (found === null || found === undefined) return none;
    const own = [found, ...referenced(found)].find(({ config }) => config.compilerOptions?.paths !== undefined) ?? found;
    noteSettings(own.path, () => JSON.stringify(reader().parseTsconfig(own.path).compilerOptions ?? {}));
    const matcher = createPathsMatcher(own);
    return { options: own.config.compilerOptions ?? {}, paths: matcher ?? (() => []) };
  } catch {
    // Broken settings are the editor's to tell of; the files may well run without them.
    return none;
  }
}

/** Some have only a list of others, as new projects of Vite do. */
function referenced({ path, config }: TsConfigResult): TsConfigResult[] {
  return (config.references ?? []).flatMap((one) => {
    const file = join(dirname(path), one.path);
    try {
      const { parseTsconfig } = reader();
      const to = /\.json$/.test(file) ? file : join(file, 'tsconfig.json');
      return [{ path: to, config: parseTsconfig(to) }];
    } catch {
      return [];
    }
  });
}

/** Loaded when the first file needs it. */
function reader(): typeof Reader {
  return createRequire(import.meta.url)('get-tsconfig') as typeof Reader;
}
