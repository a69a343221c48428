// The flags of every command that reaches a server, and their twins in the environment.
import type { Arguments, Flag } from '../args/command.ts';

export const targetFlags: Readonly<Record<string, Flag>> = {
  env: {
    type: 'string',
    short: 'e',
    value: 'NAME[=value]',
    multiple: true,
    help: 'A variable for the server; without a value, the one set here',
  },
  cwd: { type: 'string', value: 'folder', help: 'The folder the server is started in' },
  header: { type: 'string', short: 'H', value: '"Name: value"', multiple: true, help: 'A header for a server at a URL' },
  transport: {
    type: 'string',
    short: 't',
    value: 'stdio|http|sse',
    help: 'How the server is reached (default: http for a URL, and sse where there is nothing newer)',
  },
  config: {
    type: 'string',
    value: 'file',
    help: "A client's configuration file that names servers (default: those of the project in this folder)",
  },
  server: { type: 'string', value: 'name', help: 'The server in that file' },
  yes: { type: 'boolean', short: 'y', help: 'Start, or connect to, what a configuration file says without asking' },
  'spec-version': { type: 'string', value: 'revision', help: 'Speak this revision (default: auto, the newest both know)' },
  timeout: { type: 'string', value: 'time', help: 'For one request (default: 60s)' },
  'connect-timeout': { type: 'string', value: 'time', help: 'Until the server has answered for the first time (default: 30s)' },
  token: {
    type: 'string',
    value: 'token',
    help: 'For a server that wants one. Other users can see it in the list of processes: prefer --token-env',
  },
  'token-env': { type: 'string', value: 'name', help: 'The same, in an environment variable' },
  login: { type: 'boolean', help: 'Get a token with the browser, or use the one got before' },
  log: { type: 'string', value: 'file', help: 'Write every message to this file, one JSON object a line; secrets are masked' },
  verbose: { type: 'boolean', short: 'v', help: 'Show what the server writes to stderr, and its log messages' },
};

/** Where a command line says nothing, `VIVARIUM_SPEC_VERSION` and the like do. Not `MCP_…`: other programs give some of those another meaning. */
export function withEnvironment(args: Arguments, env: Readonly<Record<string, string | undefined>> = process.env): Arguments {
  const values = { ...args.values };
  for (const [name, { type, multiple }] of Object.entries(targetFlags)) {
    const said = env[`VIVARIUM_${name.toUpperCase().replaceAll('-', '_')}`];
    if (said === undefined || said === '' || multiple === true || values[name] !== undefined || name === 'yes') continue;
    values[name] = type === 'boolean' ? said !== '0' && said !== 'false' : said;
  }
  return { ...args, values };
}
