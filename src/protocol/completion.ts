// Completion of the arguments of prompts and of the variables of resource templates.
import type { BaseMetadata, EmptyResult, JSONRPCResultResponse, Request, RequestParams } from './base.ts';

export interface PromptReference extends BaseMetadata {
  readonly type: 'ref/prompt';
}

export interface ResourceTemplateReference {
  readonly type: 'ref/resource';
  /** a URI or an RFC 6570 template */
  readonly uri: string;
}

/** up to 2025-03-26, now `ResourceTemplateReference` */
export type ResourceReference = ResourceTemplateReference;

export interface CompleteRequestParams extends RequestParams {
  readonly ref: PromptReference | ResourceTemplateReference;
  readonly argument: { readonly name: string; readonly value: string };
  /** since 2025-06-18: what has been filled in so far */
  readonly context?: { readonly arguments?: { readonly [name: string]: string } };
}

export interface CompleteRequest extends Request {
  readonly method: 'completion/complete';
  readonly params: CompleteRequestParams;
}

export interface CompleteResult extends EmptyResult {
  readonly completion: {
    /** at most 100 */
    readonly values: readonly string[];
    readonly total?: number;
    readonly hasMore?: boolean;
  };
}

/** since 2026-07-28 */
export interface CompleteResultResponse extends JSONRPCResultResponse {
  readonly result: CompleteResult;
}
