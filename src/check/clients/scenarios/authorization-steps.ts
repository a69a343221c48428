// What a client did on its way to a token, step by step.
import type { RequirementId } from '../../model/requirement-id.ts';
import { brief } from '../../model/value.ts';
import type { Evidence, Judge } from '../../model/verdict.ts';
import { type Event, eventsOf, type Grant } from '../mock-authorization-server.ts';
import type { Played } from '../scenario.ts';

export const sound: Grant = { issuer: '/tenant', challenge: { metadata: true, scope: 'read extra' }, protectedAt: 'path', metadataAt: 0 };

export interface Steps {
  readonly events: readonly Event[];
  of(what: Event['what']): readonly Event[];
}

function stepsOf({ notes }: Played): Steps {
  const events = eventsOf(notes);
  return { events, of: (what) => events.filter((one) => one.what === what) };
}

/** Nothing can be said of a client that never asks for authorization. */
export function begun(played: Played, ids: readonly RequirementId[], judge: Judge): Steps | undefined {
  const steps = stepsOf(played);
  if (steps.of('server').length === 0) return undefined;
  if (steps.of('well-known').length + steps.of('authorize').length > 0) return steps;
  for (const id of ids) judge.unsure(id, 'the client does not ask for authorization');
  return undefined;
}

/** A client id that is an address: that of a metadata document. */
export function documented(id: string, evidence: readonly Evidence[], judge: Judge): void {
  if (!/^https?:/.test(id) || !URL.canParse(id)) return;
  const { protocol, pathname } = new URL(id);
  const isHttps = protocol === 'https:';
  judge.verdict('authorization/registration/document-https', isHttps, `client_id is ${brief(id)}`, evidence);
  judge.verdict('authorization/registration/document-address', isHttps && pathname !== '/', `client_id is ${brief(id)}`, evidence);
}
