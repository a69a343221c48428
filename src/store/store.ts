// What the house keeps between requests, as an interface: one process keeps it in memory, several share it.

/** For questions that were asked in one request and are answered in another. Values expire by themselves. */
export interface Vault {
  put(id: string, value: string, ttlMs: number): Promise<void>;
  get(id: string): Promise<string | undefined>;
  /** True for the first who asks, false for everyone after. */
  claim(id: string, ttlMs: number): Promise<boolean>;
  /** Keys of 32 bytes, the newest first; every node that shares the store has the same. */
  keys(): Promise<readonly Uint8Array[]>;
}

export interface Store extends Vault {
  close(): Promise<void>;
}
