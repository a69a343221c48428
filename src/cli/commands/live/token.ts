// The token of `vivarium live --http`: where it is kept, who is let in by it, and `--rotate-token`.
import { join } from 'node:path';
import { bearer } from '../../../auth/index.ts';
import { type KeptToken, keptToken } from '../../../live/access/token.ts';
import { rotateToken, watchToken } from '../../../live/access/token-rotation.ts';
import { stateFolder as usualFolder } from '../../../node/user-folders.ts';
import type { Authorizer } from '../../../protocol/authorization.ts';
import { CommandError, exitCodes } from '../../args/command.ts';
import { printable } from '../../terminal/terminal.ts';

export function tokenIn(stateFolder: string | undefined): Promise<KeptToken> {
  return inPlace(stateFolder, keptToken);
}

/** `vivarium live --rotate-token`: no server is started. */
export async function rotate(stateFolder: string | undefined): Promise<void> {
  const { file } = await inPlace(stateFolder, rotateToken);
  process.stderr.write(
    [
      `A new token is in ${printable(file)}.`,
      'Running servers refuse the old one within seconds, and close the connections that were made with it.',
      'Clients that read the file need to connect again. Others need the new token: see `vivarium live --http`.',
      '',
    ].join('\n'),
  );
}

/** Lets in whoever has the token that is in the file now; `renewed` is told when it is another one. */
export function byKeptToken(kept: KeptToken, renewed: () => void): { readonly auth: Authorizer; stop(): void } {
  let current = bearer([kept.token]);
  const stop = watchToken(kept, (token) => {
    current = bearer([token]);
    renewed();
  });
  const auth: Authorizer = {
    admit: (head, resource) => current.admit(head, resource),
    stepUp: (scopes, principal, resource) => current.stepUp(scopes, principal, resource),
  };
  return { auth, stop };
}

async function inPlace(stateFolder: string | undefined, act: (folder: string) => Promise<KeptToken>): Promise<KeptToken> {
  try {
    return await act(stateFolder ?? join(usualFolder(), 'live'));
  } catch (cause) {
    throw new CommandError(exitCodes.usage, `There is no place for the token: ${(cause as Error).message}`, {
      hint: 'Give one: --auth-token-env NAME, or another folder: --state',
      cause,
    });
  }
}
