// A token of the command line as the header that carries it.
import { type Arguments, CommandError, exitCodes } from '../args/command.ts';

export function authHeader({ values }: Arguments): Record<string, string> {
  const variable = values['token-env'] as string | undefined;
  const token = variable === undefined ? (values['token'] as string | undefined) : process.env[variable];
  if (variable !== undefined && (token === undefined || token === ''))
    throw new CommandError(exitCodes.usage, `--token-env ${variable}: there is no such variable here`);
  return token === undefined ? {} : { Authorization: `Bearer ${token}` };
}
