// What the sources expect of a validator.
import { all, legacy, none, type Requirement } from './requirement.ts';

export const check: readonly Requirement[] = [
  {
    id: 'check/companions',
    says: 'Beside a library, authors need a test runner, a validator, an inspector and a way to add servers to clients.',
    level: 'FACT',
    party: 'both',
    revisions: none,
    rows: ['list 0-2'],
    later: 'inspect',
  },
  {
    id: 'check/generated-cases',
    says: 'Test cases can be made from the schemas that a server lists.',
    level: 'FACT',
    party: 'both',
    revisions: none,
    rows: ['list 0-3'],
    proof: [
      'test/check/cases/suite.test.ts > are valid, at the bounds, invalid by each keyword, incomplete, with more than is known, and hostile',
    ],
  },
  {
    id: 'check/score',
    says: 'A server gets a score from 0 to 100, and a good one reaches 100.',
    level: 'FACT',
    party: 'both',
    revisions: none,
    rows: ['list 0-4'],
    proof: ['test/check/report/report.test.ts > goes from 0, when no MUST was seen to be kept, to 100, when all that apply were'],
  },
  {
    id: 'check/report',
    says: 'An evaluation ends in a report for people and for programs.',
    level: 'FACT',
    party: 'both',
    revisions: none,
    rows: ['list 0-6'],
    proof: [
      'test/check/report/report.test.ts > judges by the one revision that was asked for, as data and as text with a table of sections',
    ],
  },
  {
    id: 'check/named-requirements',
    says: 'Every statement of the list has a test of its own, with a name and a level.',
    level: 'FACT',
    party: 'both',
    revisions: all,
    rows: ['list 0-10'],
    proof: [
      'test/check/catalogue/catalogue/rows.test.ts > is a requirement of the same id, or is mapped to others, or has a reason',
      'test/check/catalogue/catalogue.test.ts > gives every requirement an id like a path',
    ],
  },
  {
    id: 'check/sections',
    says: 'Results are grouped as the list is: base protocol, server features, client features, utilities, errors.',
    level: 'FACT',
    party: 'both',
    revisions: all,
    rows: ['list 0-11'],
    proof: [
      'test/check/report/report.test.ts > judges by the one revision that was asked for, as data and as text with a table of sections',
    ],
  },
  {
    id: 'check/revision',
    says: 'A server can be judged by one revision, such as 2025-03-26.',
    level: 'FACT',
    party: 'server',
    revisions: legacy,
    rows: ['lisp cl-64'],
    proof: [
      'test/check/report/report.test.ts > judges by the one revision that was asked for, as data and as text with a table of sections',
      'test/cli/commands/live/live/surface.test.ts > finds nothing broken in any revision',
    ],
  },
];
