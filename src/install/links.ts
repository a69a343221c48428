// Where a path leads, and whose the links and folders on the way are.
import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { dirname, join, parse, resolve, sep } from 'node:path';
import { isTrustedOwner } from '../node/own-folder.ts';
import { Refusal } from './edit/refusal.ts';

const mostLinks = 40;

/** Also of what is not there yet. A link of another user, in any folder on the way, may lead anywhere. */
export function followed(path: string): string {
  let at = resolve(path);
  for (let links = 0; links <= mostLinks; links++) {
    const next = firstLink(at);
    if (next === undefined) return mustBeOurs(at);
    at = next;
  }
  throw new Refusal('unreadable', `${path} is a symbolic link that leads to itself`, { hint: 'Remove it' });
}

/** Where the path leads once its first link is followed; undefined where it has none. */
function firstLink(path: string): string | undefined {
  const { root } = parse(path);
  const parts = path.slice(root.length).split(sep);
  let at = root;
  for (const [index, part] of parts.entries()) {
    const here = join(at, part);
    const found = lstatSync(here, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    if (found.isSymbolicLink()) {
      if (!isTrustedOwner(found)) throw foreign(here, found);
      return resolve(at, readlinkSync(here), ...parts.slice(index + 1));
    }
    at = here;
  }
  return undefined;
}

/** Whoever owns its folder can put another file in its place. The folder of the project may be shared. */
function mustBeOurs(target: string): string {
  const folder = dirname(target);
  for (const path of folder === process.cwd() ? [target] : [folder, target]) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found !== undefined && !isTrustedOwner(found)) throw foreign(path, found);
  }
  return target;
}

export function foreign(what: string, { uid }: Stats): Refusal {
  return new Refusal('foreign', `${what} belongs to another user (uid ${uid}; you are uid ${process.geteuid?.()})`, {
    hint: 'Run this as its owner',
  });
}
