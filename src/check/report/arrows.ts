// Evidence as text: which way each line went.
import type { EvidenceLine } from '../model/evidence.ts';

const arrows: Readonly<Record<EvidenceLine['direction'], string>> = { sent: '→', received: '←', note: '·' };

export function withArrows(evidence: readonly EvidenceLine[]): readonly string[] {
  return evidence.map(({ direction, text }) => `${arrows[direction]} ${text}`);
}
