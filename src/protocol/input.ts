// Rounds of input in 2026-07-28: a server answers with questions, the client repeats the request with answers.
import type { RequestParams, ResultFields } from './base.ts';
import type { ElicitRequest, ElicitResult } from './elicitation.ts';
import type { ListRootsRequest, ListRootsResult } from './roots.ts';
import type { CreateMessageRequest, CreateMessageResult } from './sampling.ts';

export type InputRequest = CreateMessageRequest | ListRootsRequest | ElicitRequest;
export type InputResponse = CreateMessageResult | ListRootsResult | ElicitResult;

/** Questions by a key of the server's choice. */
export interface InputRequests {
  readonly [key: string]: InputRequest;
}

/** Answers under the keys of their questions. */
export interface InputResponses {
  readonly [key: string]: InputResponse;
}

/** At least one of the two members is there. */
export interface InputRequiredResult extends ResultFields {
  readonly resultType: 'input_required';
  readonly inputRequests?: InputRequests;
  /** opaque to the client, which hands it back unchanged */
  readonly requestState?: string;
}

export interface InputResponseRequestParams extends RequestParams {
  /** since 2026-07-28 */
  readonly inputResponses?: InputResponses;
  /** since 2026-07-28 */
  readonly requestState?: string;
}
