// The tests of a Lisp project: asdf:test-system in a fresh SBCL, with what fiveam and sb-rt found counted.

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { inOneLine } from '../../../text/one-line.ts';
import { reportFile, type TestReport, type TestRunner } from '../../image/test-runner.ts';
import { bridgeFile } from './bridge-files.ts';
import { coreFile } from './core.ts';

const maxFiles = 500;

/** Where the folder has a system; whether it has tests is known once they are run. */
export function lispTests(cwd: string, sbcl: string, cacheFolder?: string): TestRunner | undefined {
  if (!namesIn(cwd).some((name) => name.endsWith('.asd'))) return undefined;
  const core = coreFile(sbcl, cacheFolder);
  const runtime = ['--noinform', '--disable-ldb'];
  const begin = core === undefined ? [] : ['--core', core];
  const slowly = ['--no-sysinit', '--no-userinit', '--disable-debugger', '--load', bridgeFile('start.lisp'), '--end-toplevel-options'];
  return {
    title: 'asdf:test-system',
    command: () => sbcl,
    ...(core !== undefined && { reads: [core] }),
    args: ({ files, name = '' }, folder) => [
      ...begin,
      ...runtime,
      '--end-runtime-options',
      ...(core === undefined ? slowly : []),
      '--tests',
      join(folder, reportFile),
      cwd,
      name,
      ...files,
    ],
    read: (report) => placed(JSON.parse(report) as TestReport, cwd),
  };
}

/** Frameworks do not say where a test stands; its definition does. */
function placed({ failures, ...counts }: TestReport, cwd: string): TestReport {
  const sources = failures.length === 0 ? [] : sourcesIn(cwd);
  const placeOf = (name: string): string => {
    const bare = name.replace(/^.*:/, '').replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const definition = new RegExp(`^[ \\t]*\\([\\w:-]*(?:test|deftest)\\s+\\(?[\\w:]*${bare}(?=[\\s()])`, 'im');
    for (const { file, text } of sources) {
      const found = definition.exec(text);
      if (found !== null) return `${relative(cwd, file)}:${text.slice(0, found.index + found[0].search(/\S/)).split('\n').length}`;
    }
    return cwd;
  };
  return {
    ...counts,
    failures: failures.map(({ name, message }) => ({ name, message: inOneLine(message), place: placeOf(name) })),
  };
}

function sourcesIn(cwd: string): { readonly file: string; readonly text: string }[] {
  const files = namesIn(cwd, true).filter((name) => /\.(?:lisp|lsp|cl)$/i.test(name) && !/(?:^|[\\/])(?:node_modules|\.)/.test(name));
  return files.slice(0, maxFiles).map((name) => ({ file: join(cwd, name), text: readFileSync(join(cwd, name), 'utf8') }));
}

function namesIn(folder: string, recursive = false): string[] {
  try {
    return readdirSync(folder, { recursive }).map(String);
  } catch {
    return [];
  }
}
