// The blocks of which tool results, prompts and sampled messages consist.
import type { Annotated, MetaObject } from './base.ts';
import type { BlobResourceContents, Resource, TextResourceContents } from './resource.ts';

export interface TextContent extends Annotated {
  readonly type: 'text';
  readonly text: string;
  /** since 2025-06-18 */
  readonly _meta?: MetaObject;
}

export interface ImageContent extends Annotated {
  readonly type: 'image';
  /** base64 */
  readonly data: string;
  readonly mimeType: string;
  /** since 2025-06-18 */
  readonly _meta?: MetaObject;
}

/** since 2025-03-26 */
export interface AudioContent extends Annotated {
  readonly type: 'audio';
  /** base64 */
  readonly data: string;
  readonly mimeType: string;
  /** since 2025-06-18 */
  readonly _meta?: MetaObject;
}

/** since 2025-06-18 */
export interface ResourceLink extends Resource {
  readonly type: 'resource_link';
}

export interface EmbeddedResource extends Annotated {
  readonly type: 'resource';
  readonly resource: TextResourceContents | BlobResourceContents;
  /** since 2025-06-18 */
  readonly _meta?: MetaObject;
}

export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;
