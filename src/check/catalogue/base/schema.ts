// What only the comments of the schema say.

import { all, legacy, type Requirement, since } from '../../model/requirement.ts';
import { internal, permission } from '../unobservable.ts';

export const schemaRequirements: readonly Requirement[] = [
  {
    id: 'errors/message',
    level: 'SHOULD',
    party: 'both',
    parties: { '2026-07-28': 'server' },
    revisions: all,
    text: 'The message of an error is one short sentence.',
    page: 'basic#responses',
    pages: { '2024-11-05': 'basic/messages#responses', '2025-11-25': 'basic#error-responses', '2026-07-28': 'basic#error-responses' },
    judged: 'rule',
  },
  {
    id: 'lifecycle/version/older',
    level: 'MAY',
    party: 'client',
    revisions: legacy,
    text: 'A client may support older versions than the one it asks for.',
    page: 'basic/lifecycle#version-negotiation',
    judged: permission,
  },
  {
    id: 'lifecycle/instructions',
    level: 'MAY',
    party: 'client',
    revisions: legacy,
    text: 'A client may give its model the instructions of the server.',
    page: 'basic/lifecycle#initialization',
    judged: permission,
  },
  {
    id: 'icons/svg',
    level: 'SHOULD',
    party: 'both',
    revisions: since('2025-11-25'),
    text: 'Whoever shows an SVG takes care, because it can hold scripts.',
    page: 'basic#icons',
    judged: internal,
  },
  {
    id: 'icons/domain',
    level: 'SHOULD',
    party: 'both',
    revisions: since('2025-11-25'),
    text: 'Whoever shows an icon makes sure that it comes from the domain of its server or client, or from one that is trusted.',
    page: 'basic#icons',
    judged: internal,
  },
];
