// The lines that add a live server to the clients people use, to be pasted as they are.
import { basename, relative } from 'node:path';
import { shellVariable } from '../../../text/shell-quote.ts';
import { printable, quote } from '../../terminal/terminal.ts';

/** A server at a URL. */
export interface Address {
  readonly name: string;
  readonly url: string;
  /** The file that holds the token, where it is kept in one. */
  readonly file?: string | undefined;
  /** The token itself, to be in the lines. */
  readonly token?: string | undefined;
  /** The variable that holds the token. */
  readonly variable?: string | undefined;
}

/** What clients that read the token from their environment find it under. */
const usualVariable = 'VIVARIUM_LIVE_TOKEN';

/** Without `token` no line has it: what is pasted stays in the history of the shell, and other users see commands that run. */
export function httpLines({ name, url, file, token, variable }: Address): string[] {
  if (token !== undefined) return linesWith(name, url, `Bearer ${token}`);
  if (file !== undefined) return linesReading(name, url, file);
  if (variable !== undefined) return linesNaming(name, url, variable, claudeLine(name, url, shellVariable(variable)));
  return lines(
    `claude mcp add --transport http ${quote(name)} ${quote(url)}`,
    [tableOf(name), `url = ${JSON.stringify(url)}`],
    { mcpServers: { [name]: { url } } },
    { name, type: 'http', url },
  );
}

/** Claude Code runs a command for its headers whenever it connects; `token` is what a shell puts it in place of. */
function claudeLine(name: string, url: string, token: string): string {
  const headersHelper = `echo "{\\"Authorization\\":\\"Bearer ${token}\\"}"`;
  return `claude mcp add-json ${quote(name)} ${quote(JSON.stringify({ type: 'http', url, headersHelper }))}`;
}

function linesWith(name: string, url: string, authorization: string): string[] {
  const headers = { Authorization: authorization };
  return lines(
    `claude mcp add --transport http ${quote(name)} ${quote(url)} --header ${quote(`Authorization: ${authorization}`)}`,
    [tableOf(name), `url = ${JSON.stringify(url)}`, `http_headers = { "Authorization" = ${JSON.stringify(authorization)} }`],
    { mcpServers: { [name]: { url, headers } } },
    { name, type: 'http', url, headers },
  );
}

/** A variable is left to the client, each in its own way to write one. */
function linesNaming(name: string, url: string, variable: string, claude: string, code?: object): string[] {
  const headers = { Authorization: `Bearer \${env:${variable}}` };
  return lines(
    claude,
    [tableOf(name), `url = ${JSON.stringify(url)}`, `bearer_token_env_var = ${JSON.stringify(variable)}`],
    { mcpServers: { [name]: { url, headers } } },
    code ?? { name, type: 'http', url, headers },
  );
}

/** VS Code asks for the token once and keeps it; Codex and Cursor have a variable. */
function linesReading(name: string, url: string, file: string): string[] {
  const id = `${name}-token`;
  const headers = { Authorization: `Bearer \${input:${id}}` };
  const inputs = [{ type: 'promptString', id, description: `The content of ${file}`, password: true }];
  const claude = claudeLine(name, url, `$(cat ${quote(file)})`);
  return [
    ...linesNaming(name, url, usualVariable, claude, { name, type: 'http', url, headers, inputs }),
    printable(`  Codex and Cursor read a variable. Set it where they are started: export ${usualVariable}="$(cat ${quote(file)})"`),
    '  VS Code asks for the token once: paste what is in that file. --show-token prints the lines with the token in them.',
  ];
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
