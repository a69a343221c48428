// What is put into the entry of a configuration file, an answer or the value of a variable, stands in no message: its name does.
import { failureLine } from '../../client/failure.ts';
import type { Failure } from '../../client/index.ts';
import { VivariumError } from '../../jsonrpc/error.ts';
import type { Connector } from '../../protocol/channel.ts';
import { printable } from '../../text/printable.ts';
import { CommandError } from '../args/command.ts';

/** Shorter ones are found in any text, and hidden there they would tell more than they do. */
const minLength = 4;

/** From what was put in to what stands for it. */
export type PutIn = ReadonlyMap<string, string>;

export function hider(put: PutIn): (text: string) => string {
  const shown = new Map<string, string>();
  for (const [value, name] of put) {
    if (value.length < minLength) continue;
    for (const form of [value, printable(value), JSON.stringify(value).slice(1, -1), encodeURI(value), value.toLowerCase()])
      shown.set(form, name);
    shown.set(encodeURIComponent(value), name);
  }
  if (shown.size === 0) return (text) => text;
  // The longest first: one may be part of another.
  const forms = [...shown.keys()].sort((a, b) => b.length - a.length).map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  const pattern = new RegExp(forms.join('|'), 'g');
  return (text) => text.replaceAll(pattern, (found) => shown.get(found) ?? '');
}

/** The same way to the server, which people are shown as it is written in the file. */
export function concealed(connector: Connector, target: string, hide: (text: string) => string): Connector {
  return {
    target,
    open: (signal) =>
      connector.open(signal).catch((error: unknown) => {
        if (!(error instanceof VivariumError) || error.failure === undefined) throw error;
        const failure = error.failure as unknown as Failure;
        const told = { target, cause: hide(failure.cause), ...(failure.hint !== undefined && { hint: hide(failure.hint) }) };
        throw new VivariumError(error.code, failureLine(told), { cause: error, failure: { ...failure, ...told } });
      }),
    ...(connector.older !== undefined && { older: concealed(connector.older, target, hide) }),
  };
}

/** Whatever fails meanwhile says nothing of it. */
export async function whileHiding<T>(hide: ((text: string) => string) | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (hide === undefined || !(error instanceof CommandError)) throw error;
    const { exitCode, message, hint, cause } = error;
    throw new CommandError(exitCode, hide(message), { cause, ...(hint !== undefined && { hint: hide(hint) }) });
  }
}
