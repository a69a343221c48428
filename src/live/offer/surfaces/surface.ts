// The surfaces a live image can have beside ours: those of other servers, as their documents show them.
import { VivariumError } from '../../../server/index.ts';
import type { ServerOptions } from '../../../server/options.ts';
import type { Server } from '../../../server/server.ts';
import type { Engine } from '../../image/engine.ts';
import type { Workplace } from '../../session/caller-sessions.ts';
import { commonLisp } from './cl.ts';
import { pharo } from './pharo.ts';

export type SurfaceName = 'cl' | 'pharo';

export interface Surface {
  /** Whose images it is for. */
  readonly language: string;
  /** How its server differs from others as a server. */
  readonly server: Pick<ServerOptions, 'announces' | 'errorDetails' | 'sequential'>;
  offer(server: Server, place: Workplace): void;
}

export const surfaces: ReadonlyMap<string, Surface> = new Map<SurfaceName, Surface>([
  ['cl', commonLisp],
  ['pharo', pharo],
]);

/** Undefined for our own. */
export function surfaceOf(name: string | undefined, engines: readonly Engine[]): Surface | undefined {
  if (name === undefined) return undefined;
  const surface = surfaces.get(name);
  if (surface === undefined)
    throw new VivariumError('ERR_CONFIG', `There is no surface "${name}", only ${[...surfaces.keys()].join(', ')}`);
  const language = engines[0]?.language;
  if (language !== surface.language)
    throw new VivariumError('ERR_CONFIG', `The surface ${name} is for ${surface.language}, not for ${language ?? 'no language'}`);
  return surface;
}
