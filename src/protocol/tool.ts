// A tool as a server describes it, and as a client offers it to a model.
import type { BaseMetadata, Icons, MetaObject, OpenObject } from './base.ts';

export interface Tool extends BaseMetadata, Icons {
  readonly description?: string;
  readonly inputSchema: OpenObject & {
    /** since 2025-11-25 */
    readonly $schema?: string;
    readonly type: 'object';
    readonly properties?: { readonly [name: string]: object | boolean };
    readonly required?: readonly string[];
  };
  /** since 2025-06-18; the root is an object up to 2025-11-25 */
  readonly outputSchema?: OpenObject & {
    /** since 2025-11-25 */
    readonly $schema?: string;
    readonly type?: unknown;
    readonly properties?: { readonly [name: string]: object | boolean };
    readonly required?: readonly string[];
  };
  /** since 2025-03-26 */
  readonly annotations?: ToolAnnotations;
  /** 2025-11-25 only */
  readonly execution?: ToolExecution;
  /** since 2025-06-18 */
  readonly _meta?: MetaObject;
}

/** since 2025-03-26; hints, to be believed only of a server one trusts */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** 2025-11-25 only */
export interface ToolExecution {
  readonly taskSupport?: 'forbidden' | 'optional' | 'required';
}
