// Where a token may stand in a request, and what becomes of one that stands elsewhere.
import { describe, expect, it } from 'vitest';
import { bearer } from 'vivarium/auth';
import { head, refusal, resource } from '../fixture.ts';

const token = 'a-token-of-32-characters-or-more';
const auth = bearer([token]);
const admitted = { principal: { id: 'token-1', scopes: [] } };

describe('a token in the Authorization header', () => {
  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('is found after %s', (scheme) => {
    expect(auth.admit(head([`${scheme} ${token}`]), resource)).toEqual(admitted);
  });

  it('may have more space before it', () => {
    expect(auth.admit(head([`Bearer \t ${token} `]), resource)).toEqual(admitted);
  });

  it.each([
    'Bearer',
    'Bearer ',
    `Bearer ${token} ${token}`,
    `Bearer ${token},Bearer ${token}`,
    `Bearer ${token}, Basic eDp5`,
    'Bearer a\tb',
  ])('is refused as malformed in %j', (value) => {
    expect(refusal(auth.admit(head([value]), resource))).toMatchObject({
      status: 400,
      error: 'invalid_request',
      challenge: expect.stringContaining('error="invalid_request"'),
    });
  });

  it.each(['Bearer é'.padEnd(40, 'x'), 'Bearer "quoted-token-of-some-length"', 'Bearer ==', `Bearer ${token}%0d%0aSet-Cookie:x`])(
    'is refused as a bad token in %j',
    (value) => {
      expect(refusal(auth.admit(head([value]), resource))).toMatchObject({ status: 401, error: 'invalid_token' });
    },
  );

  it('is refused beyond 8 KiB, whatever it is', () => {
    for (const length of [8_193, 65_536]) {
      const refused = refusal(auth.admit(head([`Bearer ${'a'.repeat(length)}`]), resource));
      expect(refused).toMatchObject({ status: 401, error: 'invalid_token', description: 'The access token is too long' });
    }
  });
});

describe('a request without one', () => {
  it.each([[[]], [['']], [['Basic dXNlcjpwYXNz']], [['BearerX y']], [['DPoP abc']]])('is told to bring one: %j', (headers) => {
    const refused = refusal(auth.admit(head(headers), resource));
    expect(refused.status).toBe(401);
    expect(refused.challenge).toBe('Bearer realm="mcp"');
  });
});

describe('two Authorization headers', () => {
  it('are refused, even if both are good', () => {
    const refused = refusal(auth.admit(head([`Bearer ${token}`, `Bearer ${token}`]), resource));
    expect(refused).toMatchObject({ status: 400, error: 'invalid_request', description: 'More than one Authorization header' });
  });
});

describe('a token in the address', () => {
  it.each([
    `/mcp?access_token=${token}`,
    `/mcp?a=1&access_token=${token}`,
    `/mcp?access%5Ftoken=${token}`,
    '/mcp?access_token',
    '/mcp?x?&access_token=',
  ])('is refused: %s', (target) => {
    const refused = refusal(auth.admit(head([], target), resource));
    expect(refused).toMatchObject({ status: 400, error: 'invalid_request' });
    expect(JSON.stringify(refused)).not.toContain(token);
  });

  it('is refused even beside a good one in the header', () => {
    expect(refusal(auth.admit(head([`Bearer ${token}`], '/mcp?access_token=x'), resource)).status).toBe(400);
  });

  it('is no matter where the name only resembles it', () => {
    expect(auth.admit(head([`Bearer ${token}`], '/mcp?my_access_token=x&q=access_token'), resource)).toEqual(admitted);
  });
});

it('no refusal repeats the token', () => {
  const secret = 'secret-that-must-not-be-repeated';
  const heads = [head([`Bearer ${secret}`]), head([`Bearer ${secret} ${secret}`]), head([`Bearer "${secret}"`]), head([`Basic ${secret}`])];
  for (const each of heads) expect(JSON.stringify(refusal(auth.admit(each, resource)))).not.toContain(secret);
});
