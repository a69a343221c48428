// A resource as a server describes it, and its contents: in answers of their own, and inside content.
import type { Annotated, BaseMetadata, Icons, MetaObject } from './base.ts';

export interface Resource extends BaseMetadata, Icons, Annotated {
  readonly uri: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** bytes before any encoding */
  readonly size?: number;
  /** since 2025-06-18 */
  readonly _meta?: MetaObject;
}

export interface ResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  /** since 2025-06-18 */
  readonly _meta?: MetaObject;
}

export interface TextResourceContents extends ResourceContents {
  readonly text: string;
  readonly blob?: never;
}

export interface BlobResourceContents extends ResourceContents {
  /** base64 */
  readonly blob: string;
  readonly text?: never;
}
