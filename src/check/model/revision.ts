// What differs between the revisions, as far as a judgement depends on it: rules and probes ask this table, never the date. It is
// the judge's own reading of the specification, apart from the table by which the product speaks.
import type { Revision } from '../../protocol/revision.ts';

export interface RevisionTraits {
  /** Without a handshake: every request carries what a session would hold. */
  readonly modern: boolean;
  /** What HTTP is in it: HTTP+SSE, or Streamable HTTP. */
  readonly http: 'sse' | 'http';
  readonly batches: boolean;
  /** Tasks are part of the protocol itself, not of an extension. */
  readonly tasks: boolean;
  /** Servers declare that they complete arguments. */
  readonly completionsCapability: boolean;
  /** A client names the revision in the header MCP-Protocol-Version. */
  readonly versionHeader: boolean;
  /** Elicitation by form. */
  readonly forms: boolean;
  /** Elicitation by URL, and forms with defaults, titled choices and several choices at once. */
  readonly richElicitation: boolean;
  /** The error -32042 lists the pages that a user has to open first. */
  readonly urlRequiredError: boolean;
  /** A sampled model may use tools, and content is a list of blocks. */
  readonly samplingTools: boolean;
  /** An error without a readable id has no id, instead of null. */
  readonly optionalErrorId: boolean;
  /** `requestId` of a cancellation may be left out: a task is cancelled otherwise. */
  readonly optionalCancelledId: boolean;
  /** Arguments that do not fit are told in a result with `isError`. */
  readonly invalidInResult: boolean;
  /** Names of tools differ by case. */
  readonly caseSensitiveNames: boolean;
  /** A server may end a stream at any time, and the client comes back to it. */
  readonly polledStreams: boolean;
  /** Where authorization begins: at the server's own metadata, or at those of the resource. */
  readonly authorizationMetadata: 'server' | 'resource';
  /** In which order a client tries the addresses of metadata is said. */
  readonly metadataOrder: boolean;
}

const first: RevisionTraits = {
  modern: false,
  http: 'sse',
  batches: false,
  tasks: false,
  completionsCapability: false,
  versionHeader: false,
  forms: false,
  richElicitation: false,
  urlRequiredError: false,
  samplingTools: false,
  optionalErrorId: false,
  optionalCancelledId: false,
  invalidInResult: false,
  caseSensitiveNames: false,
  polledStreams: false,
  authorizationMetadata: 'resource',
  metadataOrder: false,
};
const march: RevisionTraits = { ...first, http: 'http', batches: true, completionsCapability: true, authorizationMetadata: 'server' };
const june: RevisionTraits = { ...march, batches: false, versionHeader: true, forms: true, authorizationMetadata: 'resource' };
const november: RevisionTraits = {
  ...june,
  tasks: true,
  richElicitation: true,
  urlRequiredError: true,
  samplingTools: true,
  optionalErrorId: true,
  optionalCancelledId: true,
  invalidInResult: true,
  caseSensitiveNames: true,
  polledStreams: true,
  metadataOrder: true,
};
const july: RevisionTraits = {
  ...november,
  modern: true,
  tasks: false,
  urlRequiredError: false,
  optionalCancelledId: false,
  polledStreams: false,
};

const traits: Readonly<Record<Revision, RevisionTraits>> = {
  '2024-11-05': first,
  '2025-03-26': march,
  '2025-06-18': june,
  '2025-11-25': november,
  '2026-07-28': july,
};

/** Every revision, the oldest first. */
export const revisions: readonly Revision[] = Object.keys(traits) as Revision[];

export function traitsOf(revision: Revision): RevisionTraits {
  return traits[revision];
}

export function isModern(revision: Revision): boolean {
  return traits[revision].modern;
}
