// vivarium live --http: live images at a URL, and never without a token: whoever may call may run code as this user.
import { join } from 'node:path';
import { bearer } from '../auth/index.ts';
import type { LiveOptions } from '../live/index.ts';
import type { OpenDoor } from '../live/local.ts';
import { type KeptToken, keptToken } from '../live/token.ts';
import { stateFolder as usualFolder } from '../node/user-folders.ts';
import { coreOf } from '../server/core.ts';
import { CommandError, exitCodes } from './command.ts';
import { httpLines, ownCommand } from './live-lines.ts';
import { begin } from './live-options.ts';
import { welcome } from './local-pipe.ts';
import { listen } from './serve-http.ts';
import { printable } from './terminal.ts';

type Values = Readonly<Record<string, string | boolean | undefined>>;

/** Whom a fixed token belongs to. Whoever comes by the local socket is the same person. */
const owner = { id: 'token-1', scopes: [] };

export async function liveOverHttp(options: LiveOptions, values: Values): Promise<void> {
  const kept = values['auth-token-env'] === undefined && values['auth-issuer'] === undefined ? await token(options) : undefined;
  const { server, local, folder, close } = begin({ ...options, single: false });
  const { name } = coreOf(server).info;
  let door: OpenDoor | undefined;
  const { url } = await listen(server, values, {
    ...(kept !== undefined && { auth: bearer([kept.token]) }),
    onShutdown: () => Promise.all([door?.close(), close()]),
  });
  door = await welcome(local, folder, owner);
  process.stderr.write(`${printable(name)} is served at ${url}, for the project in ${printable(folder)}\n`);
  if (values['quiet'] === true) return;
  const { 'public-url': known, 'auth-token-env': variable } = values as Record<string, string | undefined>;
  const sum = options.engines?.[0]?.language === 'lisp' ? "'(+ 1 1)'" : "'1 + 1'";
  const told = [
    ...(kept === undefined ? [] : [`Whoever has the token runs code as you; it is kept in ${printable(kept.file)}`]),
    '',
    'Add it to a client:',
    ...httpLines({ name, url: known ?? url, token: kept?.token, variable }),
    ...(door === undefined ? [] : ['', 'Try it in another terminal, in this folder:', `  ${ownCommand()} eval ${sum}`]),
    '',
  ];
  process.stderr.write(told.join('\n'));
}

async function token({ stateFolder }: LiveOptions): Promise<KeptToken> {
  try {
    return await keptToken(stateFolder ?? join(usualFolder(), 'live'));
  } catch (cause) {
    throw new CommandError(exitCodes.usage, `There is no place for the token: ${(cause as Error).message}`, {
      hint: 'Give one: --auth-token-env NAME, or another folder: --state',
      cause,
    });
  }
}
