// Whose a session is, whatever names and handles hold.
import { expect, it } from 'vitest';
import type { Engine } from '../../../../src/live/image/engine.ts';
import type { SessionTerms } from '../../../../src/live/session/session-terms.ts';
import { NoSession, Sessions } from '../../../../src/live/session/sessions.ts';

it('no handle leads to a session of another owner, though both together read the same', () => {
  const engine = { language: 'none', title: 'None' } as unknown as Engine;
  const sessions = new Sessions({ engines: [engine], terms: {} as SessionTerms, maxSessions: 5, idleMs: 60_000 });
  for (const joint of ['\n', '","', ' ', '\0']) {
    sessions.open(`a${joint}b`, undefined, 'c');
    expect(sessions.find('a', `b${joint}c`)).toBeUndefined();
    expect(() => sessions.get('a', `b${joint}c`)).toThrow(NoSession);
    expect(sessions.find(`a${joint}b`, 'c')).toBeDefined();
  }
});
