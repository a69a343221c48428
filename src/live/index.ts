// vivarium/live: live images as an MCP server.
export type { AuditEnd, AuditOpened, AuditOutcome, AuditRecord, AuditSink, AuditStart, AuditText } from './audit.ts';
export type {
  Engine,
  Fault,
  Features,
  Frame,
  Launch,
  LaunchOptions,
  Member,
  Members,
  Note,
  Notebook,
  Outcome,
  Pause,
  Prepared,
  Restart,
  Start,
  StopReason,
  View,
} from './engine.ts';
export { CellFault } from './engine.ts';
export { type JavaScriptOptions, javascript } from './javascript/engine.ts';
export { type LispOptions, lisp } from './lisp/engine.ts';
export { createLive, type Live, type LiveLimits, type LiveOptions } from './live.ts';
export { type SmalltalkOptions, smalltalk } from './smalltalk/engine.ts';
export { ownImage, type PharoOptions, pharo } from './smalltalk/pharo.ts';
export type { SpareChoice } from './spare.ts';
export type { SurfaceName } from './surface.ts';
