// vivarium live: an MCP server that gives an agent the project as a living program.
import { resolve } from 'node:path';
import { createLive, javascript } from '../live/index.ts';
import { guardProcess } from '../serve/guard.ts';
import { serveStdio } from '../serve/stdio.ts';
import { type Command, CommandError, exitCodes } from './command.ts';

export const live: Command = {
  name: 'live',
  summary: 'Give an agent the project in this folder as a living program',
  usage: 'live [options]',
  flags: {
    cwd: { type: 'string', value: 'folder', help: 'The project (default: this folder)' },
    load: { type: 'string', value: 'files', help: 'Files every fresh image begins with, separated by commas' },
    node: { type: 'string', value: 'path', help: 'The Node that runs the project, 20 or newer (default: this one)' },
  },
  examples: [
    ['vivarium live', 'on stdio, for the project in this folder'],
    ['vivarium live --load src/app.ts', 'with the program in it from the start'],
  ],
  async run({ positionals, values }) {
    if (positionals.length > 0) throw new CommandError(exitCodes.usage, 'live takes no arguments', { hint: 'vivarium live --help' });
    const text = (name: string): string | undefined => values[name] as string | undefined;
    const node = text('node');
    guardProcess(true);
    const { server, close } = createLive({
      cwd: resolve(text('cwd') ?? '.'),
      engines: [javascript(node === undefined ? {} : { node })],
      load:
        text('load')
          ?.split(',')
          .map((one) => one.trim()) ?? [],
    });
    const served = await serveStdio(server);
    void served.closed.then(close);
    return undefined;
  },
};
