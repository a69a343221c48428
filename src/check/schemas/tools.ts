// Shapes of tools.

import type { Revision } from '../../protocol/revision.ts';
import { isModern } from '../model/revision.ts';
import { authorSchema, contentBlock, type Fields, icons, partMeta, since, structuredContent, titled } from './content.ts';
import { boolean, list, object, type Shape, string, word } from './shape.ts';
import { hasTasks } from './tasks.ts';

const hints = object({
  'title?': string,
  'readOnlyHint?': boolean,
  'destructiveHint?': boolean,
  'idempotentHint?': boolean,
  'openWorldHint?': boolean,
});

export function tool(revision: Revision): Shape {
  return object({
    ...titled(revision),
    ...icons(revision),
    ...partMeta(revision),
    'description?': string,
    inputSchema: authorSchema(revision),
    ...since('2025-06-18', revision, { 'outputSchema?': isModern(revision) ? object({ '$schema?': string }) : authorSchema(revision) }),
    ...since('2025-03-26', revision, { 'annotations?': hints }),
    ...(hasTasks(revision) ? { 'execution?': object({ 'taskSupport?': word('forbidden', 'optional', 'required') }) } : {}),
  });
}

export function callResult(revision: Revision): Fields {
  return { content: list(contentBlock(revision)), 'isError?': boolean, ...structuredContent(revision) };
}
