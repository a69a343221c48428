// One attempt to get a token: with whom, for what, by which means.
import type { ClientAuth } from 'oauth4webapi';
import type { Reach } from './allowed-addresses.ts';
import type { Ask } from './authorization-server-request.ts';
import type { DpopKey, Nonces } from './dpop.ts';
import type { KeptTokens } from './fallback-token-store.ts';
import type { AuthServer } from './server-discovery.ts';

export interface Round {
  readonly server: AuthServer;
  /** As published; undefined when the server publishes nothing. */
  readonly resource: string | undefined;
  readonly endpoint: string;
  readonly ask: Ask;
  readonly reach: Reach;
  readonly store: KeptTokens;
  readonly signal: AbortSignal;
  /** The key new tokens are to be bound to. */
  readonly key: DpopKey | undefined;
  readonly nonces: Nonces;
}

/** Who the client is at an authorization server, and how it proves it. */
export interface Party {
  readonly clientId: string;
  readonly authenticate: ClientAuth;
}

export interface TokenAnswer {
  readonly access: string;
  readonly scheme: 'Bearer' | 'DPoP';
  readonly refresh: string | undefined;
  /** Undefined: what was asked for. */
  readonly granted: readonly string[] | undefined;
  readonly seconds: number | undefined;
}

/** How a kind of client gets its tokens. */
export interface Method {
  /** Tells apart clients that share a store. */
  readonly identity: string;
  /** It takes a person: tokens are not asked for before a server has refused. */
  readonly interactive: boolean;
  /** Who the client is at this server; it may have to register first. */
  party(round: Round): Promise<Party>;
  obtain(round: Round, party: Party, scopes: readonly string[]): Promise<TokenAnswer>;
  /** Of those that the server of the resource names, the issuer to use. */
  choose(servers: readonly string[]): string;
  /** The server does not know the client any more. True when it is worth trying again. */
  forget?(round: Round, party: Party): Promise<boolean>;
}
