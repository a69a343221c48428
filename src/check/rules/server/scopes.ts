// Tokens with too few scopes: the refusal of a request that had a token, wherever one was met.
import type { Rule } from '../../model/rule.ts';
import { brief } from '../../model/value.ts';
import { parameterOf } from '../../wire/challenge.ts';

export const scopes: Rule = {
  judges: ['authorization/insufficient/403', 'authorization/insufficient/challenge', 'authorization/insufficient/scopes'],
  apply({ conversation }, judge) {
    if (conversation.transport !== 'http') return;
    for (const exchange of conversation.exchanges) {
      const { request, response, wild } = exchange;
      const challenge = response?.headers['www-authenticate'];
      if (wild || challenge === undefined || request.headers['authorization'] === undefined || response === undefined) continue;
      const isNamed = parameterOf(challenge, 'error') === 'insufficient_scope';
      // 403 is for scopes alone, once there is a challenge with it.
      if (!isNamed && response.status !== 403) continue;
      const what = `HTTP ${response.status} with WWW-Authenticate ${brief(challenge)}`;
      judge.verdict('authorization/insufficient/403', response.status === 403, what, [exchange]);
      judge.verdict('authorization/insufficient/challenge', isNamed && /^bearer\b/i.test(challenge), what, [exchange]);
      judge.verdict('authorization/insufficient/scopes', parameterOf(challenge, 'scope') !== undefined, what, [exchange]);
    }
  },
};
