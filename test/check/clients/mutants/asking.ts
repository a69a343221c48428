// Clients that answer, list or go on in rounds as they should not.

import { Refusal } from '../model/answers.ts';
import { type Body, list, members } from '../model/hands.ts';
import { everything } from '../model/model.ts';
import { answering, habits, type Mutant, on, onError, sending } from './mutant.ts';

const revision = '2025-11-25';
const modern = '2026-07-28';
const all = everything(revision);
const without = (name: string): Body => Object.fromEntries(Object.entries(all).filter(([key]) => key !== name && key !== 'tasks'));
/** Has all but tasks, and says something else. */
const declaring = (declares: Body) => () => ({ declares, capabilities: without('tasks') });
const use = { role: 'assistant', model: 'none', content: { type: 'tool_use', id: 'u', name: 'look_up', input: {} } };
const choice = (params: Body): unknown => members(params['toolChoice'])['mode'];
/** On a retry of a call. */
const again = (change: (params: Body, message: Body) => void) =>
  on('tools/call', (message, params) => {
    if (params['inputResponses'] !== undefined || params['requestState'] !== undefined) change(params, message);
  });
const code = (id: string) =>
  sending((message) =>
    message['id'] === id && message['error'] !== undefined ? [{ ...message, error: { code: -32603, message: 'No' } }] : [message],
  );

export const askings: readonly Mutant[] = [
  {
    id: 'roots/capability',
    does: 'gives roots that it did not declare',
    revision,
    also: ['roots/errors/unsupported'],
    hands: declaring(without('roots')),
  },
  { id: 'roots/list/shape', does: 'gives no list of roots', revision, hands: answering('roots/list', () => ({ roots: 'none' })) },
  {
    id: 'roots/uri',
    does: 'has a root on the web',
    revision,
    hands: answering('roots/list', () => ({ roots: [{ uri: 'https://example.com/' }] })),
  },
  {
    id: 'roots/errors/unsupported',
    does: 'refuses roots in its own way',
    revision,
    twins: ['errors/method-not-found/client'],
    hands: () => ({ capabilities: without('roots'), ...onError((error) => Object.assign(error, { code: -32603 }))() }),
    also: ['sampling/errors/result-missing'],
  },
  { id: 'sampling/capability', does: 'samples undeclared', revision, hands: declaring(without('sampling')) },
  {
    id: 'sampling/result/shape',
    does: 'samples without a model',
    revision,
    hands: answering('sampling/createMessage', ({ model, ...rest }) => rest),
  },
  {
    id: 'sampling/tools/declared',
    does: 'uses tools undeclared',
    revision,
    twins: ['sampling/tools/undeclared-refused'],
    hands: () => ({
      ...declaring({ ...without('tasks'), sampling: {} })(),
      answer: (_, params, answer) => (params['tools'] === undefined ? answer : use),
    }),
  },
  {
    id: 'sampling/tools/undeclared-refused',
    does: 'takes tools undeclared',
    revision,
    hands: declaring({ ...without('tasks'), sampling: {} }),
  },
  {
    id: 'sampling/tools/choice-none',
    does: 'uses a tool that it may not',
    revision,
    hands: answering('sampling/createMessage', (answer, params) => (choice(params) === 'none' ? use : answer)),
  },
  {
    id: 'sampling/tools/choice-required',
    does: 'uses no tool though it must',
    revision,
    hands: answering('sampling/createMessage', (answer, params) =>
      choice(params) === 'required' ? { role: 'assistant', model: 'none', content: { type: 'text', text: 'No' } } : answer,
    ),
  },
  { id: 'sampling/errors/result-missing', does: 'has another code for a missing result', revision, hands: code('check-missing') },
  { id: 'sampling/errors/results-mixed', does: 'has another code for mixed results', revision, hands: code('check-mixed') },
  { id: 'elicitation/capability', does: 'asks its user undeclared', revision, hands: declaring(without('elicitation')) },
  {
    id: 'elicitation/result/shape',
    does: 'answers maybe',
    revision,
    hands: answering('elicitation/create', () => ({ action: 'maybe' })),
  },
  {
    id: 'elicitation/request/no-mode-is-form',
    does: 'wants to be told the mode',
    revision,
    hands: answering('elicitation/create', (answer, { mode }) => {
      if (mode === undefined) throw new Refusal(-32602, 'Which mode?');
      return answer;
    }),
  },
  {
    id: 'elicitation/modes/at-least-one',
    does: 'has no mode that anybody knows',
    revision,
    hands: declaring({ ...without('tasks'), elicitation: { voice: {} } }),
    also: ['elicitation/modes/undeclared-refused'],
  },
  {
    id: 'elicitation/modes/undeclared-refused',
    does: 'takes a mode undeclared',
    revision,
    hands: declaring({ ...without('tasks'), elicitation: { form: {} } }),
  },
  {
    id: 'elicitation/complete/unknown-ignored',
    does: 'ends when something unknown is complete',
    revision,
    also: ['jsonrpc/request/answered', 'ping/answered', 'cancellation/races'],
    hands: habits({ diesOnComplete: true }),
  },
  {
    id: 'tools/names/case',
    does: 'takes names for the same that differ in case',
    revision,
    hands: on('tools/call', (_, params) => params['name'] === 'echo' && Object.assign(params, { name: 'Echo' })),
  },
  {
    id: 'pagination/page-size',
    does: 'takes a short page for the last',
    revision,
    twins: ['prompts/list/pages'],
    hands: habits({ stopsAtEmptyPage: true }),
  },
  {
    id: 'pagination/both-flows',
    does: 'reads one page',
    revision,
    twins: ['prompts/list/pages'],
    hands: habits({ readsPages: false }),
  },
  { id: 'pagination/end', does: 'asks for the last page again', revision, hands: habits({ asksLastPageAgain: true }) },
  {
    id: 'pagination/opaque/unchanged',
    does: 'trims cursors',
    revision,
    twins: ['pagination/opaque/format'],
    also: ['prompts/list/pages', 'pagination/page-size', 'tasks/list/opaque'],
    hands: sending((message) => {
      const cursor = members(message['params'])['cursor'];
      return [typeof cursor === 'string' ? { ...message, params: { ...members(message['params']), cursor: cursor.trim() } } : message];
    }),
  },
  { id: 'pagination/empty-cursor', does: 'ends at an empty cursor', revision: modern, hands: habits({ stopsAtEmptyCursor: true }) },
  {
    id: 'input/retry/state-echoed',
    does: 'trims the state',
    revision: modern,
    twins: ['input/state/opaque'],
    hands: again(
      (params) => typeof params['requestState'] === 'string' && Object.assign(params, { requestState: params['requestState'].trim() }),
    ),
  },
  {
    id: 'input/retry/inputs',
    does: 'leaves an input out',
    revision: modern,
    hands: again((params) => delete members(params['inputResponses'])['word']),
  },
  {
    id: 'input/retry/no-state',
    does: 'invents a state',
    revision: modern,
    hands: again((params) => Object.assign(params, { requestState: params['requestState'] ?? 'invented' })),
  },
  {
    id: 'input/retry/new-id',
    does: 'tries again under the same id',
    revision: modern,
    transport: 'http',
    hands: () => {
      const ids = new Map<unknown, unknown>();
      return {
        out(message) {
          const params = members(message['params']);
          if (message['method'] !== 'tools/call' || !list(['test_mrtr_state_only']).includes(params['name'])) return [message];
          const first = ids.get(params['name']);
          ids.set(params['name'], message['id']);
          return [first === undefined ? message : { ...message, id: first }];
        },
      };
    },
  },
  {
    id: 'input/retry/same-request',
    does: 'sends a state to another tool',
    revision: modern,
    hands: on('tools/call', (_, params) => params['name'] === 'last' && Object.assign(params, { requestState: 'left over' })),
  },
];
