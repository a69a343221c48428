// Servers that do not end as they should.
import type { Mutant } from './mutant.ts';

export const endingMutants: readonly Mutant[] = [
  { id: 'stdio/exit-on-sigterm', does: 'stays at SIGTERM', revision: '2025-11-25', meddle: () => ({ deaf: true }) },
  {
    id: 'stdio/exit-on-sigterm',
    does: 'leaves half a message behind at SIGTERM',
    revision: '2025-06-18',
    meddle: () => ({ dying: '{"jsonrpc":"2.0","id":1,"res' }),
  },
];
