// How a client comes by its client id: by a metadata document where that is possible, or by registering, which may be refused.
import { since } from '../../model/requirement.ts';
import { brief } from '../../model/value.ts';
import { guarded, json } from '../mock-authorization-server.ts';
import type { Scenario } from '../scenario.ts';
import { begun, documented, sound } from './authorization-steps.ts';

const document: Scenario = {
  name: 'authorization-document',
  judges: [
    'authorization/registration/document',
    'authorization/registration/order',
    'authorization/registration/support-checked',
    'authorization/registration/document-https',
    'authorization/registration/document-address',
  ],
  revisions: since('2025-11-25'),
  transports: ['http'],
  conformance: 'auth/basic-cimd',
  visit: guarded(() => ({ ...sound, metadata: () => ({ client_id_metadata_document_supported: true }) })),
  judge(played, judge) {
    const steps = begun(played, this.judges, judge);
    const [asked] = steps?.of('authorize') ?? [];
    if (steps === undefined || asked === undefined) return;
    const id = asked.query['client_id'] ?? '';
    if (!/^https?:/.test(id)) {
      for (const one of this.judges) judge.unsure(one, 'the client has no metadata document; it registers');
      return;
    }
    const evidence = played.exchanges.filter(({ number }) => number === asked.number);
    judge.kept('authorization/registration/document');
    judge.kept('authorization/registration/support-checked');
    documented(id, evidence, judge);
    const [registered] = steps.of('register');
    judge.verdict(
      'authorization/registration/order',
      registered === undefined,
      'the client registers, though it has a metadata document',
      played.exchanges.filter(({ number }) => number === registered?.number),
    );
  },
};

const refused: Scenario = {
  name: 'authorization-registration-refused',
  judges: ['authorization/registration/failure', 'authorization/registration/retried'],
  revisions: ['2026-07-28'],
  transports: ['http'],
  conformance: 'auth/basic-dcr',
  visit: guarded(() => ({
    ...sound,
    registered: () => json(400, { error: 'invalid_redirect_uri', error_description: 'Not this one' }),
  })),
  judge(played, judge) {
    const steps = begun(played, this.judges, judge);
    const tries = steps?.of('register') ?? [];
    if (steps === undefined || tries.length === 0) return;
    const [asked] = steps.of('authorize').filter(({ number }) => number > (tries[0]?.number ?? 0));
    const evidence = played.exchanges.filter(({ number }) => number === (asked ?? tries.at(-1))?.number);
    const id = asked?.query['client_id'] ?? '';
    const bodies = new Set(tries.map(({ json: told }) => JSON.stringify(told)));
    if (bodies.size > 1) judge.kept('authorization/registration/retried');
    const failure = 'authorization/registration/failure';
    if (asked !== undefined && !/^https?:/.test(id))
      judge.broken(failure, `after the refusal the client asks for authorization as ${brief(id)}`, evidence);
    else if (tries.length > 10) judge.broken(failure, `the client registers ${tries.length} times`, evidence);
    else if (played.process.stopped) judge.broken(failure, 'the client neither left nor said anything', evidence);
    else judge.kept(failure);
  },
};

const upperCase: Scenario = {
  name: 'authorization-upper-case',
  judges: ['authorization/resource/case'],
  revisions: since('2025-06-18'),
  transports: ['http'],
  conformance: 'auth/metadata-default',
  visit: guarded(() => ({ ...sound, resource: (origin) => `${origin.replace('http:', 'HTTP:')}/mcp` })),
  judge(played, judge) {
    const steps = begun(played, this.judges, judge);
    if (steps === undefined) return;
    const isRead = steps.of('authorize').length > 0;
    judge.verdict('authorization/resource/case', isRead, 'the client stops at a resource whose scheme is in upper case', []);
  },
};

export const registrations: readonly Scenario[] = [document, refused, upperCase];
