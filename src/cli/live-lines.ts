// The lines that add a live server to the clients people use, to be pasted as they are.
import { basename, relative } from 'node:path';
import { shellWithVariable } from '../text/shell-quote.ts';
import { printable, quote } from './terminal.ts';

/** A server at a URL. */
export interface Address {
  readonly name: string;
  readonly url: string;
  /** The token itself, or the variable that holds it. */
  readonly token?: string | undefined;
  readonly variable?: string | undefined;
}

export function httpLines({ name, url, token, variable }: Address): string[] {
  const authorization = token === undefined ? undefined : `Bearer ${token}`;
  // A variable is left to the shell or to the client, each in its own way to write one.
  const header =
    authorization !== undefined
      ? quote(`Authorization: ${authorization}`)
      : shellWithVariable('Authorization: Bearer ', variable ?? 'TOKEN');
  const claude = ['claude mcp add --transport http', quote(name), quote(url)];
  if (token !== undefined || variable !== undefined) claude.push('--header', header);
  const headersFor = (reference: string): object => {
    const value = authorization ?? (variable === undefined ? undefined : `Bearer ${reference}`);
    return value === undefined ? {} : { headers: { Authorization: value } };
  };
  const codex = [tableOf(name), `url = ${JSON.stringify(url)}`];
  if (authorization !== undefined) codex.push(`http_headers = { "Authorization" = ${JSON.stringify(authorization)} }`);
  else if (variable !== undefined) codex.push(`bearer_token_env_var = ${JSON.stringify(variable)}`);
  return lines(
    claude.join(' '),
    codex,
    { mcpServers: { [name]: { url, ...headersFor(`\${env:${variable}}`) } } },
    { name, type: 'http', url, ...headersFor(`\${env:${variable}}`) },
  );
}

/** A server that the client starts. */
export function stdioLines(name: string, words: readonly string[]): string[] {
  const [command = '', ...args] = words;
  return lines(
    `claude mcp add ${quote(name)} -- ${words.map(quote).join(' ')}`,
    [tableOf(name), `command = ${JSON.stringify(command)}`, `args = ${JSON.stringify(args)}`],
    { mcpServers: { [name]: { command, args } } },
    { name, command, args },
  );
}

/** Of TOML, where only such a name is a key without quotes. */
function tableOf(name: string): string {
  return `[mcp_servers.${/^[\w-]+$/.test(name) ? name : JSON.stringify(name)}]`;
}

function lines(claude: string, codex: readonly string[], cursor: object, code: object): string[] {
  return [
    `  Claude Code  ${claude}`,
    '  Codex        in ~/.codex/config.toml:',
    ...codex.map((line) => `                 ${line}`),
    `  Cursor       in .cursor/mcp.json: ${JSON.stringify(cursor)}`,
    `  VS Code      code --add-mcp ${quote(JSON.stringify(code))}`,
  ].map(printable);
}

/** This command as the person who started it would type it again. */
export function ownCommand(): string {
  const script = process.argv[1] ?? 'vivarium';
  if (basename(script) === 'vivarium') return script.includes('node_modules') ? 'npx vivarium' : 'vivarium';
  const near = relative(process.cwd(), script);
  return `node ${quote(near.startsWith('..') ? script : near)}`;
}
