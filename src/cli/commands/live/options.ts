// The flags of `vivarium live`, as options of createLive.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { VivariumError } from '../../../jsonrpc/error.ts';
import { createLive, type Live, type LiveLimits, type LiveOptions, type SpareChoice, type SurfaceName } from '../../../live/index.ts';
import { surfaces } from '../../../live/offer/surfaces/surfaces.ts';
import { configuredLoad } from '../../../live/session/project-config.ts';
import { CommandError, exitCodes } from '../../args/command.ts';
import { count, list, milliseconds } from '../../args/flag-values.ts';
import { printable } from '../../terminal/terminal.ts';
import { enginesOf } from './engines.ts';

type Values = Readonly<Record<string, string | boolean | undefined>>;

/** What the library will not have is a mistake in the flags. */
export function begin(options: LiveOptions): Live {
  try {
    return createLive(options);
  } catch (error) {
    if (error instanceof VivariumError) throw new CommandError(exitCodes.usage, error.message, { cause: error });
    throw error;
  }
}

/** `asks`: a client that is the only one may name the folder. */
export function optionsOf(values: Values, asks: boolean, targets: readonly string[]): LiveOptions {
  const text = (name: string): string | undefined => values[name] as string | undefined;
  const named = text('cwd');
  const cwd = resolve(named ?? '.');
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) throw new CommandError(exitCodes.usage, `There is no folder ${cwd}`);
  const load = list(text('load'));
  const absent = load.find((file) => !statSync(resolve(cwd, file), { throwIfNoEntry: false })?.isFile());
  // Without --cwd a client on stdio may name another folder; what is not there then is said by the first answer.
  if (absent !== undefined && (named !== undefined || !asks))
    throw new CommandError(exitCodes.usage, `There is no file ${absent} in ${cwd}`, { hint: 'See --load' });
  if (load.length === 0) checkConfig(cwd, named === undefined && asks);
  const [state, tools, name, version] = [text('state'), text('tools'), text('name'), text('server-version')];
  const audit = text('audit');
  const surface = surfaceIn(text('surface'));
  const spare = spareIn(text('spare'));
  return {
    ...((named !== undefined || !asks) && { cwd }),
    load,
    ...enginesOf(text, { own: values['own-image'] === true, serves: true, cwd }),
    env: variables(list(text('env'))),
    limits: limitsOf(text),
    ...(state !== undefined && { stateFolder: resolve(state) }),
    ...(tools !== undefined && { tools: tools === 'all' ? 'all' : list(tools) }),
    ...(surface !== undefined && { surface }),
    ...(spare !== undefined && { spare }),
    ...(name !== undefined && { name }),
    ...(version !== undefined && { version }),
    ...(audit !== undefined && { audit: { file: resolve(audit) } }),
    expose: values['expose'] === true,
    attach: targets.length > 0 ? targets : values['attach'] === true,
    ...(values['sandbox'] === true && { sandbox: true }),
    ...(values['sandbox-write'] === true && { sandbox: { write: true } }),
  };
}

/** Where a client may still name another folder, that one decides; the first answer says it then. */
function checkConfig(cwd: string, mayMove: boolean): void {
  try {
    configuredLoad(cwd);
  } catch (error) {
    if (!mayMove) throw new CommandError(exitCodes.usage, (error as Error).message, { cause: error });
    process.stderr.write(`${printable((error as Error).message)}\n`);
  }
}

function surfaceIn(given: string | undefined): SurfaceName | undefined {
  if (given !== undefined && !surfaces.has(given))
    throw new CommandError(exitCodes.usage, `There is no surface "${given}", only ${[...surfaces.keys()].join(', ')}`);
  return given as SurfaceName | undefined;
}

function spareIn(given: string | undefined): SpareChoice | undefined {
  if (given !== undefined && given !== 'slow' && given !== 'all' && given !== 'none')
    throw new CommandError(exitCodes.usage, `--spare is slow, all or none, not "${given}"`);
  return given;
}

function limitsOf(text: (name: string) => string | undefined): Partial<LiveLimits> {
  const limits: { -readonly [K in keyof LiveLimits]?: number } = {};
  const take = (limit: keyof LiveLimits, flag: string, read: (flag: string, given: string) => number): void => {
    const given = text(flag);
    if (given !== undefined) limits[limit] = read(flag, given);
  };
  take('heapMb', 'heap', count);
  take('rssMb', 'memory', count);
  take('sessions', 'max-sessions', count);
  take('timeoutMs', 'timeout', milliseconds);
  take('waitMs', 'wait', milliseconds);
  take('idleMs', 'session-timeout', milliseconds);
  return limits;
}

function variables(names: readonly string[]): Record<string, string> {
  const unset = names.filter((name) => process.env[name] === undefined);
  if (unset.length > 0) process.stderr.write(`Not set, so the program will not see it: ${printable(unset.join(', '))}\n`);
  return Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name] as string]])));
}
