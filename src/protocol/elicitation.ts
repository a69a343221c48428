// Elicitation, since 2025-06-18: a server asks the user, through a flat form or at a URL.
import type { EmptyResult, ErrorObject, JSONRPCErrorResponse, Notification, NotificationParams, OpenObject, Request } from './base.ts';
import type { TaskAugmentedRequestParams } from './tasks.ts';

export interface ElicitRequestFormParams extends TaskAugmentedRequestParams {
  /** since 2025-11-25; absent means `form` */
  readonly mode?: 'form';
  readonly message: string;
  readonly requestedSchema: {
    /** since 2025-11-25 */
    readonly $schema?: string;
    readonly type: 'object';
    readonly properties: { readonly [name: string]: PrimitiveSchemaDefinition };
    readonly required?: readonly string[];
  };
}

/** since 2025-11-25 */
export interface ElicitRequestURLParams extends TaskAugmentedRequestParams {
  readonly mode: 'url';
  readonly message: string;
  readonly url: string;
  /** 2025-11-25 only, required there */
  readonly elicitationId?: string;
}

export type ElicitRequestParams = ElicitRequestFormParams | ElicitRequestURLParams;

/** In 2026-07-28 only inside `inputRequests`. */
export interface ElicitRequest extends Request {
  readonly method: 'elicitation/create';
  readonly params: ElicitRequestParams;
}

export interface ElicitResult extends EmptyResult {
  readonly action: 'accept' | 'decline' | 'cancel';
  /** lists of strings since 2025-11-25 */
  readonly content?: { readonly [name: string]: string | number | boolean | readonly string[] };
}

/** 2025-11-25 only */
export interface ElicitationCompleteNotification extends Notification {
  readonly method: 'notifications/elicitation/complete';
  readonly params: NotificationParams & { readonly elicitationId: string };
}

/** 2025-11-25 only */
export interface URLElicitationRequiredError extends JSONRPCErrorResponse {
  readonly error: ErrorObject & {
    readonly code: -32042;
    readonly data: OpenObject & { readonly elicitations: readonly ElicitRequestURLParams[] };
  };
}

export type PrimitiveSchemaDefinition = StringSchema | NumberSchema | BooleanSchema | EnumSchema;

export interface StringSchema {
  readonly type: 'string';
  readonly title?: string;
  readonly description?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: 'email' | 'uri' | 'date' | 'date-time';
  /** since 2025-11-25 */
  readonly default?: string;
}

export interface NumberSchema {
  readonly type: 'number' | 'integer';
  readonly title?: string;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  /** since 2025-11-25 */
  readonly default?: number;
}

export interface BooleanSchema {
  readonly type: 'boolean';
  readonly title?: string;
  readonly description?: string;
  readonly default?: boolean;
}

/** In 2025-06-18 only what is now `LegacyTitledEnumSchema`. */
export type EnumSchema = SingleSelectEnumSchema | MultiSelectEnumSchema | LegacyTitledEnumSchema;
/** since 2025-11-25 */
export type SingleSelectEnumSchema = UntitledSingleSelectEnumSchema | TitledSingleSelectEnumSchema;
/** since 2025-11-25 */
export type MultiSelectEnumSchema = UntitledMultiSelectEnumSchema | TitledMultiSelectEnumSchema;

export interface LegacyTitledEnumSchema {
  readonly type: 'string';
  readonly title?: string;
  readonly description?: string;
  readonly enum: readonly string[];
  readonly enumNames?: readonly string[];
  /** since 2025-11-25 */
  readonly default?: string;
}

/** since 2025-11-25 */
export interface UntitledSingleSelectEnumSchema {
  readonly type: 'string';
  readonly title?: string;
  readonly description?: string;
  readonly enum: readonly string[];
  readonly default?: string;
}

/** since 2025-11-25 */
export interface TitledSingleSelectEnumSchema {
  readonly type: 'string';
  readonly title?: string;
  readonly description?: string;
  readonly oneOf: readonly { readonly const: string; readonly title: string }[];
  readonly default?: string;
}

/** since 2025-11-25 */
export interface UntitledMultiSelectEnumSchema {
  readonly type: 'array';
  readonly title?: string;
  readonly description?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items: { readonly type: 'string'; readonly enum: readonly string[] };
  readonly default?: readonly string[];
}

/** since 2025-11-25 */
export interface TitledMultiSelectEnumSchema {
  readonly type: 'array';
  readonly title?: string;
  readonly description?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items: { readonly anyOf: readonly { readonly const: string; readonly title: string }[] };
  readonly default?: readonly string[];
}
