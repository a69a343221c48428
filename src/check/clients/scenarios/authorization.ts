// A server that wants a token, and an authorization server that gives one to whoever asks for it properly.
import type { Revision } from '../../../protocol/revision.ts';
import { isLoopbackUrl } from '../../../text/loopback.ts';
import { since } from '../../model/requirement.ts';
import type { RequirementId } from '../../model/requirement-id.ts';
import { traitsOf } from '../../model/revision.ts';
import { brief } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';
import { type Event, guarded, metadataPaths } from '../mock-authorization-server.ts';
import type { Played, Scenario } from '../scenario.ts';
import { authorizationFaults } from './authorization-faults.ts';
import { registrations } from './authorization-registration.ts';
import { begun, documented, type Steps, sound } from './authorization-steps.ts';

const flow = [
  'authorization/http',
  'authorization/challenge/parsed',
  'authorization/token/header',
  'authorization/token/every-request',
  'authorization/token/not-in-query',

  'authorization/resource-metadata/used',
  'authorization/resource-metadata/both-ways',
  'authorization/metadata/used',
  'authorization/metadata/both-kinds',
  'authorization/metadata/several-addresses',
  'authorization/metadata/order-with-path',
  'authorization/scope/from-challenge',
  'authorization/scope/authoritative',
  'authorization/scope/no-assumption',
  'authorization/registration/client-id',
  'authorization/registration/dynamic',
  'authorization/registration/application-type',
  'authorization/registration/native',
  'authorization/registration/document-address',
  'authorization/registration/document-https',
  'authorization/registration/support-checked',
  'authorization/registration/web',
  'authorization/registration/private-key-jwt',
  'authorization/refresh/offline-access',
  'authorization/refresh/grant-type',
  'authorization/refresh/not-assumed',
  'authorization/pkce',
  'authorization/pkce/s256',
  'authorization/resource/sent',
  'authorization/resource/identifies',
  'authorization/resource/canonical',
  'authorization/resource/specific',
  'authorization/resource/no-trailing-slash',
  'authorization/redirect/safe',
  'authorization/redirect/registered',
] as const;

const plainFlow: Scenario = {
  name: 'authorization',
  judges: flow,
  revisions: since('2025-06-18'),
  transports: ['http'],
  conformance: 'auth/metadata-var3',
  // From 2025-11-25 on only the last of the addresses has the metadata.
  visit: guarded(({ notes }) => ({ ...sound, metadataAt: traitsOf(notes.get('revision') as Revision).metadataOrder ? 2 : 0 })),
  judge(played, judge) {
    const steps = begun(played, flow, judge);
    if (steps === undefined) return;
    const asked = steps.of('authorize')[0];
    const known = steps.of('well-known').map(({ path }) => path);
    const isTold = steps.of('well-known').some(({ query }) => query['from'] === 'challenge');
    const read = `asked for ${known.join(', ')}`;
    judge.verdict('authorization/challenge/parsed', isTold, `the address in the challenge is not used; ${read}`, []);
    const isRead = known.some((path) => path.includes('oauth-protected-resource'));
    judge.verdict('authorization/resource-metadata/used', isRead, read, []);
    judge.kept('authorization/resource-metadata/both-ways');
    if (traitsOf(played.revision).metadataOrder) order(known, '/tenant', 'authorization/metadata/order-with-path', judge);
    else
      judge.verdict(
        'authorization/metadata/used',
        known.some((path) => path.includes('oauth-authorization-server')),
        read,
        [],
      );
    if (asked === undefined) {
      for (const id of ['authorization/metadata/both-kinds', 'authorization/metadata/several-addresses'] as const)
        judge.broken(id, 'the metadata were not found', [read]);
      return;
    }
    judge.kept('authorization/metadata/both-kinds');
    judge.kept('authorization/metadata/several-addresses');
    asking(asked, steps, played, judge);
    tokens(steps, played, judge);
  },
};

function order(known: readonly string[], issuer: string, id: RequirementId, judge: Judge): void {
  const wanted = metadataPaths(issuer);
  const seen = known.filter((path) => wanted.includes(path)).slice(0, wanted.length);
  const isOrdered = seen.length === wanted.length && seen.every((path, index) => path === wanted[index]);
  judge.verdict(id, isOrdered, `asked for ${seen.join(', then ') || 'none of them'}`, []);
}

function asking({ query, number }: Event, steps: Steps, played: Played, judge: Judge): void {
  const origin = String(played.notes.get('origin'));
  const evidence = played.exchanges.filter((one) => one.number === number);
  // An authorization server that does not know documents cannot read them either.
  if (/^https?:/.test(query['client_id'] ?? ''))
    judge.broken(
      'authorization/registration/support-checked',
      'client_id is an address, though metadata documents are not supported',
      evidence,
    );
  documented(query['client_id'] ?? '', evidence, judge);
  if ((query['scope'] ?? '').split(' ').includes('offline_access')) judge.kept('authorization/refresh/offline-access');
  if (steps.of('token').some(({ form }) => form['client_assertion'] !== undefined))
    judge.kept('authorization/registration/private-key-jwt');
  judge.verdict('authorization/registration/client-id', (query['client_id'] ?? '') !== '', 'there is no client_id', evidence);
  const hasChallenge = (query['code_challenge'] ?? '') !== '';
  judge.verdict('authorization/pkce', hasChallenge, 'there is no code_challenge', evidence);
  if (hasChallenge)
    judge.verdict(
      'authorization/pkce/s256',
      query['code_challenge_method'] === 'S256',
      `the method is ${brief(query['code_challenge_method'])}`,
      evidence,
    );
  const scopes = (query['scope'] ?? '').split(' ');
  judge.verdict('authorization/scope/from-challenge', scopes.includes('read'), `scope is ${brief(query['scope'])}`, evidence);
  judge.verdict('authorization/scope/authoritative', scopes.includes('read'), `scope is ${brief(query['scope'])}`, evidence);
  // It is not among those that the metadata list.
  judge.verdict(
    'authorization/scope/no-assumption',
    !scopes.includes('read') || scopes.includes('extra'),
    `scope is ${brief(query['scope'])}`,
    evidence,
  );
  const resource = query['resource'];
  const [redeemed] = steps.of('token');
  judge.verdict(
    'authorization/resource/sent',
    resource !== undefined && (redeemed === undefined || redeemed.form['resource'] !== undefined),
    `resource is ${brief(resource)}, then ${brief(redeemed?.form['resource'])}`,
    evidence,
  );
  if (resource !== undefined) {
    const isOurs = resource.replace(/\/$/, '') === `${origin}/mcp` || resource.replace(/\/$/, '') === origin;
    judge.verdict('authorization/resource/identifies', isOurs, `resource is ${brief(resource)}`, evidence);
    judge.verdict('authorization/resource/canonical', isOurs && !resource.includes('#'), `resource is ${brief(resource)}`, evidence);
    judge.verdict('authorization/resource/specific', resource.startsWith(`${origin}/mcp`), `resource is ${brief(resource)}`, evidence);
    judge.verdict('authorization/resource/no-trailing-slash', !resource.endsWith('/'), `resource is ${brief(resource)}`, evidence);
  }
  const back = query['redirect_uri'] ?? '';
  judge.verdict('authorization/redirect/safe', isSafe(back), `redirect_uri is ${brief(back)}`, evidence);
  registering(steps, back, judge, played);
}

function isSafe(address: string): boolean {
  return address.startsWith('https://') || (address.startsWith('http://') && isLoopbackUrl(address));
}

function registering(steps: Steps, back: string, judge: Judge, played: Played): void {
  const [registered] = steps.of('register');
  if (registered === undefined) return;
  const { json, number } = registered;
  const evidence = played.exchanges.filter((one) => one.number === number);
  judge.kept('authorization/registration/dynamic');
  const addresses = Array.isArray(json['redirect_uris']) ? json['redirect_uris'] : [];
  judge.verdict('authorization/redirect/registered', addresses.includes(back), `${brief(back)} is not among ${brief(addresses)}`, evidence);
  const type = json['application_type'];
  judge.verdict('authorization/registration/application-type', typeof type === 'string', `application_type is ${brief(type)}`, evidence);
  if (typeof type === 'string' && back.startsWith('http://') && isLoopbackUrl(back))
    judge.verdict('authorization/registration/native', type === 'native', `application_type is ${type}`, evidence);
  if (typeof type === 'string' && back.startsWith('https://') && !isLoopbackUrl(back))
    judge.verdict('authorization/registration/web', type === 'web', `application_type is ${type}`, evidence);
  const grants = Array.isArray(json['grant_types']) ? json['grant_types'] : [];
  judge.verdict('authorization/refresh/grant-type', grants.includes('refresh_token'), `grant_types are ${brief(grants)}`, evidence);
}

function tokens(steps: Steps, { exchanges, process }: Played, judge: Judge): void {
  const [redeemed] = steps.of('token');
  if (redeemed === undefined) return;
  const later = steps.of('server').filter(({ number }) => number > redeemed.number);
  if (later.length === 0) {
    // Whoever only wanted to log in leaves well.
    if (!process.stopped && process.code !== 0)
      judge.broken('authorization/refresh/not-assumed', 'the client fails with a token that came without one to refresh it', []);
    return;
  }
  const given = later.filter(({ headers }) => headers['authorization']?.startsWith('Bearer granted-') === true);
  const bare = later.find((one) => !given.includes(one));
  const show = (event: Event | undefined) => exchanges.filter((one) => one.number === event?.number);
  judge.verdict('authorization/token/header', given.length > 0, 'the token is not in the header Authorization', show(later[0]));
  judge.verdict('authorization/token/every-request', bare === undefined, 'a request without the token', show(bare));
  const inAddress = steps.events.find(
    ({ query, path }) => path === '/mcp' && Object.values(query).some((value) => value.startsWith('granted-')),
  );
  judge.verdict('authorization/token/not-in-query', inAddress === undefined, 'the token is in the address', show(inAddress));
  if (given.length > 0) for (const id of ['authorization/http', 'authorization/refresh/not-assumed'] as const) judge.kept(id);
  const other = steps.of('server').find(({ headers }) => headers['authorization']?.startsWith('Bearer ') === false);
  if (other !== undefined) judge.broken('authorization/http', 'another kind of authorization is tried', show(other));
}

const wellKnown: Scenario = {
  name: 'authorization-well-known',
  judges: ['authorization/resource-metadata/both-ways', 'authorization/metadata/order-without-path', 'authorization/scope/from-metadata'],
  revisions: since('2025-11-25'),
  transports: ['http'],
  conformance: 'auth/metadata-var1',
  visit: guarded(() => ({ issuer: '', challenge: { metadata: false }, protectedAt: 'root', metadataAt: 1 })),
  judge(played, judge) {
    const steps = begun(played, this.judges, judge);
    if (steps === undefined) return;
    const known = steps.of('well-known').map(({ path }) => path);
    const first = known.filter((path) => path.includes('oauth-protected-resource')).slice(0, 2);
    const isBoth = first[0] === '/.well-known/oauth-protected-resource/mcp' && first[1] === '/.well-known/oauth-protected-resource';
    judge.verdict('authorization/resource-metadata/both-ways', isBoth, `asked for ${first.join(', then ') || 'neither'}`, []);
    order(known, '', 'authorization/metadata/order-without-path', judge);
    const [asked] = steps.of('authorize');
    if (asked === undefined) return;
    const scopes = asked.query['scope']?.split(' ');
    const isAll = scopes === undefined || (scopes.includes('read') && scopes.includes('write'));
    judge.verdict('authorization/scope/from-metadata', isAll, `scope is ${brief(asked.query['scope'])}`, []);
  },
};

const older: Scenario = {
  name: 'authorization-older',
  judges: [
    'authorization/metadata/used',
    'authorization/metadata/version-header',
    'authorization/metadata/base-url',
    'authorization/metadata/default-paths',
    'authorization/metadata/before-default-paths',
    'authorization/pkce',
    'authorization/registration/dynamic',
    'authorization/redirect/safe',
    'authorization/token/header',
    'authorization/token/every-request',
    'authorization/token/not-in-query',
    'authorization/http',
  ],
  revisions: ['2025-03-26'],
  transports: ['http'],
  conformance: 'auth/2025-03-26-oauth-endpoint-fallback',
  visit: guarded(() => ({ issuer: '', challenge: { metadata: false }, protectedAt: 'nowhere', metadataAt: -1 })),
  judge(played, judge) {
    const steps = begun(played, this.judges, judge);
    if (steps === undefined) return;
    const root = steps.of('well-known').find(({ path }) => path === '/.well-known/oauth-authorization-server');
    judge.verdict('authorization/metadata/used', root !== undefined, 'the metadata are not asked for', []);
    judge.verdict('authorization/metadata/base-url', root !== undefined, 'the metadata are not asked for at the root', []);
    if (root !== undefined)
      judge.verdict(
        'authorization/metadata/version-header',
        root.headers['mcp-protocol-version'] !== undefined,
        'there is no MCP-Protocol-Version',
        [],
      );
    const next = steps.events.find(({ what }) => what === 'register' || what === 'authorize');
    judge.verdict('authorization/metadata/default-paths', next !== undefined, 'the default paths are not used', []);
    if (next === undefined) return;
    judge.verdict(
      'authorization/metadata/before-default-paths',
      root !== undefined && root.number < next.number,
      'the default paths are used before the metadata are asked for',
      [],
    );
    const [asked] = steps.of('authorize');
    if (asked !== undefined) {
      judge.verdict('authorization/pkce', (asked.query['code_challenge'] ?? '') !== '', 'there is no code_challenge', []);
      const back = asked.query['redirect_uri'] ?? '';
      judge.verdict('authorization/redirect/safe', isSafe(back), `redirect_uri is ${brief(back)}`, []);
    }
    if (steps.of('register').length > 0) judge.kept('authorization/registration/dynamic');
    tokens(steps, played, judge);
  },
};

export const authorization: readonly Scenario[] = [plainFlow, wellKnown, ...registrations, ...authorizationFaults, older];
