// The port between a porch on HTTP and whoever authorizes: `serve/` asks, `auth/` answers, neither imports the other.

/** Who calls. On stdio there is none: the local user, with every scope granted. */
export interface Principal {
  readonly id: string;
  readonly scopes: readonly string[];
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** The head of a request, as far as authorization may look at it. */
export interface RequestHead {
  readonly method: string;
  /** Of the URL, with its query. */
  readonly target: string;
  /** By lower-case name. */
  header(name: string): string | undefined;
  /** How often the header was sent: two of a kind must never be a choice. */
  count(name: string): number;
}

export type Admission = { readonly principal: Principal } | { readonly refused: Refused };

export interface Refused {
  /** 400: malformed; 401: no or a bad token; 403: a good token that does not reach far enough; 503: nobody can tell just now. */
  readonly status: 400 | 401 | 403 | 503;
  /** Of OAuth: `invalid_request`, `invalid_token`, `insufficient_scope`, or `temporarily_unavailable`. */
  readonly error: string;
  /** For whoever reads the answer; never says more than an attacker may know. */
  readonly description: string;
  /** The whole value of `WWW-Authenticate`. */
  readonly challenge?: string;
  readonly retryAfterSeconds?: number;
}

export interface Authorizer {
  /** `resource` is the public URL of the endpoint. Plain when it is known at once, a promise when it takes time. */
  admit(head: RequestHead, resource: string): Admission | Promise<Admission>;
  /** What is said to a principal that lacks some of these scopes: the challenge names all that are needed. */
  stepUp(scopes: readonly string[], principal: Principal, resource: string): Refused;
  /** Tokens are compared with the public URL: then that must not be something a caller can choose. */
  readonly usesResource?: boolean;
  /** A document that anyone may read, such as the metadata of the protected resource; by path. */
  document?(path: string, resource: string): object | undefined;
}

/** What a client needs a token for. */
export interface TokenRequest {
  /** The URL of the MCP endpoint. */
  readonly resource: string;
  /** 401 or 403, when the server has refused. */
  readonly status?: number;
  /** `WWW-Authenticate` of the refusal, as it came. */
  readonly challenge?: string;
  /** The token that was refused: a provider that holds a newer one gives that, without asking for another. */
  readonly stale?: string;
  readonly signal?: AbortSignal;
}

/** A token with the scheme it is sent under; a string alone is a bearer token. */
export interface AccessToken {
  readonly value: string;
  readonly scheme: 'Bearer' | 'DPoP';
}

/** Gives a client its tokens. It is asked before every request, and once more after a refusal. */
export interface AuthProvider {
  /** `undefined`: go without one. Rejects when there is no way to get one: the reason is what the user is told. */
  token(request: TokenRequest): string | AccessToken | undefined | Promise<string | AccessToken | undefined>;
  /** The proof that goes with a DPoP token, made anew for every request. */
  proof?(request: { readonly method: string; readonly url: string; readonly token: string }): Promise<string>;
  /** The server's `DPoP-Nonce`: later proofs hold it. */
  nonce?(value: string, url: string): void;
}
