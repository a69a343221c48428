// A judge of the author's own.
import { describe, expect, it, vi } from 'vitest';
import { verifier } from 'vivarium/auth';
import { listenForErrors, principalOf, refusal, refusalOf, resource, withToken } from '../fixture.ts';

const alice = { id: 'alice', scopes: ['a'] };

it('is given the token and the head of the request', () => {
  const verify = vi.fn(() => alice);
  const head = withToken('abc');
  expect(verifier(verify).admit(head, resource)).toEqual({ principal: alice });
  expect(verify).toHaveBeenCalledExactlyOnceWith('abc', head);
});

it('may take its time', async () => {
  expect(
    await principalOf(
      verifier(async () => alice),
      'abc',
    ),
  ).toEqual(alice);
});

it('is asked at every request, so that a token that was revoked or narrowed meanwhile is refused at the next', async () => {
  let current: typeof alice | undefined = { id: 'alice', scopes: ['a', 'b'] };
  const auth = verifier(async () => current, { required: ['b'] });
  expect(await principalOf(auth, 'abc')).toEqual(current);
  current = alice;
  expect(await refusalOf(auth, 'abc')).toMatchObject({ status: 403, error: 'insufficient_scope' });
  current = undefined;
  expect(await refusalOf(auth, 'abc')).toMatchObject({ status: 401, error: 'invalid_token' });
});

describe('a verifier that fails', () => {
  const fault = new Error('SELECT * FROM tokens WHERE …');
  const failing = [
    [
      'throws',
      () => {
        throw fault;
      },
    ],
    ['rejects', () => Promise.reject(fault)],
  ] as const;

  it.each(failing)('%s to its author only', async (_, verify) => {
    const { told, onError } = listenForErrors();
    const refused = await refusalOf(verifier(verify, { onError }), 'abc');
    expect(refused).toMatchObject({ status: 401, error: 'invalid_token', description: 'The access token is not valid' });
    expect(JSON.stringify(refused)).not.toContain('SELECT');
    expect(told).toEqual([fault]);
  });

  it('is told on stderr where nobody else listens', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    refusal(
      verifier(() => {
        throw new Error('first\nsecond');
      }).admit(withToken('abc'), resource),
    );
    expect(error.mock.calls).toEqual([['vivarium: authorization: first\\nsecond']]);
    error.mockRestore();
  });

  it('is refused all the same when the listener fails too', () => {
    const onError = (): never => {
      throw new Error('log full');
    };
    const auth = verifier(
      () => {
        throw fault;
      },
      { onError },
    );
    expect(refusal(auth.admit(withToken('abc'), resource)).status).toBe(401);
  });

  it.each([null, true, 'alice', {}, { id: '' }, { id: 7, scopes: [] }, { id: 'a', scopes: 'a' }, { id: 'a', scopes: [1] }])(
    'admits nobody with %j',
    async (answer) => {
      const { onError } = listenForErrors();
      expect(
        await refusalOf(
          verifier(() => answer as never, { onError }),
          'abc',
        ),
      ).toMatchObject({ status: 401 });
      expect(
        await refusalOf(
          verifier(async () => answer as never, { onError }),
          'abc',
        ),
      ).toMatchObject({ status: 401 });
    },
  );
});

it('must be a function', () => {
  expect(() => verifier(undefined as never)).toThrow(expect.objectContaining({ code: 'ERR_CONFIG' }));
});
