// What must be so before anything is served, said to the author at once and not to the first client.
import { VivariumError } from '../jsonrpc/error.ts';
import { headerParameters } from '../protocol/headers.ts';
import type { Core } from '../server/core.ts';
import { isLoopback } from '../text/loopback.ts';
import type { HttpRules, Settings } from './http-options.ts';

/** Whoever names the server in Host would choose which tokens are for it. */
export function requireName({ auth, publicUrl }: Settings, { allowedHosts = [] }: HttpRules, listens: boolean): void {
  if (auth?.usesResource !== true || publicUrl !== undefined) return;
  // Whoever listens knows its own port and path; a handler does not, so elsewhere than on loopback it must be told.
  if (listens ? !allowedHosts.includes('*') : allowedHosts.every(isLoopback)) return;
  const remedies = ['publicUrl (--public-url)', ...(listens ? ['allowedHosts (--allow-host)'] : []), 'the audience (--auth-audience)'];
  throw new VivariumError(
    'ERR_CONFIG',
    `Tokens are granted for the URL of this server, which any Host could claim to be: give ${remedies.join(' or ')}`,
  );
}

/** Scopes that nobody could be granted would be scopes that nobody checks. */
export function requireAuth(core: Core, authorized: boolean): void {
  if (authorized) return;
  const kinds = [core.tools.values(), core.resources.values(), core.templates.values(), core.prompts.values()];
  for (const kind of kinds) {
    for (const one of kind) {
      if ((one.details.scopes?.length ?? 0) > 0) throw scoped(one.name);
    }
  }
  for (const row of core.extensionMethods.values()) if ((row.scopes?.length ?? 0) > 0) throw scoped(row.method);
}

function scoped(name: string): VivariumError {
  return new VivariumError(
    'ERR_CONFIG',
    `"${name}" has scopes, which only authorization can grant: give auth, from 'vivarium/auth' (--auth-token-env or --auth-issuer)`,
  );
}

export function requireHeaders(core: Core): void {
  for (const tool of core.tools.values()) {
    const [fault] = tool.input === undefined ? [] : headerParameters(tool.input.json).faults;
    if (fault !== undefined) throw new VivariumError('ERR_SCHEMA', `Tool "${tool.name}": ${fault}; correct it or leave it out`);
  }
}
