// vivarium/live: live images as an MCP server.
export type { AuditEnd, AuditOpened, AuditOutcome, AuditRecord, AuditSink, AuditStart, AuditText } from './access/audit-record.ts';
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
} from './image/engine.ts';
export { CellFault } from './image/engine.ts';
export type { SpareChoice } from './image/warm-pool.ts';
export { type JavaScriptOptions, javascript } from './languages/javascript/engine.ts';
export { type LispOptions, lisp } from './languages/lisp/engine.ts';
export { type SmalltalkOptions, smalltalk } from './languages/smalltalk/engine.ts';
export { ownImage, type PharoOptions, pharo } from './languages/smalltalk/pharo.ts';
export { createLive, type Live, type LiveLimits, type LiveOptions } from './offer/create-live.ts';
export type { SurfaceName } from './offer/surfaces/surface.ts';
