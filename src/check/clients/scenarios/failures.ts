// A server that does not answer, answers in a version nobody has, loses sessions and streams, or refuses at first.

import { methodOf } from '../../model/ledger.ts';
import { legacy } from '../../model/requirement.ts';
import { isModern, traitsOf } from '../../model/revision.ts';
import type { Seen } from '../../model/rule.ts';
import type { Happening } from '../../model/trace.ts';
import { asRecord, at, brief } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';
import { ordinaryTools, tool } from '../default-server.ts';
import { busiest, type Scenario, type Turn } from '../scenario.ts';

const done = { result: { content: [{ type: 'text', text: 'too late' }] } };

/** Until the client takes its request back, or for as long as anybody waits. */
async function untilCancelled({ link, id, exchange }: Turn): Promise<void> {
  const isOver = () =>
    link.isOver ||
    exchange?.failure !== undefined ||
    link
      .seen()
      .ledger.notifications.some((one) => methodOf(one) === 'notifications/cancelled' && at(one.value, 'params', 'requestId') === id);
  for (let waited = 0; waited < 20_000 && !isOver(); waited += 10) await new Promise((resolve) => setTimeout(resolve, 10));
}

const silence: Scenario = {
  name: 'silence',
  judges: [
    'lifecycle/timeouts/established',
    'lifecycle/timeouts/cancelled',
    'cancellation/late-response',
    'cancellation/stdio',
    'http/disconnect/cancel-explicit',
  ],
  tools: () => [
    {
      tool: tool('never_answers'),
      async call(turn) {
        await untilCancelled(turn);
        return done;
      },
    },
    {
      // Meanwhile the late answer comes.
      tool: tool('takes_its_time'),
      async call() {
        await new Promise((resolve) => setTimeout(resolve, 200));
        return done;
      },
    },
    ...ordinaryTools,
  ],
  judge({ links, transport, revision, process }, judge) {
    const link = busiest(links);
    const asked = link?.ledger.questions.find(({ method, params }) => method === 'tools/call' && params['name'] === 'never_answers');
    if (link === undefined || asked === undefined) return;
    const cancelled = link.ledger.notifications.find(
      (one) => methodOf(one) === 'notifications/cancelled' && at(one.value, 'params', 'requestId') === asked.id,
    );
    const isClosed = asked.message.exchange?.failure !== undefined;
    const later = link.ledger.questions.find(({ message }) => message.at > asked.message.at);
    const isGivenUp = cancelled !== undefined || (!process.stopped && (isClosed || later !== undefined || transport === 'stdio'));
    const evidence = [asked.message];
    judge.verdict(
      'lifecycle/timeouts/established',
      isGivenUp,
      'a request without an answer was waited for until the client was ended; one with a longer limit of its own should take the milliseconds in VIVARIUM_CHECK_TIMEOUT',
      evidence,
    );
    if (!isGivenUp) return;
    // Over HTTP the newest revision cancels by closing the stream.
    const isTold = cancelled !== undefined || (isModern(revision) && transport === 'http' && isClosed);
    judge.verdict('lifecycle/timeouts/cancelled', isTold, 'the request was given up without a word', evidence);
    if (transport === 'stdio') judge.verdict('cancellation/stdio', cancelled !== undefined, 'no notifications/cancelled', evidence);
    if (transport === 'http' && (cancelled !== undefined || isClosed)) {
      judge.verdict(
        'http/disconnect/cancel-explicit',
        cancelled !== undefined,
        'the connection was closed without a notification',
        evidence,
      );
    }
    if (cancelled === undefined) return;
    const late = asked.replies[0]?.at ?? Number.POSITIVE_INFINITY;
    const after = link.ledger.questions.filter(({ message }) => message.at >= cancelled.at);
    if (after.some(({ message }) => message.at > late)) judge.kept('cancellation/late-response');
    // Whoever leaves at once because a call failed shows nothing.
    else if (after.length > 0 && !process.stopped && process.code !== 0)
      judge.broken('cancellation/late-response', 'the client fails when the answer comes after all', [asked.message, cancelled]);
  },
};

const unknownVersion: Scenario = {
  name: 'unknown-version',
  judges: ['lifecycle/version/disconnect', 'lifecycle/errors/version-mismatch'],
  revisions: legacy,
  wild: true,
  answers: {
    initialize: () => ({
      result: { protocolVersion: '1999-01-01', capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } },
    }),
  },
  judge({ links, process }, judge) {
    for (const { ledger } of links) {
      const asked = ledger.questions.find(({ method }) => method === 'initialize');
      const [reply] = asked?.replies ?? [];
      if (asked === undefined || reply === undefined) continue;
      const more = ledger.received.find(
        (one) => one.at >= reply.at && one !== asked.message && methodOf(one) !== 'notifications/cancelled',
      );
      judge.verdict('lifecycle/version/disconnect', more === undefined, 'the client goes on in a version it cannot know', [
        reply,
        ...(more === undefined ? [] : [more]),
      ]);
      const isHandled = more === undefined && !process.stopped;
      judge.verdict('lifecycle/errors/version-mismatch', isHandled, 'the client neither left nor said anything', [reply]);
    }
  },
};

const refusedVersion: Scenario = {
  name: 'refused-version',
  judges: ['versioning/retry', 'http/era/body-inspected'],
  revisions: ['2026-07-28'],
  wild: true,
  answers: Object.fromEntries(
    ['server/discover', 'tools/list'].map((method) => [
      method,
      ({ link, params }: Turn) => {
        const data = { supported: ['2026-07-28'], requested: String(at(params, '_meta', 'io.modelcontextprotocol/protocolVersion') ?? '') };
        const isFirst = link.seen().ledger.questions.length === 1;
        return isFirst ? { error: { code: -32022, message: 'Unsupported protocol version', data } } : undefined;
      },
    ]),
  ),
  judge({ links, others, process, transport, known }, judge) {
    const link = busiest(links);
    const [first, ...more] = link?.ledger.questions ?? [];
    if (first === undefined || at(first.replies[0]?.value, 'error', 'code') !== -32022) return;
    const handshake = others[0]?.ledger.questions.find(({ method }) => method === 'initialize');
    if (transport === 'http' && handshake !== undefined)
      judge.broken('http/era/body-inspected', 'a handshake, though the body of the 400 is an error of 2026-07-28', [
        first.message,
        handshake.message,
      ]);
    else if (transport === 'http' && known.revisions.some((one) => !isModern(one))) judge.kept('http/era/body-inspected');
    if (more.length > 0) judge.kept('versioning/retry');
    // Its user may have been told.
    else if (process.code !== 0 && !process.stopped) judge.unsure('versioning/retry', 'the client ended with an error');
    else judge.broken('versioning/retry', 'the client neither tried again nor said anything', [first.message]);
  },
};

const retry = 600;

const resume: Scenario = {
  name: 'resume',
  judges: ['http/resume/get', 'http/resume/polled', 'http/resume/retry-respected'],
  revisions: ['2025-03-26', '2025-06-18', '2025-11-25'],
  transports: ['http'],
  conformance: 'sse-retry',
  tools: () => [{ tool: tool('test_reconnection'), call: () => ({ cut: { content: [{ type: 'text', text: 'back' }] }, retry }) }],
  judge({ links, exchanges, notes, revision }, judge) {
    const cut = asRecord(notes.get('cut'));
    const link = busiest(links);
    if (link === undefined || typeof cut['event'] !== 'string') return;
    const back = exchanges.find(({ request }) => request.method === 'GET' && request.headers['last-event-id'] !== undefined);
    const asked = link.ledger.questions.filter(({ method }) => method === 'tools/call').map(({ message }) => message);
    if (traitsOf(revision).polledStreams) judge.verdict('http/resume/polled', back !== undefined, 'nobody came back to the stream', asked);
    if (back === undefined) return judge.verdict('http/resume/get', false, 'the stream was not resumed by GET with Last-Event-ID', asked);
    const last = back.request.headers['last-event-id'];
    judge.verdict('http/resume/get', last === cut['event'], `Last-Event-ID is ${brief(last)}, the last id was ${cut['event']}`, [back]);
    const waited = back.at - Number(cut['at']);
    judge.verdict('http/resume/retry-respected', waited >= retry - 60, `the client came back after ${Math.round(waited)} ms of ${retry}`, [
      back,
    ]);
  },
};

const lostSession: Scenario = {
  name: 'lost-session',
  judges: ['http/session/new-on-404'],
  revisions: ['2025-03-26', '2025-06-18', '2025-11-25'],
  transports: ['http'],
  visit({ headers, body, notes, method }) {
    const session = headers['mcp-session-id'];
    if (session === undefined) return undefined;
    if (notes.get('lost') === undefined && method === 'POST' && body.includes('"tools/call"')) notes.set('lost', session);
    return notes.get('lost') === session ? { status: 404 } : undefined;
  },
  judge({ links, exchanges, notes, process }, judge) {
    const lost = notes.get('lost');
    if (lost === undefined) return;
    const at404 = exchanges.findIndex(({ response }) => response?.status === 404);
    const later = exchanges.slice(at404 + 1).filter(({ request }) => request.method === 'POST');
    const anew = later.find(({ request }) => request.body?.toString('utf8').includes('"initialize"') === true);
    if (anew !== undefined) {
      const isFresh = anew.request.headers['mcp-session-id'] === undefined;
      judge.verdict('http/session/new-on-404', isFresh && links.length > 1, 'the new handshake has the old session id', [anew]);
    } else if (later.length > 0)
      judge.broken('http/session/new-on-404', 'the client goes on in the session that is gone', later.slice(0, 1));
    else judge.unsure('http/session/new-on-404', process.stopped ? 'the client did nothing more' : 'the client left');
  },
};

const stubborn: Scenario = {
  name: 'stubborn',
  judges: ['stdio/shutdown/close-input', 'stdio/shutdown/wait', 'stdio/shutdown/sigterm', 'stdio/shutdown/kill'],
  transports: ['stdio'],
  stubborn: true,
  judge({ links, process }, judge) {
    if (process.stopped) return;
    for (const { conversation } of links) ended(conversation.happenings, judge);
  },
};

const together = 100;

function ended(happenings: readonly Happening[], judge: Judge): void {
  const [end, term, exit] = (['end-of-input', 'signal', 'exit'] as const).map((what) => happenings.find((one) => one.what === what));
  // What is done at once may be seen in any order.
  const isBefore = (one: Happening | undefined) => one === undefined || (end?.at ?? 0) <= one.at + together;
  const isFirst = end !== undefined && isBefore(term) && isBefore(exit);
  judge.verdict(
    'stdio/shutdown/close-input',
    isFirst,
    'the input of the server is not closed first',
    happenings.map(({ what, detail }) => `${what} ${detail}`),
  );
  const next = term ?? exit;
  if (end !== undefined && next !== undefined && next.at >= end.at - together) {
    judge.verdict(
      'stdio/shutdown/wait',
      next.at - end.at >= 100,
      `${Math.max(0, Math.round(next.at - end.at))} ms after its input was closed`,
      [`${next.what} ${next.detail}`],
    );
  }
  judge.verdict(
    'stdio/shutdown/sigterm',
    term?.detail === 'SIGTERM',
    'the server is not sent SIGTERM',
    happenings.map(({ what, detail }) => `${what} ${detail}`),
  );
  judge.verdict('stdio/shutdown/kill', exit !== undefined, 'the client left a server behind that did not exit', []);
}

const crash: Scenario = {
  name: 'crash',
  judges: ['stdio/restart', 'versioning/era-remembered', 'subscriptions/sent-again'],
  transports: ['stdio'],
  revisions: ['2026-07-28'],
  wild: true,
  answers: { 'tools/list': ({ count }) => (count === 1 ? { exit: 1 } : undefined) },
  judge({ links, others }, judge) {
    const index = links.findIndex(({ ledger }) => ledger.questions.some(({ method }) => method === 'tools/list'));
    const asked = links[index]?.ledger.questions.find(({ method }) => method === 'tools/list');
    if (asked === undefined) return;
    const isAgain = links.length > index + 1;
    judge.verdict('stdio/restart', isAgain, 'a server that exited unexpectedly is not started again', [asked.message]);
    if (!isAgain) return;
    judge.verdict('versioning/era-remembered', others.length === 0, 'the handshake is tried on a server that is known', []);
    const listens = (seen: Seen | undefined) => seen?.ledger.questions.find(({ method }) => method === 'subscriptions/listen');
    const before = listens(links[index]);
    if (before === undefined) return judge.unsure('subscriptions/sent-again', 'the client subscribed to nothing');
    const isSent = links.slice(index + 1).some((seen) => listens(seen) !== undefined);
    judge.verdict('subscriptions/sent-again', isSent, 'what was subscribed to before is not asked for again', [before.message]);
  },
};

export const failures: readonly Scenario[] = [silence, unknownVersion, refusedVersion, resume, lostSession, stubborn, crash];
