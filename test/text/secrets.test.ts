import { describe, expect, it } from 'vitest';
import { isSecretName, isSecretParameter, isSecretVariable } from '../../src/text/secret-names.ts';
import { shapes } from '../../src/text/secret-shapes.ts';
import { hideSecrets } from '../../src/text/secrets.ts';

const hide = (text: string, json = false): string => hideSecrets(text, () => '#', { json });
const digits = '0123456789'.repeat(10);
const pem = (label: string): string => `-----BEGIN ${label}-----\n${'MIIEvQ1A'.repeat(8)}\nAb1=\n-----END ${label}-----`;

describe('a secret by its shape', () => {
  it.each(shapes.map(({ prefix, least, named }) => [prefix, least, named === true] as const))(
    'that begins with %j is hidden',
    (prefix, least, named) => {
      const secret = prefix + digits.slice(0, least);
      expect(hide(`a ${secret}, b`)).toBe(`a ${named ? prefix : ''}#, b`);
      expect(hide(`"${secret}"`)).toBe(`"${named ? prefix : ''}#"`);
      expect(hide(prefix + digits.slice(0, least - 1))).toBe(prefix + digits.slice(0, least - 1));
      expect(hide(`x${secret}`)).toBe(`x${secret}`);
    },
  );

  it.each([
    ['sk-ant-api03-abcdefghijklmnop', '#'],
    ['sk_live_51HabcdEfghIjklm', '#'],
    [`eyJhbGciOi.eyJzdWIiO.c2lnbmF0dXJl then`, '# then'],
    [`eyJhbGciOi.eyJzdWIiO.iv.text.tag`, '#'],
    ['eyJhbGciOi.eyJzdWIiO', 'eyJhbGciOi.eyJzdWIiO'],
    [`key: ${pem('PRIVATE KEY')}.`, 'key: #.'],
    [pem('RSA PRIVATE KEY') + pem('EC PRIVATE KEY'), '##'],
    [pem('CERTIFICATE'), pem('CERTIFICATE')],
    ['https://me:p@ss@a.example/x', 'https://me:#@a.example/x'],
    [`https://me:${'a1'.repeat(500)}@a.example/x`, 'https://me:#@a.example/x'],
    ['http://localhost:8080/@scope/a', 'http://localhost:8080/@scope/a'],
    ['http://localhost:80?a=b@c', 'http://localhost:80?a=b@c'],
    ['pk_users_organisation_id npm_config_registry_of_the_whole_world', 'pk_users_organisation_id npm_config_registry_of_the_whole_world'],
    ['AKIAIOSFODNN7EXAMPLEX', 'AKIAIOSFODNN7EXAMPLEX'],
  ])('makes %j %j', (text, shown) => expect(hide(text)).toBe(shown));

  it('is hidden as far as it goes where its end is missing', () => {
    const key = pem('PRIVATE KEY');
    for (let at = 60; at < key.length - 30; at++) expect(hide(key.slice(0, at))).toBe('#');
    expect(hide('say -----BEGIN PRIVATE KEY----- and go on')).toBe('say -----BEGIN PRIVATE KEY----- and go on');
  });

  it('leaves JSON what it was where a key begins in one string and ends in another', () => {
    const text = JSON.stringify({ a: '-----BEGIN PRIVATE KEY-----', b: pem('PRIVATE KEY'), c: 1 });
    expect(JSON.parse(hide(text, true))).toEqual({ a: '-----BEGIN PRIVATE KEY-----', b: '#', c: 1 });
  });
});

describe('a secret by its name', () => {
  it.each([
    'OPENAI_API_KEY',
    'x-auth-token',
    'clientSecret',
    'ADMIN_TOKEN',
    'admintoken',
    'homepage-admin.token',
    'AccountKey',
    'credentials',
  ])('is %s', (name) => expect(isSecretName(name)).toBe(true));
  it.each(['progressToken', 'next-page-token', 'nextPageToken', 'max_token', 'maxTokens', 'pagetoken', 'key', 'token-env', 'PWD'])(
    'is not %s',
    (name) => expect(isSecretName(name)).toBe(false),
  );
  it.each(['API_KEY_PROD', 'GH_TOKEN_2', 'TOKENS', 'MYSQL_PWD', 'CREDS', 'SENTRY_DSN', 'X-Auth', 'GH_PAT', 'DB_PASS'])(
    'is the variable %s',
    (name) => expect(isSecretVariable(name)).toBe(true),
  );
  it.each(['PWD', 'OLDPWD', 'MAX_TOKENS', 'PATH', 'SSH_AUTH_SOCK', 'AUTHOR'])('is not the variable %s', (name) =>
    expect(isSecretVariable(name)).toBe(false),
  );
  it('is any key of an environment, and any of a query', () => {
    expect([
      isSecretVariable('SOME_KEY'),
      isSecretVariable('KEYS'),
      isSecretParameter('key'),
      isSecretParameter('X-Amz-Signature'),
    ]).toEqual([true, false, true, true]);
  });
});
