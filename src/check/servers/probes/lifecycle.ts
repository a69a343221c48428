// The handshake: versions that are known, unknown, and the latest.

import { isForeign } from '../../model/ledger.ts';
import { legacy } from '../../model/requirement.ts';
import { at } from '../../model/value.ts';
import { initializeParams } from '../peer/greet.ts';
import { fullCapabilities } from '../peer/peer.ts';
import { inWords, type Probe, shown } from '../probe.ts';

export const lifecycleProbes: readonly Probe[] = [
  {
    name: 'handshake',
    judges: ['lifecycle/version/echoed'],
    revisions: legacy,
    async run({ peer, judge }) {
      // Otherwise there would be no connection in this revision.
      judge.kept('lifecycle/version/echoed', peer.conversation.messages.slice(0, 2));
    },
  },
  {
    name: 'before initialized',
    judges: ['lifecycle/before-initialized/quiet'],
    revisions: legacy,
    transports: ['stdio', 'http'],
    apart: true,
    async run({ begin, judge, revision, startTimeoutMs }) {
      const peer = begin('before initialized');
      const answer = await peer.request('initialize', initializeParams({ revision, capabilities: fullCapabilities(revision) }), {
        timeoutMs: startTimeoutMs,
      });
      if (answer.result === undefined || !(await peer.settle())) return;
      const early = peer.conversation.messages.filter(
        ({ direction, value }) =>
          direction === 'received' &&
          !isForeign({ value }) &&
          at(value, 'id') !== undefined &&
          typeof at(value, 'method') === 'string' &&
          at(value, 'method') !== 'ping',
      );
      judge.verdict(
        'lifecycle/before-initialized/quiet',
        early.length === 0,
        `${String(at(early[0]?.value, 'method'))} before notifications/initialized`,
        early,
      );
    },
  },
  {
    name: 'unknown version',
    judges: ['lifecycle/version/echoed', 'lifecycle/version/other', 'lifecycle/version/other-latest', 'lifecycle/errors/version-mismatch'],
    revisions: legacy,
    transports: ['stdio', 'http'],
    apart: true,
    async run({ begin, connect, judge, revision, startTimeoutMs }) {
      const peer = begin('unknown version');
      const params = { ...initializeParams({ revision, capabilities: fullCapabilities(revision) }), protocolVersion: '1999-01-01' };
      const answer = await peer.request('initialize', params, { wild: true, timeoutMs: startTimeoutMs });
      const offered = answer.result?.['protocolVersion'];
      const isOther = typeof offered === 'string' && offered !== '1999-01-01';
      const isAnswered = answer.result !== undefined || answer.error !== undefined;
      judge.verdict('lifecycle/errors/version-mismatch', isAnswered, `the version 1999-01-01 gets ${inWords(answer)}`, shown(answer));
      // The same page shows this error as an example.
      if (answer.error?.code === -32602 && Array.isArray(at(answer.error.data, 'supported'))) {
        const reason = 'it answers with the error of the example on the same page';
        judge.unsure('lifecycle/version/other', reason);
        judge.unsure('lifecycle/version/other-latest', reason);
        return;
      }
      judge.verdict('lifecycle/version/other', isOther, `the version 1999-01-01 gets ${inWords(answer)}`, shown(answer));
      if (!isOther) return;
      const known = legacy.find((one) => one === offered);
      if (known !== undefined && known !== revision) {
        const again = begin('its own version', { revision: known });
        const echo = await again.request('initialize', initializeParams({ revision: known, capabilities: fullCapabilities(known) }), {
          timeoutMs: startTimeoutMs,
        });
        const isSame = echo.result === undefined || echo.result['protocolVersion'] === known;
        judge.verdict(
          'lifecycle/version/echoed',
          isSame,
          `it offers ${known}, and answers ${known} with ${inWords(echo)}`,
          shown(answer, echo),
        );
      }
      const later = legacy.filter((one) => one > offered);
      const better = [];
      for (const one of later) if ((await connect('later version', { revision: one })) !== undefined) better.push(one);
      const message = `it offers ${offered}, though it supports ${better.join(', ')}`;
      judge.verdict('lifecycle/version/other-latest', better.length === 0, message, shown(answer));
    },
  },
];
