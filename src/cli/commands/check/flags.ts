// The flags of `check`, apart from what reads them: help and completion load nothing else.
import type { Flag } from '../../args/command.ts';
import { targetFlags } from '../../target/target-flags.ts';

/** The flags shared with other commands that apply here. */
const naming = ['env', 'cwd', 'header', 'transport', 'config', 'server', 'yes', 'token', 'token-env'];

export const checkFlags: Readonly<Record<string, Flag>> = {
  ...Object.fromEntries(Object.entries(targetFlags).filter(([name]) => naming.includes(name))),
  client: { type: 'boolean', help: 'The program is a client: it is judged, and we are its server' },
  recording: { type: 'string', value: 'file', help: 'Judge a recording of vivarium record, client and server, by what it shows' },
  'foreign-token-env': { type: 'string', value: 'name', help: 'A variable with a good token for another server: it must be refused' },
  'other-token-env': {
    type: 'string',
    value: 'name',
    help: 'A variable with the token of another user: it must open no session but its own',
  },
  'spec-version': {
    type: 'string',
    value: 'revision',
    help: 'auto (the newest it offers, default), all (each it offers), or one revision',
  },
  level: { type: 'string', value: 'must|should|may', help: 'Judge only what is at least that strong (default: may)' },
  only: { type: 'string', value: 'ids', multiple: true, help: 'Judge only these: ids, beginnings (tools/call), or patterns with *' },
  skip: { type: 'string', value: 'ids', multiple: true, help: 'Leave these out' },
  section: { type: 'string', value: 'names', multiple: true, help: 'Only these sections of the catalogue: tools, http, authorization …' },
  party: { type: 'string', value: 'server|client', help: 'With list: what is asked of a server, or of a client' },
  args: { type: 'string', value: 'tool=json', multiple: true, help: 'Call this tool, with these arguments; the JSON may be @file' },
  'allow-side-effects': {
    type: 'boolean',
    help: 'Call tools that do not say that they are read-only, with arguments made from their schemas',
  },
  timeout: { type: 'string', value: 'time', help: 'How long an answer may take (default: 5s)' },
  'connect-timeout': { type: 'string', value: 'time', help: 'How long the first answer may take (default: 20s)' },
  'rate-limit': { type: 'string', value: 'n', help: 'Requests a minute at most' },
  repeat: { type: 'string', value: 'n', help: 'Make the whole run that often; every time counts' },
  bail: { type: 'boolean', help: 'Stop at the first broken MUST' },
  strict: { type: 'boolean', help: 'Exit with 6 when something that applies was not verified' },
  'expected-failures': {
    type: 'string',
    value: 'file',
    help: 'Ids that may fail, one a line; one that was judged and no longer fails is a failure',
  },
  generate: { type: 'string', value: 'file', help: 'Make cases from the schemas of the tools, call nothing, and write them to this file' },
  tests: { type: 'string', value: 'file', help: 'Run the cases of this file instead of a check' },
  'update-snapshots': { type: 'boolean', help: 'Run the cases of --tests, and keep in the file what comes back the same twice' },
  lock: { type: 'string', value: 'file', help: 'Compare what the server offers with this file; a breaking change is a failure' },
  'update-lock': { type: 'boolean', help: 'Write what the server offers to the file of --lock' },
  history: {
    type: 'string',
    value: 'file',
    help: 'Keep this run in a file of JSON lines, and show what is better or worse since the last',
  },
  reporter: { type: 'string', value: 'name[=file]', multiple: true, help: 'pretty (default), json, junit, sarif, html or markdown' },
  verbose: { type: 'boolean', short: 'v', help: 'Also list what passed, and what does not apply and why' },
  quiet: { type: 'boolean', short: 'q', help: 'Show no progress' },
};
