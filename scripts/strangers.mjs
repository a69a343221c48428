// Installs other people's clients and gateways for the peers tests: once for each lock, into the user's cache.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv, env, exit } from 'node:process';
import { fileURLToPath } from 'node:url';
import { inCache, install, node24, outcome } from './prepare.mjs';

// Without a network each attempt takes a minute.
const attempts = env.CI ? 3 : 1;
const source = (name) => readFileSync(new URL(`../test/peers/strangers/${name}`, import.meta.url), 'utf8');

/** The folder that holds them, or undefined where they have not been installed. */
export function strangers() {
  const folder = target();
  return existsSync(join(folder, 'load.mjs')) ? folder : undefined;
}

/** Whether their tests are to be reported as not run: never with CI set. Most of them need a Node newer than the oldest of ours. */
export function strangersNotRun() {
  return !env.CI && (strangers() === undefined || node24() === undefined);
}

/** Installs them where they are missing; returns false where that is a failure. */
export function prepareStrangers() {
  if (strangers() !== undefined) return true;
  const files = {
    'package.json': source('package.json'),
    'package-lock.json': source('package-lock.json'),
    // Names of packages are resolved from the file that imports them.
    'load.mjs': 'export const load = (name) => import(name);\n',
  };
  let problem;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    problem = install(target(), files, () => strangers() !== undefined);
    if (problem === undefined) return true;
    console.error(`The clients and gateways of test/peers/strangers could not be installed, attempt ${attempt} of ${attempts}: ${problem}`);
  }
  console.error(outcome());
  return !env.CI;
}

function target() {
  return inCache(`strangers-${createHash('sha256').update(source('package-lock.json')).digest('hex').slice(0, 16)}`);
}

if (argv[1] === fileURLToPath(import.meta.url) && !prepareStrangers()) exit(1);
