// The stdio transport: lines of UTF-8 between a client and the server it starts.
import { all, legacy, type Requirement, since } from '../requirement.ts';

const stdio = ['stdio'] as const;
const page = 'basic/transports#stdio';

export const stdioRequirements: readonly Requirement[] = [
  {
    id: 'stdio/no-embedded-newline',
    level: 'MUST NOT',
    party: 'both',
    revisions: all,
    transports: stdio,
    text: 'A message is one line: it holds no newline, and a newline ends it.',
    page,
    pages: { '2026-07-28': 'basic/transports/stdio' },
    judged: 'rule',
  },
  {
    id: 'stdio/stdout-clean',
    level: 'MUST NOT',
    party: 'server',
    revisions: all,
    transports: stdio,
    text: 'The server writes nothing to stdout that is not a valid message.',
    page,
    pages: { '2026-07-28': 'basic/transports/stdio' },
    judged: 'rule',
  },
  {
    id: 'stdio/shutdown/sigterm',
    level: 'SHOULD',
    party: 'client',
    revisions: legacy,
    transports: stdio,
    text: 'A client that ends a server waits for it to exit after closing its input, and sends SIGTERM when that takes too long.',
    page: 'basic/lifecycle#stdio',
    judged: 'probe',
  },
  {
    id: 'stdio/exit-on-eof',
    level: 'SHOULD',
    party: 'server',
    revisions: since('2026-07-28'),
    transports: stdio,
    text: 'The server exits promptly when its input is closed.',
    page: 'basic/transports/stdio#shutdown',
    judged: 'probe',
  },
];
