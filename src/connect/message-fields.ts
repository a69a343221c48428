// The headers that go with a message: what it is, in which revision, and for 2026-07-28 what it is about.
import type { Sending } from '../protocol/channel.ts';
import { encodeHeader, headerNames, namedBy } from '../protocol/headers.ts';
import { metaKeys, traitsOf } from '../protocol/revision.ts';
import type { Envelope } from './post.ts';

export const postFields: readonly string[] = ['content-type', 'application/json', 'accept', 'application/json, text/event-stream'];
export const streamFields: readonly string[] = ['accept', 'text/event-stream'];

export function isModern({ era, revision }: Sending): boolean {
  return era === 'modern' || (revision !== undefined && traitsOf(revision).era === 'modern');
}

type Members = Readonly<Record<string, unknown>>;

export function pushModern(fields: string[], { method, params }: Envelope, { revision, headers }: Sending): void {
  const members = (params ?? {}) as Members;
  const said = (members['_meta'] as Members | undefined)?.[metaKeys.protocolVersion];
  // The two must be equal, so the message decides.
  const version = typeof said === 'string' ? said : revision;
  if (version !== undefined) fields.push(headerNames.version, encodeHeader(version));
  if (typeof method !== 'string') return;
  fields.push(headerNames.method, encodeHeader(method));
  const about = namedBy.get(method) ?? (method.startsWith('tasks/') ? 'taskId' : undefined);
  const name = about === undefined ? undefined : members[about];
  if (typeof name === 'string') fields.push(headerNames.name, encodeHeader(name));
  if (headers === undefined) return;
  for (const parameter in headers) fields.push(parameter, headers[parameter] as string);
}
