// vivarium live --http: live images at a URL, and never without a token: whoever may call may run code as this user.

import { randomUUID } from 'node:crypto';
import type { OpenDoor } from '../../../live/access/local-socket.ts';
import type { LiveOptions } from '../../../live/index.ts';
import { languageNamed } from '../../../live/languages/languages.ts';
import { coreOf } from '../../../server/core.ts';
import { printable } from '../../terminal/terminal.ts';
import { listen } from '../serve/http.ts';
import { httpLines, ownCommand } from './client-lines.ts';
import { welcome } from './local-pipe.ts';
import { begin } from './options.ts';
import { byKeptToken, tokenIn } from './token.ts';

type Values = Readonly<Record<string, string | boolean | undefined>>;

/** Whom a fixed token belongs to. Whoever comes by the local socket is the same person. */
const tokenOwner = 'token-1';

export async function liveOverHttp(options: LiveOptions, values: Values): Promise<void> {
  const kept =
    values['auth-token-env'] === undefined && values['auth-issuer'] === undefined ? await tokenIn(options.stateFolder) : undefined;
  // Whoever has the token is one person: their agent and `vivarium eval` are in the same program.
  const perOwner = values['auth-issuer'] === undefined;
  const { server, local, folder, close } = begin({ ...options, single: false, perOwner });
  const { name } = coreOf(server).info;
  let door: OpenDoor | undefined;
  const guard = kept === undefined ? undefined : byKeptToken(kept, () => served.disconnect());
  const served = await listen(server, values, {
    ...(guard !== undefined && { auth: guard.auth }),
    onShutdown: () => {
      guard?.stop();
      return Promise.all([door?.close(), close()]);
    },
  });
  const { url } = served;
  // An issuer may name a subject as it likes, but none that it cannot guess.
  door = await welcome(local, folder, perOwner ? tokenOwner : `local-${randomUUID()}`);
  process.stderr.write(`${printable(name)} is served at ${url}, for the project in ${printable(folder)}\n`);
  if (values['quiet'] === true) return;
  const { 'public-url': known, 'auth-token-env': variable } = values as Record<string, string | undefined>;
  const sum = `'${languageNamed(options.engines?.[0]?.language ?? '')?.sum ?? '1 + 1'}'`;
  const told = [
    ...(kept === undefined ? [] : [`Whoever has the token runs code ${asWhom(options)}. It is in ${printable(kept.file)}`]),
    ...(values['audit'] === undefined ? [] : [`Everything evaluated is recorded in ${printable(values['audit'] as string)}`]),
    '',
    'Add it to a client:',
    ...httpLines({ name, url: known ?? url, file: kept?.file, token: values['show-token'] === true ? kept?.token : undefined, variable }),
    ...(door === undefined
      ? []
      : ['', `Try it in another terminal, in this folder, in ${whose(perOwner)}:`, `  ${ownCommand()} eval ${sum}`]),
    '',
  ];
  process.stderr.write(told.join('\n'));
}

function whose(perOwner: boolean): string {
  return perOwner ? "the agent's own session, main (--session joins another)" : 'a session of your own';
}

function asWhom({ sandbox }: LiveOptions): string {
  if (sandbox === undefined || sandbox === false) return 'as you';
  return `in a sandbox, where it can ${sandbox !== true && sandbox.write === true ? 'change' : 'read'} the project`;
}
