// vivarium live: an MCP server that gives an agent the project as a living program.
import { resolve } from 'node:path';
import type { OpenDoor } from '../../../live/access/local-socket.ts';
import { guardProcess } from '../../../serve/guard.ts';
import { serveStdio } from '../../../serve/stdio.ts';
import { coreOf } from '../../../server/core.ts';
import { type Command, CommandError, exitCodes } from '../../args/command.ts';
import { httpFlags, usesHttp } from '../../args/http-flags.ts';
import { stdioLines } from './client-lines.ts';
import { welcome } from './local-pipe.ts';
import { begin, optionsOf } from './options.ts';

export const live: Command = {
  name: 'live',
  summary: 'Give an agent the project in this folder as a living program',
  usage: 'live [options] [--attach <target>…]',
  flags: {
    cwd: {
      type: 'string',
      value: 'folder',
      help: 'The project (default: the first root of a client on stdio that has any, otherwise this folder)',
    },
    load: { type: 'string', value: 'files', help: 'Files every fresh image begins with, separated by commas' },
    language: {
      type: 'string',
      value: 'name',
      help: 'What is evaluated where a call does not say: javascript (js, with TypeScript), lisp (cl, SBCL) or smalltalk (st, Amber or an image) (default: javascript)',
    },
    system: { type: 'string', value: 'names', help: 'ASDF systems every fresh Lisp image begins with, separated by commas' },
    sbcl: { type: 'string', value: 'path', help: 'The SBCL that runs Lisp (default: the one on the path)' },
    surface: {
      type: 'string',
      value: 'cl|pharo',
      help: 'Offer exactly what CL-MCP-Server or the Pharo guide shows, in place of our tools',
    },
    name: { type: 'string', value: 'name', help: 'The name it presents itself under (default: vivarium-live)' },
    'server-version': { type: 'string', value: 'version', help: "The version it presents itself with (default: this package's)" },
    image: {
      type: 'string',
      value: 'file',
      help: 'A Pharo image for Smalltalk; it is not changed (its bridge has not been run on Pharo yet: docs/live-smalltalk.md)',
    },
    vm: { type: 'string', value: 'path', help: 'The virtual machine for --image (default: pharo on the path)' },
    'own-image': { type: 'boolean', help: 'Smalltalk is an image of yours that is running, and connects itself (docs/live-smalltalk.md)' },
    node: {
      type: 'string',
      value: 'path',
      help: 'The Node that runs the project, 20.19 or newer (default: by .nvmrc or engines, else this one)',
    },
    env: { type: 'string', value: 'names', help: 'Variables the program sees beside PATH, HOME and the like, separated by commas' },
    tools: {
      type: 'string',
      value: 'all|names',
      help: 'Tools beside the six, separated by commas (default: run_tests, where there are tests)',
    },
    expose: { type: 'boolean', help: 'Offer resources and prompts as tools too, for clients that know only tools' },
    attach: {
      type: 'boolean',
      help: 'Let it work in running programs: pid:1234, 127.0.0.1:9229, ws://…; without any, those started with --import vivarium/here',
    },
    sandbox: { type: 'boolean', help: 'Run images behind bubblewrap: no network, only the files of the project, read-only (Linux)' },
    'sandbox-write': { type: 'boolean', help: 'As --sandbox, but the project may be written to' },
    heap: { type: 'string', value: 'MB', help: 'Heap of an image (default: 1024)' },
    memory: { type: 'string', value: 'MB', help: 'Resident memory above which an image is ended (default: 2048)' },
    timeout: { type: 'string', value: 'time', help: 'After this an evaluation is interrupted (default: 10m)' },
    wait: { type: 'string', value: 'time', help: 'After this an evaluation is answered [RUNNING] (default: 20s)' },
    'session-timeout': { type: 'string', value: 'time', help: 'Sessions nobody used for so long are closed (default: 30m)' },
    'max-sessions': { type: 'string', value: 'number', help: 'Sessions at a time, each a process (default: 16)' },
    spare: {
      type: 'string',
      value: 'slow|all|none',
      help: 'An empty image waits for the next session: in languages that begin slowly (Smalltalk), in all, in none (default: slow)',
    },
    state: { type: 'string', value: 'folder', help: 'Where saved sessions and the token are (default: under ~/.local/state)' },
    audit: {
      type: 'string',
      value: 'file',
      help: 'Append who evaluates what, and how it ends, to this file; what cannot be recorded is refused',
    },
    'show-token': {
      type: 'boolean',
      help: 'Print the token in the lines that add the server to a client, instead of where it is read from',
    },
    'rotate-token': { type: 'boolean', help: 'Make a new token, which running servers take within seconds, and start nothing' },
    quiet: { type: 'boolean', short: 'q', help: 'Do not say how to add it to a client' },
    ...httpFlags,
  },
  examples: [
    ['vivarium live', 'on stdio, for the project in this folder'],
    ['vivarium live --load src/app.ts', 'with the program in it from the start'],
    ['vivarium live --http 4100', 'at a URL, for whoever has its token'],
    ['claude mcp add vivarium-live -- npx vivarium live', 'add it to Claude Code'],
  ],
  async run({ positionals, values }) {
    if (positionals.length > 0 && values['attach'] !== true)
      throw new CommandError(exitCodes.usage, 'live takes no arguments, except what to --attach to', { hint: 'vivarium live --help' });
    if (values['rotate-token'] === true) {
      const state = values['state'] as string | undefined;
      await (await import('./token.ts')).rotate(state && resolve(state));
      return exitCodes.ok;
    }
    const overHttp = usesHttp(values);
    if (!overHttp && values['show-token'] === true)
      throw new CommandError(exitCodes.usage, '--show-token is about HTTP', { hint: 'Add --http 4100' });
    const options = optionsOf(values, !overHttp, positionals);
    if (overHttp) {
      await (await import('./http.ts')).liveOverHttp(options, values);
      return undefined;
    }
    guardProcess(true);
    const image = begin({ ...options, single: true });
    const { server, local, close } = image;
    let door: Promise<OpenDoor | undefined> = Promise.resolve(undefined);
    const open = (folder: string): void => {
      door = door.then((before) => before?.close()).then(() => welcome(local, folder));
    };
    image.onMove(open);
    if (process.stdin.isTTY && values['quiet'] !== true) greet(coreOf(server).info.name);
    await serveStdio(server, { onShutdown: () => Promise.all([door.then((last) => last?.close()), close()]) });
    // Afterwards: the client waits for nothing of it.
    open(image.folder);
    return undefined;
  },
};

function greet(name: string): void {
  const own = [process.execPath, process.argv[1] ?? 'vivarium', ...process.argv.slice(2)];
  process.stderr.write(
    [
      'This is an MCP server on stdio, meant to be started by a client. Add it in the folder of the project:',
      ...stdioLines(name, own),
      "vivarium eval in that folder joins the agent's session, main. At a URL instead: vivarium live --http 4100. Ctrl-D ends.",
      '',
    ].join('\n'),
  );
}
