// Whom the words after `check` mean: URLs first, then one command.
import type { Target } from '../check/target.ts';
import { CommandError, exitCodes } from './command.ts';

export function checkTargets(words: readonly string[]): readonly Target[] {
  const isUrl = (word: string | undefined) => word !== undefined && /^https?:\/\//i.test(word);
  const targets: Target[] = [];
  let next = 0;
  for (; isUrl(words[next]); next += 1) {
    const url = words[next] as string;
    if (!URL.canParse(url)) throw new CommandError(exitCodes.usage, `${url} is no URL`);
    targets.push({ kind: 'url', url });
  }
  const [command, ...args] = words.slice(next);
  if (command !== undefined) targets.push({ kind: 'command', command, args });
  if (targets.length === 0)
    throw new CommandError(exitCodes.usage, 'check takes a URL or a command', { hint: 'vivarium check -- node server.js' });
  return targets;
}
