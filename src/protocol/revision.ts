// What differs between revisions, as data: code asks for a trait, never for a date.

export const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;

export type Revision = (typeof revisions)[number];

/** `legacy` begins with a handshake and keeps state; `modern` carries everything in each request. */
export type Era = 'legacy' | 'modern';

export interface RevisionTraits {
  readonly revision: Revision;
  readonly era: Era;
  /** Arrays of messages: this revision alone demands that they be received. */
  readonly batches: boolean;
  readonly audio: boolean;
  readonly resourceLinks: boolean;
  /** What `structuredContent` may hold. */
  readonly structured: 'none' | 'object' | 'any';
  readonly annotations: boolean;
  readonly titles: boolean;
  readonly icons: boolean;
  /** `description` and `websiteUrl` of an implementation. */
  readonly implementationDetails: boolean;
  readonly progressMessages: boolean;
  readonly blockMeta: boolean;
  /** Elicitation by form. */
  readonly forms: boolean;
  /** Elicitation by URL, and forms with defaults, titled choices and several choices at once. */
  readonly richElicitation: boolean;
  /** Whether a server that completes arguments declares it: the first revision had the method, but no capability for it. */
  readonly completionsDeclared: boolean;
  /** An error without a readable id: `null` as JSON-RPC has it, or no member at all as the later schemas have it. */
  readonly nullIds: boolean;
  /** Streams over HTTP begin with an event that only tells where to resume, and may be ended to be resumed later. */
  readonly primedStreams: boolean;
}

const first: RevisionTraits = {
  revision: '2024-11-05',
  era: 'legacy',
  batches: false,
  audio: false,
  resourceLinks: false,
  structured: 'none',
  annotations: false,
  titles: false,
  icons: false,
  implementationDetails: false,
  progressMessages: false,
  blockMeta: false,
  forms: false,
  richElicitation: false,
  completionsDeclared: false,
  nullIds: true,
  primedStreams: false,
};
const march: RevisionTraits = {
  ...first,
  revision: '2025-03-26',
  batches: true,
  audio: true,
  annotations: true,
  progressMessages: true,
  completionsDeclared: true,
};
const june: RevisionTraits = {
  ...march,
  revision: '2025-06-18',
  batches: false,
  resourceLinks: true,
  structured: 'object',
  titles: true,
  forms: true,
  blockMeta: true,
};
const november: RevisionTraits = {
  ...june,
  revision: '2025-11-25',
  icons: true,
  implementationDetails: true,
  richElicitation: true,
  nullIds: false,
  primedStreams: true,
};
const modern: RevisionTraits = { ...november, revision: '2026-07-28', era: 'modern', structured: 'any' };

const traits: ReadonlyMap<string, RevisionTraits> = new Map([first, march, june, november, modern].map((t) => [t.revision, t]));

export function isRevision(value: unknown): value is Revision {
  return typeof value === 'string' && traits.has(value);
}

export function traitsOf(revision: Revision): RevisionTraits {
  return traits.get(revision) as RevisionTraits;
}

/** Oldest first. */
export const handshakeRevisions: readonly Revision[] = revisionsOf('legacy');
export const statelessRevisions: readonly Revision[] = revisionsOf('modern');

function revisionsOf(era: Era): readonly Revision[] {
  return revisions.filter((revision) => traitsOf(revision).era === era);
}

/** Of an HTTP request that names no version and belongs to no session, as the specification has it. */
export const assumedRevision: Revision = '2025-03-26';

/** Whether a version needs no handshake, also one that is newer than all we know. */
export function isStateless(version: string | undefined): boolean {
  return version !== undefined && version >= (statelessRevisions[0] as string) && /^\d{4}-\d{2}-\d{2}/.test(version);
}

/** Keys of `_meta` that carry a modern request's envelope and a modern result's origin. */
export const metaKeys = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;
