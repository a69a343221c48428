// Shapes of capabilities, and of the messages in which the two sides introduce themselves.

import type { Revision } from '../../protocol/revision.ts';
import { isModern, traitsOf } from '../model/revision.ts';
import { type Fields, implementation, since, until } from './content.ts';
import { boolean, dictionary, list, object, type Shape, string } from './shape.ts';

const changes = object({ 'listChanged?': boolean });
const settings = dictionary(object());

export function clientCapabilities(revision: Revision): Shape {
  const several = traitsOf(revision).richElicitation;
  return object({
    'experimental?': settings,
    'roots?': isModern(revision) ? object() : changes,
    'sampling?': several ? object({ 'context?': object(), 'tools?': object() }) : object(),
    ...since('2025-06-18', revision, { 'elicitation?': several ? object({ 'form?': object(), 'url?': object() }) : object() }),
    ...tasks(revision, {
      'elicitation?': object({ 'create?': object() }),
      'sampling?': object({ 'createMessage?': object() }),
    }),
    ...since('2026-07-28', revision, { 'extensions?': settings }),
  });
}

function serverCapabilities(revision: Revision): Shape {
  return object({
    'experimental?': settings,
    'logging?': object(),
    'prompts?': changes,
    'resources?': object({ 'listChanged?': boolean, 'subscribe?': boolean }),
    'tools?': changes,
    ...since('2025-03-26', revision, { 'completions?': object() }),
    ...tasks(revision, { 'tools?': object({ 'call?': object() }) }),
    ...since('2026-07-28', revision, { 'extensions?': settings }),
  });
}

/** Of one revision only. */
function tasks(revision: Revision, requests: Fields): Fields {
  return since('2025-11-25', revision, {
    ...until('2025-11-25', revision, { 'tasks?': object({ 'list?': object(), 'cancel?': object(), 'requests?': object(requests) }) }),
  });
}

export function initializeParams(revision: Revision): Fields {
  return { protocolVersion: string, capabilities: clientCapabilities(revision), clientInfo: implementation(revision) };
}

export function initializeResult(revision: Revision): Fields {
  return {
    protocolVersion: string,
    capabilities: serverCapabilities(revision),
    serverInfo: implementation(revision),
    'instructions?': string,
  };
}

export function discoverResult(revision: Revision): Fields {
  return { supportedVersions: list(string), capabilities: serverCapabilities(revision), 'instructions?': string };
}
