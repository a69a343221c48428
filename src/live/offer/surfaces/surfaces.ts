// The surfaces a live image can have besides ours.
import { VivariumError } from '../../../server/index.ts';
import type { Engine } from '../../image/engine.ts';
import { commonLisp } from './cl.ts';
import { pharo } from './pharo.ts';
import type { Surface, SurfaceName } from './surface.ts';

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
