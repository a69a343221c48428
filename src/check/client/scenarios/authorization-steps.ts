// What a client did on its way to a token, step by step.
import type { Judge } from '../../verdict.ts';
import { type Event, eventsOf, type Grant } from '../grants.ts';
import type { Played } from '../scenario.ts';

export const sound: Grant = { issuer: '/tenant', challenge: { metadata: true, scope: 'read' }, protectedAt: 'path', metadataAt: 0 };

export interface Steps {
  readonly events: readonly Event[];
  of(what: Event['what']): readonly Event[];
}

function stepsOf({ notes }: Played): Steps {
  const events = eventsOf(notes);
  return { events, of: (what) => events.filter((one) => one.what === what) };
}

/** Nothing can be said of a client that never asks for authorization. */
export function begun(played: Played, ids: readonly string[], judge: Judge): Steps | undefined {
  const steps = stepsOf(played);
  if (steps.of('server').length === 0) return undefined;
  if (steps.of('well-known').length + steps.of('authorize').length > 0) return steps;
  for (const id of ids) judge.unsure(id, 'the client does not ask for authorization');
  return undefined;
}
