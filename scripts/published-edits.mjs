// Fetches two versions each of other people's packages, which are the real edits that prove reload: once for each lock, into the user's cache.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv, env, exit } from 'node:process';
import { fileURLToPath } from 'node:url';
import { inCache, install, outcome } from './prepare.mjs';

const source = (name) => readFileSync(new URL(`../test/live/languages/javascript/reload/published/${name}`, import.meta.url), 'utf8');

/** The folder whose node_modules holds them, or undefined where they have not been fetched. */
export function publishedEdits() {
  const folder = target();
  return existsSync(join(folder, 'node_modules')) ? folder : undefined;
}

/** Whether their tests are to be reported as not run: never with CI set. */
export function publishedNotRun() {
  return !env.CI && publishedEdits() === undefined;
}

/** The names of the packages, each there as `<name>-before` and `<name>-after`. */
export function publishedNames() {
  const { dependencies } = JSON.parse(source('package.json'));
  return Object.keys(dependencies).flatMap((alias) => (alias.endsWith('-after') ? [alias.slice(0, -'-after'.length)] : []));
}

/** What the versions are: `1.2.3`, before and after. */
export function publishedVersions(name) {
  const { dependencies } = JSON.parse(source('package.json'));
  return ['before', 'after'].map((side) => dependencies[`${name}-${side}`].split('@').at(-1));
}

/** Fetches them where they are missing; returns false where that is a failure. */
export function preparePublished() {
  if (publishedEdits() !== undefined) return true;
  const files = { 'package.json': source('package.json'), 'package-lock.json': source('package-lock.json') };
  const problem = install(target(), files, () => publishedEdits() !== undefined);
  if (problem === undefined) return true;
  console.error(`The packages of test/live/languages/javascript/reload/published could not be fetched: ${problem}. ${outcome()}`);
  return !env.CI;
}

function target() {
  return inCache(`edits-${createHash('sha256').update(source('package-lock.json')).digest('hex').slice(0, 16)}`);
}

if (argv[1] === fileURLToPath(import.meta.url) && !preparePublished()) exit(1);
