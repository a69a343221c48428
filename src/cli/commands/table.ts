// The commands of the command line, in the order of the help. Help, completion and docs/cli.md are made from this table.
import type { Command } from '../args/command.ts';

export interface CommandRow {
  /** Loaded only when asked for: the code of other commands costs a command nothing. */
  readonly load: () => Promise<Command>;
  /** It speaks a protocol on stdout and handles a closed pipe itself. */
  readonly servesStdout?: true;
}

export const commands: Readonly<Record<string, CommandRow>> = {
  live: { load: async () => (await import('./live/live.ts')).live, servesStdout: true },
  eval: { load: async () => (await import('./eval/eval.ts')).evaluate },
  serve: { load: async () => (await import('./serve/serve.ts')).serve, servesStdout: true },
  list: { load: async () => (await import('./list/list.ts')).list },
  call: { load: async () => (await import('./call/call.ts')).call },
  read: { load: async () => (await import('./read/read.ts')).read },
  prompt: { load: async () => (await import('./prompt/prompt.ts')).prompt },
  doctor: { load: async () => (await import('./doctor/doctor.ts')).doctor },
  add: { load: async () => (await import('./add/add.ts')).add },
  remove: { load: async () => (await import('./remove/remove.ts')).remove },
  clients: { load: async () => (await import('./clients/clients.ts')).clients },
  check: { load: async () => (await import('./check/check.ts')).check },
  record: { load: async () => (await import('./record/record.ts')).record, servesStdout: true },
  replay: { load: async () => (await import('./replay/replay.ts')).replay, servesStdout: true },
  new: { load: async () => (await import('./new/new.ts')).create },
};

export function findCommand(name: string): CommandRow | undefined {
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}

export function loadCommands(): Promise<Command[]> {
  return Promise.all(Object.values(commands).map(({ load }) => load()));
}
