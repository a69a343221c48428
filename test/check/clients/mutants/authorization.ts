// Clients that come by a token, or use it, as they should not.
import type { RequirementId } from '../../../../src/check/model/requirement-id.ts';
import type { HttpAsk } from '../model/hands.ts';
import { members } from '../model/hands.ts';
import { asking, habits, type Mutant, onAsk, type Revision } from './mutant.ts';

const modern = '2026-07-28';
const page = (path: RegExp, change: (query: URLSearchParams, url: URL) => void) =>
  asking(({ url, method }) => {
    if (method === 'GET' && path.test(url.pathname)) change(url.searchParams, url);
  });
const authorize = (change: (query: URLSearchParams, url: URL) => void) => page(/\/authorize$/, change);
const register = (change: (told: Record<string, unknown>) => void, more?: (ask: HttpAsk) => void) =>
  asking((ask) => {
    more?.(ask);
    if (!ask.url.pathname.endsWith('/register')) return;
    const told = members(JSON.parse(ask.body ?? '{}'));
    change(told);
    ask.body = JSON.stringify(told);
  });
const document = 'https://client.example/id.json';

type Name = RequirementId extends infer Id ? (Id extends `authorization/${infer Rest}` ? Rest : never) : never;

const one = (id: Name, does: string, hands: Mutant['hands'], more: Partial<Mutant> & { revision?: Revision } = {}): Mutant => ({
  id: `authorization/${id}`,
  does,
  revision: modern,
  transport: 'http',
  hands,
  ...more,
});
const ids = (...names: readonly Name[]): readonly RequirementId[] => names.map((name) => `authorization/${name}` as const);

export const authorizations: readonly Mutant[] = [
  one('challenge/parsed', 'does not read the challenge', habits({ readsChallenge: false }), {
    also: ids('scope/from-challenge', 'scope/authoritative', 'scope/no-assumption', 'step-up'),
  }),
  one('resource-metadata/used', 'guesses who gives tokens', habits({ usesResourceMetadata: false }), {
    also: ids(
      'challenge/parsed',
      'metadata/both-kinds',
      'metadata/several-addresses',
      'metadata/order-with-path',
      'resource-metadata/both-ways',
      'resource/case',
      'scope/from-metadata',
    ),
  }),
  one('resource-metadata/both-ways', 'tries one address for the metadata', habits({ triesRoot: false }), {
    also: ids('metadata/order-without-path'),
  }),
  one('metadata/used', 'asks for no metadata', habits({ asksMetadata: false }), {
    revision: '2025-03-26',
    twins: ids('metadata/base-url'),
    also: ids('metadata/before-default-paths'),
  }),
  one(
    'metadata/version-header',
    'names no version there',
    asking(({ url, headers }) => url.pathname.includes('well-known') && delete headers['mcp-protocol-version']),
    { revision: '2025-03-26' },
  ),
  one('metadata/default-paths', 'has no default paths', habits({ defaultPaths: false }), { revision: '2025-03-26' }),
  one('metadata/before-default-paths', 'tries the default paths first', habits({ metadataFirst: false }), { revision: '2025-03-26' }),
  one('metadata/both-kinds', 'knows one kind of metadata', habits({ metadataOrder: 'oauth only' }), {
    twins: ids('metadata/several-addresses'),
    also: ids('metadata/order-with-path', 'metadata/order-without-path'),
  }),
  one('metadata/order-with-path', 'has another order', habits({ metadataOrder: 'reversed' }), {
    twins: ids('metadata/order-without-path'),
  }),
  one('metadata/issuer-checked', 'takes the metadata of anybody', habits({ checksIssuer: false })),
  one('scope/authoritative', 'asks for what it likes', habits({ scopeFrom: 'nothing' }), {
    twins: ids('scope/from-challenge'),
    also: ids('scope/from-metadata', 'step-up', 'scope/kept'),
  }),
  one('http', 'tries a password first', habits({ basic: true })),
  one(
    'scope/no-assumption',
    'asks for what the metadata list only',
    page(/^\/tenant\/authorize$/, (query) => query.set('scope', (query.get('scope') ?? '').replace(' extra', ''))),
  ),
  one(
    'token/foreign',
    'keeps the token of the old authorization server',
    asking(({ headers }) => {
      if (headers['authorization'] === 'Bearer granted-2') headers['authorization'] = 'Bearer granted-1';
    }),
  ),
  one(
    'scope/from-metadata',
    'asks for a part of it',
    page(/^\/authorize$/, (query) => query.set('scope', 'read')),
  ),
  one('scope/kept', 'forgets what it had', habits({ keepsScopes: false })),
  one(
    'step-up',
    'asks for the same again',
    page(/^\/tenant\/authorize$/, (query) => query.set('scope', 'read extra')),
  ),
  one('step-up/limits', 'asks without end', habits({ stepUpLimit: 16 })),
  one(
    'registration/client-id',
    'has no client id',
    authorize((query) => query.delete('client_id')),
    { also: ids('registration/bound', 'registration/not-reused') },
  ),
  one('registration/document-https', 'has its document on HTTP', habits({ document: 'http://client.example/id.json' }), {
    twins: ids('registration/document-address'),
  }),
  one('registration/document-address', 'has a document without a path', habits({ document: 'https://client.example' })),
  one('registration/support-checked', 'always uses its document', habits({ document, documentAlways: true })),
  one('registration/order', 'registers although it has a document', habits({ document, registersBeside: true })),
  one(
    'registration/application-type',
    'does not say what it is',
    register((told) => delete told['application_type']),
  ),
  one(
    'registration/native',
    'says that it is on the web',
    register((told) => Object.assign(told, { application_type: 'web' })),
  ),
  one(
    'registration/web',
    'says that it is on this machine',
    register(
      (told) => Object.assign(told, { redirect_uris: ['https://client.example/back'] }),
      ({ url }) => url.searchParams.has('redirect_uri') && url.searchParams.set('redirect_uri', 'https://client.example/back'),
    ),
  ),
  one('registration/failure', 'goes on when it is refused', habits({ goesOnUnregistered: true })),
  one('registration/not-reused', 'has one client id for all', habits({ reusesClient: true }), {
    twins: ids('registration/bound', 'registration/mismatch-shown', 'registration/renewed'),
  }),
  one('registration/renewed', 'makes up a client id', habits({ registersAnew: false })),
  one(
    'refresh/grant-type',
    'does not say that it refreshes',
    register((told) => Object.assign(told, { grant_types: ['authorization_code'] })),
  ),
  one('refresh/not-assumed', 'fails without a token to refresh', habits({ needsRefresh: true })),
  one(
    'pkce',
    'does without PKCE',
    authorize((query) => query.delete('code_challenge')),
  ),
  one(
    'pkce/s256',
    'uses the plain method',
    authorize((query) => query.set('code_challenge_method', 'plain')),
  ),
  one('pkce/verified', 'does not look for PKCE', habits({ checksPkce: false })),
  one(
    'resource/sent',
    'does not say what for',
    authorize((query) => query.delete('resource')),
  ),
  one(
    'resource/identifies',
    'asks for another server',
    authorize((query) => query.set('resource', 'https://elsewhere.example/mcp')),
    { twins: ids('resource/canonical', 'resource/specific') },
  ),
  one(
    'resource/canonical',
    'has a fragment in it',
    authorize((query) => query.set('resource', `${query.get('resource')}#part`)),
    { twins: ids('resource/identifies') },
  ),
  one(
    'resource/specific',
    'names the whole host',
    authorize((query) => query.set('resource', new URL(query.get('resource') ?? '').origin)),
  ),
  one(
    'resource/no-trailing-slash',
    'adds a slash',
    authorize((query) => query.set('resource', `${query.get('resource')}/`)),
  ),
  one('resource/case', 'stumbles over upper case', habits({ rereadsUpperCase: false })),
  one(
    'redirect/safe',
    'is sent back over HTTP',
    authorize((query) => query.set('redirect_uri', 'http://elsewhere.example/back')),
    { also: ids('redirect/registered') },
  ),
  one(
    'redirect/registered',
    'is sent back elsewhere',
    authorize((query) => query.set('redirect_uri', 'http://localhost:3001/other')),
  ),
  one('state', 'does not look at the state', habits({ checksState: false })),
  one('issuer/validated', 'does not look at the issuer', habits({ checksIss: 'never' }), { twins: ids('issuer/exact') }),
  one('issuer/exact', 'takes issuers for the same', habits({ checksIss: 'normalized' })),
  one(
    'token/header',
    'has the token in the address',
    asking(({ url, headers }) => {
      const token = headers['authorization']?.slice(7);
      if (token === undefined) return;
      delete headers['authorization'];
      url.searchParams.set('access_token', token);
    }),
    { twins: ids('token/not-in-query', 'token/every-request') },
  ),
  one(
    'token/every-request',
    'leaves the token out once',
    onAsk('prompts/list', ({ headers }) => delete headers['authorization']),
  ),
  one(
    'token/not-in-query',
    'has the token in the address, too',
    asking(({ url, headers }) => {
      const token = headers['authorization']?.slice(7);
      if (token !== undefined) url.searchParams.set('access_token', token);
    }),
  ),
];
