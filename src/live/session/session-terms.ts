// What all sessions of a server have in common.
import type { Audit } from '../access/audit.ts';
import type { ImageLimits } from '../image/image.ts';
import type { WarmPool } from '../image/warm-pool.ts';
import type { SandboxTerms } from '../sandbox/sandbox.ts';

export interface SessionTerms extends ImageLimits {
  /** May change until the first image is there. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly heapMb: number;
  /** Files brought into every fresh image. */
  readonly load: readonly string[];
  readonly maxOutput: number;
  readonly maxQueued: number;
  /** Of what goes to a model. */
  mask(text: string): string;
  /** How much of its end may be the beginning of a secret. */
  unfinished(text: string): number;
  /** Behind bubblewrap. */
  readonly sandbox?: SandboxTerms | undefined;
  /** How long an interrupt may take before the image is ended. */
  readonly graceMs: number;
  readonly warmPool: WarmPool;
  readonly audit: Audit;
}
