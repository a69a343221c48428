// The well-behaved server: what a client does by itself is judged by the rules.
import { isModern } from '../../model/revision.ts';
import { busiest, type Scenario } from '../scenario.ts';

export const plain: Scenario = {
  name: 'plain',
  judges: [
    'stdio/supported',
    'lifecycle/version/supported',
    'lifecycle/version/latest',
    'discover/probe-first',
    'discover/probe-stdio',
    'http/era/detected',
    'http/session/delete',
  ],
  conformance: 'http-standard-headers',
  judge({ transport, revision, links, all, known, process }, judge) {
    const link = busiest(links);
    if (link === undefined) return;
    if (transport === 'http' && !isModern(revision) && !process.stopped) {
      const isDeleted = link.conversation.exchanges.some(({ request }) => request.method === 'DELETE');
      judge.verdict('http/session/delete', isDeleted, 'the client left without ending its session', link.conversation.exchanges.slice(-1));
    }
    if (transport === 'stdio') judge.kept('stdio/supported');
    const [first] = all;
    if (isModern(revision)) {
      const isProbe = first?.ledger.questions[0]?.method === 'server/discover';
      if (known.revisions.some((one) => !isModern(one))) {
        if (isProbe && transport === 'http') judge.kept('http/era/detected');
        judge.verdict(
          'discover/probe-first',
          isProbe,
          'the first request is not server/discover',
          link.ledger.questions.slice(0, 1).map(({ message }) => message),
        );
      }
      if (transport === 'stdio') {
        judge.verdict(
          'discover/probe-stdio',
          isProbe,
          'the first request is not server/discover',
          link.ledger.questions.slice(0, 1).map(({ message }) => message),
        );
      }
      return;
    }
    const asked = link.ledger.questions.find(({ method }) => method === 'initialize');
    const wanted = asked?.params['protocolVersion'];
    if (asked === undefined || typeof wanted !== 'string') return;
    const legacy = known.revisions.filter((one) => !isModern(one));
    const newest = legacy.at(-1);
    if (newest === undefined) return;
    const isSupported = known.revisions.some((one) => one === wanted);
    if (isSupported) judge.kept('lifecycle/version/supported', [asked.message]);
    else if (known.offered.some((one) => one === wanted))
      judge.broken('lifecycle/version/supported', `the client asks for ${wanted}, in which it did not work when it got it`, [
        asked.message,
      ]);
    else judge.unsure('lifecycle/version/supported', `the client asks for ${wanted}, in which it was not tried`);
    judge.verdict('lifecycle/version/latest', wanted >= newest, `the client asks for ${wanted} and also speaks ${newest}`, [asked.message]);
  },
};
