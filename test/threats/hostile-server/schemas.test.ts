// A hostile server writes the schemas by which a client checks its results.
import { describe, expect, it } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import { attacked, longestGapMs } from './attacked-client.ts';
import { attacks } from './schema-attacks.ts';

describe('a client of a hostile server', () => {
  it.each(attacks)('goes on with other work while it checks a result: $name', { timeout: 120_000 }, async (attack) => {
    const { gapMs, value, failure, warnings } = await attacked(attack, connect);
    expect(gapMs).toBeLessThan(longestGapMs);
    // It is checked and passed on, checked and refused, or passed on with a warning; nothing else.
    if (failure !== undefined) expect(failure.code).toBe(attack.isTooDeep === true ? 'ERR_TOO_LARGE' : 'ERR_INVALID_RESULT');
    else expect(value).toBe(attack.value);
    for (const warning of warnings) expect(warning).toEqual({ code: 'schema', message: expect.stringContaining('not checked') });
    expect(failure !== undefined && warnings.length > 0).toBe(false);
  });

  it('checks 300,000 items against an enumeration of 15,000, and refuses the one that is not among them', {
    timeout: 120_000,
  }, async () => {
    const enumeration = attacks[0]!;
    expect((await attacked(enumeration, connect)).warnings).toEqual([]);
    const { failure } = await attacked({ ...enumeration, value: [...(enumeration.value as string[]), 'another'] }, connect);
    expect(failure?.message).toContain('/300000 must be one of "value 0", "value 1"');
  });
});
