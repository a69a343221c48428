// Where a mutant lays hands on the honest client: on what it sends, on its requests over HTTP, on its answers, and on its habits.

export type Body = Record<string, unknown>;

/** A request over HTTP on its way out. */
export interface HttpAsk {
  method: string;
  url: URL;
  readonly headers: Record<string, string>;
  body?: string;
}

/** What an honest client does; a mutant has one of them otherwise. */
export const honest = {
  /** What it ends with when it fails. */
  failureCode: 1,
  answersNotifications: false,
  /** Takes a request back by hanging up. */
  hangsUp: false,
  readsStreams: true,
  diesOnComplete: false,
  diesOnLate: false,
  speaks: ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as readonly string[],
  basic: false,
  usesResourceMetadata: true,
  asksMetadata: true,
  /** Until a request without an answer is given up: soon where there is none, late where a busy machine may delay it. */
  timeoutMs: 20_000,
  silenceMs: 700,
  cancels: true,
  /** Asks server/discover first. */
  probes: true,
  /** Falls back to the handshake whatever the error was. */
  fallsBack: true,
  /** A modern refusal of the version is no reason to fall back. */
  readsRefusals: true,
  triesAgain: true,
  leavesUnknownVersion: true,
  protocolVersion: '2025-11-25',
  beginsAnew: true,
  keepsSessionOnAnew: false,
  deletes: true,
  listens: true,
  resumes: true,
  waitsForRetry: true,
  headersByCase: false,
  /** How a server on a pipe is ended. */
  ending: ['end', 'wait', 'term', 'wait', 'kill'] as readonly string[],
  restarts: true,
  remembersEra: true,
  subscribesAgain: true,
  failsOnStderr: false,
  batches: true,
  readsUnknownResults: false,
  stopsAtEmptyCursor: false,
  stopsAtEmptyPage: false,
  readsPages: true,
  restartsList: true,
  asksLastPageAgain: false,
  answersAfterCancel: false,
  hangsOnDepth: false,
  fetchesRefs: false,
  fetchesIcons: true,
  iconsAnywhere: false,
  iconCookie: false,
  fetchesUrls: false,
  leavesToolsOut: true,
  refreshesTools: true,
  repeatsOlderResults: false,
  polls: false,
  dropsAfterBadCancel: '' as '' | 'unknown' | 'malformed' | 'completed',
  /** Tasks that it asks for. */
  asTask: 'as told' as 'as told' | 'always' | 'never',
  pollsAtOnce: false,
  stopsPolling: false,
  trustsNotices: false,
  asksResultOnInput: true,
  /** Authorization. */
  readsChallenge: true,
  triesRoot: true,
  metadataOrder: 'right' as 'right' | 'reversed' | 'first only' | 'oauth only',
  checksIssuer: true,
  checksPkce: true,
  checksState: true,
  checksIss: 'exact' as 'exact' | 'never' | 'normalized',
  reusesClient: false,
  registersAnew: true,
  stepsUp: true,
  stepUpLimit: 2,
  keepsScopes: true,
  scopeFrom: 'challenge' as 'challenge' | 'nothing' | 'metadata',
  document: '' as string,
  documentAlways: false,
  registersBeside: false,
  goesOnUnregistered: false,
  rereadsUpperCase: true,
  defaultPaths: true,
  metadataFirst: true,
  needsRefresh: false,
};
export type Habits = typeof honest;

export interface Hands {
  /** In place of those it has. */
  readonly capabilities?: Body;
  /** What it says that it has, where that is something else. */
  readonly declares?: Body;
  /** What is sent in place of a message: none, several, or bytes as they are. */
  readonly out?: (message: Body) => readonly (Body | readonly Body[] | string | Buffer)[];
  readonly ask?: (ask: HttpAsk) => void;
  /** Another answer to a request of the server. */
  readonly answer?: (method: string, params: Body, answer: Body) => Body;
  readonly habits?: Partial<Habits>;
}

export const members = (value: unknown): Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : {};
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
