// Settings that all sessions of a server share.
import type { Audit } from '../access/audit.ts';
import type { ImageLimits } from '../image/image.ts';
import type { WarmPool } from '../image/warm-pool.ts';
import type { SandboxTerms } from '../sandbox/sandbox.ts';

export interface SessionTerms extends ImageLimits {
  /** May change until the first image is started. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly heapMb: number;
  /** Files that every fresh image loads. */
  readonly load: readonly string[];
  readonly maxOutput: number;
  readonly maxQueued: number;
  /** Masks secrets in what goes to a model. */
  mask(text: string): string;
  /** How many characters at its end may begin a secret. */
  unfinished(text: string): number;
  /** Run images in bubblewrap. */
  readonly sandbox?: SandboxTerms | undefined;
  /** How long an interrupt may take before the image is killed. */
  readonly graceMs: number;
  readonly warmPool: WarmPool;
  readonly audit: Audit;
}
