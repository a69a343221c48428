// vivarium serve --http: the same Server at a URL.
import { bearer, jwt } from '../../../auth/index.ts';
import { VivariumError } from '../../../jsonrpc/error.ts';
import type { Authorizer } from '../../../protocol/authorization.ts';
import { withHosts } from '../../../serve/node/hosts.ts';
import { type HttpServing, type ListenOptions, serveHttp } from '../../../serve/node.ts';
import { coreOf } from '../../../server/core.ts';
import type { Server } from '../../../server/server.ts';
import { isLoopback, loopbackHosts } from '../../../text/loopback.ts';
import { CommandError, exitCodes } from '../../args/command.ts';
import { printable, quote } from '../../terminal/terminal.ts';

type Values = Readonly<Record<string, string | boolean | undefined>>;

/** Set by `serve --watch` for the server behind it: the URL that clients know. */
export const watchedUrl = 'VIVARIUM_WATCHED_URL';

export async function serveOverHttp(server: Server, values: Values): Promise<void> {
  const { info } = coreOf(server);
  const outside = process.env[watchedUrl];
  if (outside !== undefined && process.send !== undefined) {
    const { port } = await listen(server, values, {}, outside);
    process.once('disconnect', () => process.exit(exitCodes.ok));
    process.send({ served: { name: info.name, port } });
    return;
  }
  const { url } = await listen(server, values);
  announce(info.name, url, values);
}

/** Where it is, and the line that adds it to a client. */
export function announce(name: string, url: string, values: Values): void {
  process.stderr.write(`${printable(name)} is served at ${url}\n`);
  if (values['quiet'] === true) return;
  const { 'public-url': known, 'auth-token-env': variable } = values;
  const header = typeof variable === 'string' ? ` --header "Authorization: Bearer $${variable}"` : '';
  const address = quote(typeof known === 'string' ? known : url);
  process.stderr.write(
    `To add it to Claude Code: claude mcp add --transport http ${printable(quote(name))} ${printable(address)}${header}\n`,
  );
}

/** As the flags say; `more` is what the command itself wants, and its `auth` holds where no flag gives another. */
export async function listen(server: Server, values: Values, more: ListenOptions = {}, outside?: string): Promise<HttpServing> {
  const given = optionsOf(server, values, more.auth);
  const options = outside === undefined ? given : behind(given, outside);
  try {
    return await serveHttp(server, { ...more, ...options });
  } catch (error) {
    if (error instanceof VivariumError) throw new CommandError(exitCodes.usage, error.message, { cause: error });
    throw error;
  }
}

/** On a port of its own on the loopback, under the rules of the address in front. */
function behind(options: ListenOptions, outside: string): ListenOptions {
  return { ...withHosts(options, options.host ?? '127.0.0.1'), host: '127.0.0.1', port: 0, publicUrl: options.publicUrl ?? outside };
}

/** The host and the port of `--http`; a host that others can reach wants to be meant. */
export function addressOf(values: Values, isGuarded: boolean): [host: string, port: number] {
  const [host, port] = address((values['http'] as string | undefined) ?? '');
  if (!isLoopback(host) && (values['allow-remote'] !== true || !isGuarded)) {
    throw new CommandError(exitCodes.usage, `${host} can be reached from elsewhere`, {
      hint: 'Add --allow-remote and --auth-token-env NAME (or --auth-issuer URL), or leave the host out',
    });
  }
  return [host, port];
}

function optionsOf(server: Server, values: Values, own: Authorizer | undefined): ListenOptions {
  const text = (name: string): string | undefined => values[name] as string | undefined;
  const list = (name: string): string[] | undefined =>
    text(name)
      ?.split(',')
      .map((one) => one.trim());
  const auth = authorizerOf(server, values) ?? own;
  const [host, port] = addressOf(values, auth !== undefined);
  const [hosts, origins, cors] = [list('allow-host'), list('allow-origin'), list('cors')];
  const [path, publicUrl] = [text('path'), text('public-url')];
  return {
    host,
    port,
    sse: values['sse'] === true,
    metrics: values['metrics'] === true,
    ...(path !== undefined && { path }),
    ...(auth !== undefined && { auth }),
    // Its own address too: it is what the user is told.
    ...(hosts !== undefined && { allowedHosts: isLoopback(host) ? [...hosts, ...loopbackHosts, host] : hosts }),
    ...(origins !== undefined && { allowedOrigins: origins }),
    ...(cors !== undefined && { cors }),
    ...(publicUrl !== undefined && { publicUrl }),
    ...(values['stateless'] === true && { sessions: false }),
  };
}

function address(given: string): [host: string, port: number] {
  const found = /^(?:(\[[\da-f:.]+\]|[^:\s]+):)?(\d{1,5})$/i.exec(given);
  const port = Number(found?.[2]);
  if (found === null || port > 65_535) {
    throw new CommandError(exitCodes.usage, `--http takes a port, or a host and a port, not ${given}`, {
      hint: 'vivarium serve server.ts --http 3000',
    });
  }
  return [(found[1] ?? '127.0.0.1').replace(/^\[|\]$/g, ''), port];
}

function authorizerOf(server: Server, values: Values): Authorizer | undefined {
  const { 'auth-token-env': variable, 'auth-issuer': issuer, 'auth-audience': audience } = values as Record<string, string | undefined>;
  if (variable !== undefined && issuer !== undefined) {
    throw new CommandError(exitCodes.usage, 'There is one way to be let in: --auth-token-env or --auth-issuer, not both');
  }
  if (audience !== undefined && issuer === undefined) throw new CommandError(exitCodes.usage, '--auth-audience needs --auth-issuer');
  const scopes = scopesOf(server);
  try {
    if (issuer !== undefined) return jwt({ issuer, scopes, ...(audience !== undefined && { audience }) });
    if (variable === undefined) return undefined;
    const token = process.env[variable];
    if (token === undefined || token === '')
      throw new CommandError(exitCodes.usage, `The environment variable ${variable} is not set`, {
        hint: `Such as: ${variable}=$(uuidgen) vivarium serve server.ts --http 3000 --auth-token-env ${variable}`,
      });
    // Whoever has the one token there is may do everything.
    return bearer([token], { scopes });
  } catch (error) {
    if (error instanceof VivariumError) throw new CommandError(exitCodes.usage, error.message, { cause: error });
    throw error;
  }
}

function scopesOf(server: Server): string[] {
  const { tools, resources, templates, prompts, extensionMethods } = coreOf(server);
  const all = [...tools.values(), ...resources.values(), ...templates.values(), ...prompts.values()];
  const methods = [...extensionMethods.values()];
  return [...new Set([...all.flatMap(({ details }) => details.scopes ?? []), ...methods.flatMap(({ scopes }) => scopes ?? [])])];
}
