// The names that a server answers to, by the address it listens on.
import { VivariumError } from '../../jsonrpc/error.ts';
import { isLoopback, loopbackHosts } from '../../text/loopback.ts';
import type { HttpRules } from '../http-options.ts';

interface Rules extends Pick<HttpRules, 'auth' | 'allowedHosts' | 'publicUrl'> {
  readonly insecure?: boolean;
}

/** On loopback only loopback names are answered to: a web page cannot make up a name that leads here. */
export function withHosts<O extends Rules>(options: O, host: string): O {
  const { auth, allowedHosts, insecure = false } = options;
  const name = host.includes(':') ? `[${host}]` : host;
  const local = isLoopback(name);
  if (!local && auth === undefined && !insecure) {
    throw new VivariumError(
      'ERR_CONFIG',
      `${host} can be reached from elsewhere: give auth, from 'vivarium/auth', or listen on 127.0.0.1 (or say insecure: true)`,
    );
  }
  if (allowedHosts !== undefined) return options;
  if (local) return { ...options, allowedHosts: [...new Set([...loopbackHosts, name])] };
  if (options.publicUrl !== undefined && URL.canParse(options.publicUrl)) {
    return { ...options, allowedHosts: [new URL(options.publicUrl).host, ...loopbackHosts] };
  }
  if (auth !== undefined) return { ...options, allowedHosts: ['*'] };
  throw new VivariumError('ERR_CONFIG', "Without authorization the names must be known: give allowedHosts, such as ['api.example']");
}
