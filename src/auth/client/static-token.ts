// A token that someone else has got: from the environment, a vault, a configuration.
import { VivariumError } from '../../jsonrpc/error.ts';
import type { AuthProvider } from '../../protocol/authorization.ts';
import { mistake } from '../server/options.ts';
import { isToken } from '../server/request-token.ts';

/** A function is asked before each request, and again when its token was refused. */
export function staticToken(token: string | (() => string | undefined | Promise<string | undefined>)): AuthProvider {
  const read = typeof token === 'function' ? token : () => token;
  if (typeof token !== 'function') check(token);
  return {
    async token({ status, stale }) {
      const value = await read();
      if (value === undefined && status === undefined) return undefined;
      if (value !== undefined && value !== stale) return check(value);
      if (status === 403)
        throw new VivariumError('ERR_FORBIDDEN', 'The server refuses this request: the token that was given does not reach far enough');
      throw new VivariumError(
        'ERR_AUTH_FAILED',
        value === undefined ? 'The server wants a token, and none was given' : 'The server refuses the token that was given',
      );
    },
  };
}

/** Its message does not repeat what was given: it may end in a log. */
function check(token: string): string {
  if (typeof token === 'string' && isToken(token)) return token;
  throw mistake('staticToken() was given something that cannot be sent: write the token alone, without "Bearer" and without blanks');
}
