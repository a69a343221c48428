// What a session can do, in the words a model reads when it is opened.
import type { Features } from '../image/engine.ts';

export function featuresText({ interrupt, readOnly, debug, restarts, reload, lookup, packages, scopes, save }: Features): string {
  return [
    { keep: 'interrupt and keep everything', restart: 'interrupt by starting anew', none: 'ended by timeout_ms only' }[interrupt],
    readOnly ? 'inspect expressions read-only' : 'inspect names and #numbers',
    ...(debug ? [restarts ? 'debug with restarts' : 'debug'] : []),
    ...(reload ? ['reload'] : []),
    ...(lookup ? ['lookup'] : []),
    ...(packages ? ['packages'] : []),
    ...(scopes ? ['evaluate in a module'] : []),
    save === 'image' ? 'save the whole image' : 'save what was evaluated',
  ].join(', ');
}
