// Clients that begin, wait, cancel or leave as they should not.
import { everything } from '../model/model.ts';
import { extra, habits, type Mutant, on, sending } from './mutant.ts';

const revision = '2025-11-25';
const modern = '2026-07-28';
const cancel = (requestId: unknown) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
const progressing = (change: (params: Record<string, unknown>) => void) => on('notifications/progress', (_, params) => change(params));
const token = (make: (before: unknown) => unknown) =>
  on('tools/call', (_, params) => {
    const meta = params['_meta'] as Record<string, unknown> | undefined;
    if (meta?.['progressToken'] !== undefined) meta['progressToken'] = make(meta['progressToken']);
  });

export const lifecycle: readonly Mutant[] = [
  {
    id: 'lifecycle/initialize/first',
    does: 'pings before it begins',
    revision,
    hands: sending((message) => (message['method'] === 'initialize' ? [{ jsonrpc: '2.0', id: 910, method: 'ping' }, message] : [message])),
  },
  {
    id: 'lifecycle/initialize/protocol-version',
    does: 'names no version',
    revision,
    hands: on('initialize', (_, params) => delete params['protocolVersion']),
  },
  {
    id: 'lifecycle/initialize/capabilities',
    does: 'tells no capabilities',
    revision,
    also: ['roots/capability', 'sampling/capability', 'elicitation/capability'],
    hands: on('initialize', (_, params) => delete params['capabilities']),
  },
  {
    id: 'lifecycle/initialize/client-info',
    does: 'has no version of its own',
    revision,
    hands: on('initialize', (_, params) => Object.assign(params, { clientInfo: { name: 'model' } })),
  },
  {
    id: 'lifecycle/initialized/sent',
    does: 'never says that it is ready',
    revision,
    hands: sending((message) => (message['method'] === 'notifications/initialized' ? [] : [message])),
  },
  {
    id: 'lifecycle/before-answer/pings-only',
    does: 'lists tools before it was answered',
    revision,
    hands: sending((message) =>
      message['method'] === 'initialize' ? [message, { jsonrpc: '2.0', id: 911, method: 'tools/list' }] : [message],
    ),
  },
  {
    id: 'lifecycle/version/supported',
    does: 'asks for a version that it does not speak',
    revision: '2025-06-18',
    everywhere: ['plain'],
    hands: habits({ speaks: ['2025-06-18'] }),
  },
  {
    id: 'cancellation/late-response',
    does: 'ends when an answer comes late',
    revision,
    hands: habits({ diesOnLate: true }),
  },
  {
    id: 'lifecycle/version/latest',
    does: 'asks for an older version than it speaks',
    revision,
    everywhere: ['plain'],
    hands: habits({ protocolVersion: '2025-03-26' }),
  },
  {
    id: 'lifecycle/version/disconnect',
    does: 'goes on in any version',
    revision,
    twins: ['lifecycle/errors/version-mismatch'],
    hands: habits({ leavesUnknownVersion: false }),
  },
  {
    id: 'lifecycle/version/respected',
    does: 'uses a method of no revision',
    revision,
    hands: extra((message) => ({ ...message, id: 912, method: 'prompts/enumerate' })),
  },
  {
    id: 'lifecycle/capabilities/respected',
    does: 'subscribes where nothing is told',
    revision,
    hands: extra(() => ({ jsonrpc: '2.0', id: 913, method: 'resources/subscribe', params: { uri: 'check://ferns' } })),
  },
  {
    id: 'prompts/capability-respected',
    does: 'asks for prompts where there are none',
    revision,
    also: ['lifecycle/capabilities/respected'],
    hands: sending((message) =>
      message['method'] === 'resources/list' ? [message, { jsonrpc: '2.0', id: 914, method: 'prompts/list' }] : [message],
    ),
  },
  { id: 'lifecycle/timeouts/established', does: 'waits for ever', revision, hands: habits({ silenceMs: Number.POSITIVE_INFINITY }) },
  { id: 'lifecycle/timeouts/cancelled', does: 'gives up without a word', revision, hands: habits({ cancels: false }) },
  {
    id: 'cancellation/stdio',
    does: 'gives up without a word',
    revision: modern,
    twins: ['lifecycle/timeouts/cancelled'],
    hands: habits({ cancels: false }),
  },
  { id: 'cancellation/own-requests', does: 'cancels what is not its own', revision, hands: extra(() => cancel('not-mine')) },
  {
    id: 'cancellation/in-progress',
    does: 'cancels what was answered',
    revision,
    hands: sending((message) => (message['method'] === 'prompts/get' ? [message, cancel(2)] : [message])),
  },
  {
    id: 'cancellation/not-initialize',
    does: 'cancels the handshake',
    revision,
    hands: sending((message) => (message['method'] === 'initialize' ? [message, cancel(message['id'])] : [message])),
  },
  {
    id: 'cancellation/invalid/unknown',
    does: 'ends at a cancellation of what it does not know',
    revision,
    twins: ['cancellation/invalid/malformed', 'cancellation/invalid/completed', 'cancellation/races'],
    also: ['ping/answered', 'jsonrpc/request/answered'],
    hands: habits({ dropsAfterBadCancel: 'unknown' }),
  },
  {
    id: 'cancellation/request-id/given',
    does: 'cancels nothing in particular',
    revision,
    hands: extra(() => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: {} })),
  },
  {
    id: 'cancellation/no-response',
    does: 'answers what was taken back',
    revision,
    hands: habits({ answersAfterCancel: true }),
  },
  {
    id: 'progress/shape',
    does: 'tells progress in words',
    revision,
    hands: progressing((params) => Object.assign(params, { progress: 'half' })),
  },
  {
    id: 'progress/token/type',
    does: 'has a token with a fraction',
    revision,
    hands: token((before) => String(before).length + 0.5),
    also: ['progress/token/unique'],
  },
  { id: 'progress/token/unique', does: 'has one token for all', revision, hands: token(() => 'same') },
  {
    id: 'progress/token/known',
    does: 'tells progress of what nobody asked about',
    revision,
    also: ['progress/tasks/same-token'],
    hands: progressing((params) => Object.assign(params, { progressToken: 'nobody' })),
  },
  {
    id: 'progress/stops',
    does: 'tells progress after its answer',
    revision,
    twins: ['progress/token/in-progress'],
    hands: () => {
      let known: unknown;
      return {
        out(message) {
          if (message['method'] === 'notifications/progress') known = (message['params'] as Record<string, unknown>)['progressToken'];
          const isAnswer = (message['result'] as Record<string, unknown> | undefined)?.['model'] !== undefined;
          if (!isAnswer || known !== 'check-progress-1') return [message];
          known = undefined;
          return [
            message,
            { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'check-progress-1', progress: 9 } },
          ];
        },
      };
    },
  },
  { id: 'progress/increases', does: 'makes no progress', revision, hands: progressing((params) => Object.assign(params, { progress: 1 })) },
  {
    id: 'stdio/no-embedded-newline',
    does: 'writes one message on many lines',
    revision,
    also: ['stdio/stdin-clean'],
    hands: extra((message) => `${JSON.stringify({ ...message, id: 915 }, null, 1)}\n`),
  },
  { id: 'stdio/stdin-clean', does: 'writes what is no message', revision, hands: extra(() => 'hello\n') },
  { id: 'stdio/stderr/no-failure', does: 'ends at a word on stderr', revision, hands: habits({ failsOnStderr: true }) },
  { id: 'stdio/shutdown/close-input', does: 'sends a signal first', revision, hands: habits({ ending: ['term', 'wait', 'kill'] }) },
  { id: 'stdio/shutdown/wait', does: 'gives no time', revision, hands: habits({ ending: ['end', 'blink', 'term', 'wait', 'kill'] }) },
  { id: 'stdio/shutdown/sigterm', does: 'kills without a signal before', revision, hands: habits({ ending: ['end', 'wait', 'kill'] }) },
  { id: 'stdio/shutdown/kill', does: 'leaves a server behind', revision, hands: habits({ ending: ['end', 'wait', 'term', 'wait'] }) },
  { id: 'stdio/restart', does: 'starts no server anew', revision: modern, hands: habits({ restarts: false }) },
  {
    id: 'versioning/era-remembered',
    does: 'forgets the era',
    revision: modern,
    also: ['subscriptions/sent-again'],
    hands: habits({ remembersEra: false }),
  },
  {
    id: 'subscriptions/sent-again',
    does: 'does not subscribe again',
    revision: modern,
    hands: habits({ subscribesAgain: false }),
  },
  {
    id: 'versioning/retry',
    does: 'leaves without a word when its version is refused',
    revision: modern,
    hands: habits({ triesAgain: false, failureCode: 0 }),
  },
  {
    id: 'versioning/extensions/identifiers',
    does: 'names an extension without a prefix',
    revision: modern,
    hands: () => ({ capabilities: { ...everything(modern), extensions: { ours: {} } } }),
  },
  {
    id: 'discover/probe-first',
    does: 'does not ask who is there',
    revision: modern,
    twins: ['discover/probe-stdio'],
    everywhere: ['plain'],
    hands: habits({ probes: false }),
  },
  {
    id: 'discover/any-error',
    does: 'waits for one error before it falls back',
    revision: modern,
    everywhere: ['plain', 'odd-refusal'],
    hands: habits({ fallsBack: false }),
  },
];
