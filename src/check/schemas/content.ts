// Shapes of what several features share: metadata, names, icons, annotations, content blocks.

import type { Revision } from '../../protocol/revision.ts';
import { isModern, traitsOf } from '../model/revision.ts';
import {
  anything,
  base64,
  boolean,
  dictionary,
  either,
  integer,
  list,
  number,
  object,
  type Shape,
  share,
  string,
  tagged,
  uri,
  word,
} from './shape.ts';

export const requestId: Shape = either(string, integer);
export const progressToken: Shape = either(string, integer);
export const role: Shape = word('user', 'assistant');
export const logLevel: Shape = word('debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency');

export type Fields = Readonly<Record<string, Shape>>;

/** The fields of a revision and of all after it; revisions are dates, so that they compare as text. */
export function since(first: Revision, revision: Revision, fields: Fields): Fields {
  return revision >= first ? fields : {};
}

/** The fields of a revision and of all before it. */
export function until(last: Revision, revision: Revision, fields: Fields): Fields {
  return revision <= last ? fields : {};
}

const icon = object({ src: uri, 'mimeType?': string, 'sizes?': list(string), 'theme?': word('light', 'dark') });

export function titled(revision: Revision): Fields {
  return { name: string, ...since('2025-06-18', revision, { 'title?': string }) };
}

export function icons(revision: Revision): Fields {
  return since('2025-11-25', revision, { 'icons?': list(icon) });
}

/** `_meta` of the parts of a message, which came later than that of the message. */
export function partMeta(revision: Revision): Fields {
  return since('2025-06-18', revision, { '_meta?': object() });
}

export function implementation(revision: Revision): Shape {
  return object({
    ...titled(revision),
    version: string,
    ...icons(revision),
    ...since('2025-11-25', revision, { 'description?': string, 'websiteUrl?': uri }),
  });
}

export function annotations(revision: Revision): Fields {
  const shape = object({ 'audience?': list(role), 'priority?': share, ...since('2025-06-18', revision, { 'lastModified?': string }) });
  return { 'annotations?': shape };
}

export function resourceContents(revision: Revision): Shape {
  const fields = { uri, 'mimeType?': string, ...partMeta(revision) };
  return either(object({ ...fields, text: string }), object({ ...fields, blob: base64 }));
}

export function resource(revision: Revision): Fields {
  return {
    uri,
    ...titled(revision),
    ...icons(revision),
    ...annotations(revision),
    ...partMeta(revision),
    'description?': string,
    'mimeType?': string,
    'size?': integer,
  };
}

function media(revision: Revision): Shape {
  return object({ data: base64, mimeType: string, ...annotations(revision), ...partMeta(revision) });
}

function plainBlocks(revision: Revision): Fields {
  return {
    text: object({ text: string, ...annotations(revision), ...partMeta(revision) }),
    image: media(revision),
    ...since('2025-03-26', revision, { audio: media(revision) }),
  };
}

/** In results of tools and messages of prompts. */
export function contentBlock(revision: Revision): Shape {
  return tagged('type', contentBlocks(revision));
}

function contentBlocks(revision: Revision): Fields {
  return {
    ...plainBlocks(revision),
    resource: object({ resource: resourceContents(revision), ...annotations(revision), ...partMeta(revision) }),
    ...since('2025-06-18', revision, { resource_link: object(resource(revision)) }),
  };
}

/** What a tool returned as data: any value where the newest revision allows it, before that an object. */
export function structuredContent(revision: Revision): Fields {
  return since('2025-06-18', revision, { 'structuredContent?': isModern(revision) ? anything : object() });
}

/** In messages of sampling: one block, and later a list of them. */
export function samplingContent(revision: Revision): Shape {
  if (!traitsOf(revision).samplingTools) return tagged('type', plainBlocks(revision));
  const block = tagged('type', {
    ...plainBlocks(revision),
    tool_use: object({ id: string, name: string, input: object(), '_meta?': object() }),
    tool_result: object({
      toolUseId: string,
      content: list(contentBlock(revision)),
      ...structuredContent(revision),
      'isError?': boolean,
      '_meta?': object(),
    }),
  });
  return either(block, list(block));
}

/** Where a schema of the author's own stands. */
export function authorSchema(revision: Revision): Shape {
  const dialect = since('2025-11-25', revision, { '$schema?': string });
  const parts = until('2025-11-25', revision, { 'properties?': dictionary(object()), 'required?': list(string) });
  return object({ ...dialect, ...parts, type: word('object') });
}

export const progress: Fields = { progressToken, progress: number, 'total?': number };
