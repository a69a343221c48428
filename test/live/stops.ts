// The three ways in which what runs is stopped from outside.
import { expect } from 'vitest';
import type { Answer, Lab } from './fixture.ts';

type Stop = (lab: Lab, session: string, code: string, begun: () => Promise<void>) => Promise<Answer>;

export const stops: Readonly<Record<string, Stop>> = {
  'its own limit': (lab, session, code) => lab.evaluate(code, { session, timeout_ms: 1_000 }),
  'an interrupt': async (lab, session, code, begun) => {
    const call = lab.evaluate(code, { session });
    await begun();
    expect((await lab.call('sessions', { action: 'interrupt', session })).isError).toBe(false);
    return call;
  },
  'a cancelled call': async (lab, session, code, begun) => {
    const given = new AbortController();
    const call = lab.evaluate(code, { session }, given.signal);
    await begun();
    given.abort();
    await expect(call).rejects.toThrow();
    return lab.wait(session);
  },
};
