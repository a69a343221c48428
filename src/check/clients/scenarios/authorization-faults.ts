// Authorization that goes wrong: answers that a client must not trust, scopes that do not suffice, and a server that moves.

import { since } from '../../model/requirement.ts';
import type { RequirementId } from '../../model/requirement-id.ts';
import { brief } from '../../model/value.ts';
import { type Grant, guarded } from '../mock-authorization-server.ts';
import type { Scenario } from '../scenario.ts';
import { begun, sound } from './authorization-steps.ts';

/** Scenarios in which a client must stop: before it sends its user anywhere, or before it redeems the code. */
function mustStop(
  name: string,
  id: RequirementId,
  revisions: Scenario['revisions'],
  grant: Grant,
  before: 'authorize' | 'token',
  why: string,
): Scenario {
  return {
    name,
    judges: [id],
    ...(revisions !== undefined && { revisions }),
    transports: ['http'],
    conformance: `auth/${name.replace('authorization-', '')}`,
    visit: guarded(() => grant),
    judge(played, judge) {
      const steps = begun(played, [id], judge);
      if (steps === undefined) return;
      const [wrong] = steps.of(before);
      if (wrong !== undefined)
        return judge.broken(
          id,
          why,
          played.exchanges.filter((one) => one.number === wrong.number),
        );
      const came = before === 'authorize' ? steps.of('well-known') : steps.of('authorize');
      if (came.length > 0) judge.kept(id);
      else judge.unsure(id, 'the client did not come so far');
    },
  };
}

const stops: readonly Scenario[] = [
  mustStop(
    'authorization-iss-wrong-issuer',
    'authorization/issuer/validated',
    ['2026-07-28'],
    { ...sound, redirect: (given) => ({ ...given, iss: 'https://elsewhere.example' }) },
    'token',
    'the code of another issuer is redeemed',
  ),
  mustStop(
    'authorization-iss-normalized',
    'authorization/issuer/exact',
    ['2026-07-28'],
    { ...sound, redirect: (given) => ({ ...given, iss: `${given['iss']}/` }) },
    'token',
    'an issuer with another slash is taken for the same',
  ),
  mustStop(
    'authorization-metadata-issuer-mismatch',
    'authorization/metadata/issuer-checked',
    ['2026-07-28'],
    { ...sound, metadata: (origin) => ({ issuer: `${origin}/another` }) },
    'authorize',
    'metadata of another issuer are used',
  ),
  mustStop(
    'authorization-no-pkce',
    'authorization/pkce/verified',
    since('2025-11-25'),
    { ...sound, metadata: () => ({ code_challenge_methods_supported: undefined }) },
    'authorize',
    'the authorization server does not say that it supports PKCE',
  ),
  mustStop(
    'authorization-wrong-state',
    'authorization/state',
    since('2025-06-18'),
    { ...sound, redirect: (given) => ({ ...given, state: 'another' }) },
    'token',
    'an answer with another state is accepted',
  ),
];

const stepUp: Scenario = {
  name: 'authorization-step-up',
  judges: ['authorization/step-up', 'authorization/step-up/limits', 'authorization/scope/kept'],
  revisions: since('2025-11-25'),
  transports: ['http'],
  conformance: 'auth/scope-step-up',
  visit: guarded(() => ({
    ...sound,
    admitted({ body, notes }) {
      if (!body.includes('"tools/call"')) return undefined;
      return {
        status: 403,
        headers: {
          'www-authenticate': `Bearer error="insufficient_scope", scope="write", resource_metadata="${String(notes.get('origin'))}/.well-known/oauth-protected-resource/mcp"`,
        },
      };
    },
  })),
  judge(played, judge) {
    const steps = begun(played, this.judges, judge);
    const refused = steps?.of('server').find(({ status }) => status === 403);
    if (steps === undefined || refused === undefined) return;
    const again = steps.of('authorize').filter(({ number }) => number > refused.number);
    const [next] = again;
    if (next === undefined) return judge.unsure('authorization/step-up', 'the client does not ask for more; it may have told its user');
    const scopes = (next.query['scope'] ?? '').split(' ');
    judge.verdict('authorization/step-up', scopes.includes('write'), `scope is ${brief(next.query['scope'])}`, []);
    judge.verdict('authorization/scope/kept', scopes.includes('read'), `scope is ${brief(next.query['scope'])}; read was there before`, []);
    // Four tools at most are called, each of which may be tried a few times.
    judge.verdict('authorization/step-up/limits', again.length <= 12, `the client asked ${again.length} times`, []);
  },
};

const moved: Scenario = {
  name: 'authorization-moved',
  judges: [
    'authorization/registration/bound',
    'authorization/registration/not-reused',
    'authorization/registration/renewed',
    'authorization/registration/mismatch-shown',
    'authorization/token/foreign',
  ],
  revisions: ['2026-07-28'],
  transports: ['http'],
  conformance: 'auth/authorization-server-migration',
  visit: guarded(({ notes, body }) => {
    if (body.includes('"tools/call"')) notes.set('moved', true);
    const isMoved = notes.get('moved') === true;
    return {
      ...sound,
      issuer: isMoved ? '/other' : '/tenant',
      admitted: (visit, token) =>
        isMoved && token === 'granted-1'
          ? {
              status: 401,
              headers: {
                'www-authenticate': `Bearer error="invalid_token", resource_metadata="${String(visit.notes.get('origin'))}/.well-known/oauth-protected-resource/mcp"`,
              },
            }
          : undefined,
    };
  }),
  judge(played, judge) {
    const steps = begun(played, this.judges, judge);
    const asked = steps?.of('authorize').find(({ path }) => path.startsWith('/other'));
    if (steps === undefined || asked === undefined || steps.of('register').length === 0) return;
    const isOld = asked.query['client_id'] === 'client-of-tenant';
    const [redeemed] = steps.of('token').filter(({ path }) => path.startsWith('/other'));
    const after = redeemed === undefined ? [] : steps.of('server').filter(({ number }) => number > redeemed.number);
    const stale = after.find(({ headers }) => headers['authorization'] === 'Bearer granted-1');
    if (after.length > 0)
      judge.verdict(
        'authorization/token/foreign',
        stale === undefined,
        'a token of the old authorization server is sent, though there is one of the new',
        played.exchanges.filter(({ number }) => number === stale?.number),
      );
    const evidence = played.exchanges.filter((one) => one.number === asked.number);
    judge.verdict(
      'authorization/registration/not-reused',
      !isOld,
      'the client_id of the old authorization server is used with the new one',
      evidence,
    );
    judge.verdict(
      'authorization/registration/bound',
      !isOld,
      'the client_id of the old authorization server is used with the new one',
      evidence,
    );
    judge.verdict(
      'authorization/registration/mismatch-shown',
      !isOld,
      'the client_id of the old authorization server is tried without a word',
      evidence,
    );
    judge.verdict(
      'authorization/registration/renewed',
      steps.of('register').some(({ path }) => path.startsWith('/other')),
      'the client does not register with the new authorization server',
      evidence,
    );
  },
};

export const authorizationFaults: readonly Scenario[] = [...stops, stepUp, moved];
