// Programs of the system, by name: never one that a project brings along.
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, relative, sep } from 'node:path';

/** npx and npm run put `node_modules/.bin` of the project first, where a repository could keep a program named bwrap. */
export function systemProgram(name: string, project: string, path: string = process.env['PATH'] ?? ''): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !folder.split(sep).includes('node_modules') && !isWithin(folder, project))
    .map((folder) => join(folder, name))
    .find(isProgram);
}

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function isWithin(folder: string, project: string): boolean {
  const way = relative(project, folder);
  return project !== sep && way.split(sep)[0] !== '..' && !isAbsolute(way);
}
