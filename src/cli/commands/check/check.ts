// vivarium check: judges a server by the sentences of the specification, with the bytes as evidence.
import type { Command } from '../../args/command.ts';
import { checkFlags } from './flags.ts';

export const check: Command = {
  name: 'check',
  summary: 'Judge an MCP server by the specification, with the bytes as evidence',
  usage:
    'check [options] <url|name|module>… | check [options] -- <program> [arguments] | check --client -- <program> [arguments] | check --recording <file> | check list [options]',
  takesProgram: true,
  flags: checkFlags,
  examples: [
    ['vivarium check -- node server.js', 'a server on stdio'],
    ['vivarium check http://127.0.0.1:3000/mcp', 'a server at a URL'],
    ['vivarium check --spec-version all -- npx -y some-server', 'every revision that it offers'],
    ['vivarium check --config .mcp.json', 'every server of a configuration file, each shown before it is started'],
    ['vivarium check --reporter junit=check.xml --reporter pretty -- node server.js', 'for a build server'],
    ['vivarium check --config .mcp.json --yes --history runs.jsonl', 'a table of all of them, and what has changed since the last run'],
    ['vivarium check --lock surface.json -- node server.js', 'what has changed in what it offers since --update-lock'],
    ['vivarium check --generate cases.json -- node server.js', 'calls made from its schemas, to be run with --tests cases.json'],
    ['vivarium check --client -- node client.js {url}', 'a client: we are the server'],
    ['vivarium check --recording s.jsonl', 'what vivarium record wrote down'],
    ['vivarium check list --spec-version 2025-11-25 --level must --party server', 'what is asked of a server or a client'],
  ],
  // Loaded only to run: help and completion do without the catalogue, the rules and the probes.
  run: async (args) => (await import('./run.ts')).runCommand(args),
};
