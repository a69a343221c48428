// A surface: what another server offers, exactly as its documents show it, in place of our tools.
import type { ServerOptions } from '../../../server/options.ts';
import type { Server } from '../../../server/server.ts';
import type { CallerSessions } from '../../session/caller-sessions.ts';

export type SurfaceName = 'cl' | 'pharo';

export interface Surface {
  /** Whose images it is for. */
  readonly language: string;
  /** How its server differs from others as a server. */
  readonly server: Pick<ServerOptions, 'announces' | 'errorDetails' | 'sequential'>;
  offer(server: Server, place: CallerSessions): void;
}
