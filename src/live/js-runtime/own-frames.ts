// An error that is shown as a value brings its stack: the frames of the image itself are left out of it.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exec, indexOf, slice } from './primordials.ts';

const url = import.meta.url;
const path = fileURLToPath(url);
const isOwn = (text: string): boolean => indexOf(text, path) >= 0 || indexOf(text, url) >= 0;
/** The build puts everything that runs in an image into one folder. */
const folders = [`${dirname(path)}/`, `${dirname(url)}/`] as const;

export function isOwnFile(file: string): boolean {
  return indexOf(file, folders[0]) === 0 || indexOf(file, folders[1]) === 0;
}

export function withoutOwnFrames(text: string): string {
  if (!isOwn(text)) return text;
  let kept = '';
  let below = false;
  for (let from = 0; from <= text.length; ) {
    const next = indexOf(text, '\n', from);
    const end = next < 0 ? text.length : next;
    const line = slice(text, from, end);
    const frame = exec(/^\s+at /, line) !== null;
    const ours = frame && (isOwn(line) || callsCells(line));
    // What calls the image belongs to it.
    below = ours || (below && frame && exec(/[ (]node:/, line) !== null);
    if (!below) kept += `${from === 0 ? '' : '\n'}${line}`;
    // What follows a stack on its last line, as in `at f (a.js:1:1) {`.
    else kept += exec(/(?: \[[^\]]*\])? [[{]$/, line)?.[0] ?? '';
    from = end + 1;
  }
  return kept;
}

function callsCells(line: string): boolean {
  return indexOf(line, 'Session.post (node:inspector:') >= 0 || indexOf(line, 'Script.runInThisContext (node:vm:') >= 0;
}
