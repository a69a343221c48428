// Tasks of 2025-11-25: calls as tasks, and tasks that are not there.

import type { ToolCall } from '../../model/surface.ts';
import { asRecord, at, isRecord } from '../../model/value.ts';
import { noCallableTool, uncallable } from '../../model/verdict.ts';
import { inWords, isSlow, type Probe, type ProbeContext, shown, slow } from '../probe.ts';
import { callTool } from '../tool-call.ts';

const revisions = ['2025-11-25'] as const;

export const taskProbes: readonly Probe[] = [
  {
    name: 'a task that nobody can do',
    judges: ['tasks/capability', 'tasks/augment/ignored'],
    revisions,
    async run({ peer, judge, capabilities, calls }) {
      if (at(capabilities, 'tasks', 'requests', 'tools', 'call') !== undefined) {
        judge.kept('tasks/capability');
        return judge.inapplicable('tasks/augment/ignored', 'the server does tasks');
      }
      const [call] = calls;
      if (call === undefined) return judge.unsure('tasks/augment/ignored', noCallableTool);
      const answer = await peer.request('tools/call', { name: call.name, arguments: call.arguments, task: { ttl: 1_000 } });
      if (isSlow(answer, peer)) {
        for (const id of this.judges) judge.unsure(id, slow);
        return;
      }
      const isPlain = answer.result !== undefined && !isRecord(answer.result['task']);
      // An error is about the task only where the call succeeds without it.
      const isOwnFault = answer.error !== undefined && (await callTool(peer, call)).result === undefined;
      if (isOwnFault) judge.unsure('tasks/augment/ignored', 'the call fails without a task as well');
      else judge.verdict('tasks/augment/ignored', isPlain, `a call as a task gets ${inWords(answer)}`, shown(answer));
      judge.verdict(
        'tasks/capability',
        !isRecord(answer.result?.['task']),
        'the server makes a task, and does not declare it',
        shown(answer),
      );
    },
  },
  {
    name: 'a task that is not there',
    judges: ['tasks/errors/unknown'],
    revisions,
    capability: 'tasks',
    async run({ peer, judge }) {
      for (const method of ['tasks/get', 'tasks/result'] as const) {
        const answer = await peer.request(method, { taskId: 'vivarium-no-such-task' });
        judge.verdict('tasks/errors/unknown', answer.error?.code === -32602, `${method} of no task gets ${inWords(answer)}`, shown(answer));
      }
    },
  },
  {
    name: 'a wrong cursor of tasks',
    judges: ['tasks/errors/cursor'],
    revisions,
    capability: 'tasks.list',
    async run({ peer, judge }) {
      const answer = await peer.request('tasks/list', { cursor: 'vivarium-no-such-cursor' }, { wild: true });
      judge.verdict(
        'tasks/errors/cursor',
        answer.error?.code === -32602,
        `a cursor that was not given gets ${inWords(answer)}`,
        shown(answer),
      );
    },
  },
  {
    name: 'calls as tasks',
    judges: [
      'tasks/create/result',
      'tasks/result/final',
      'tasks/result/waits',
      'tasks/related/params-count',
      'tasks/list/complete',
      'tasks/cancel/finished',
      'tasks/cancel/cancelled',
      'tasks/cancel/stays',
      'tasks/tool/forbidden-refused',
      'tasks/tool/required-refused',
    ],
    revisions,
    capability: 'tasks.requests.tools.call',
    run: calls,
  },
];

function support({ tool }: ToolCall): unknown {
  return asRecord(tool['execution'])['taskSupport'] ?? 'forbidden';
}

async function calls({ peer, judge, calls: all, capabilities }: ProbeContext): Promise<void> {
  const plain = all.find((call) => support(call) === 'forbidden');
  if (plain === undefined) judge.unsure('tasks/tool/forbidden-refused', uncallable('no tool that may be called forbids tasks'));
  else {
    const answer = await peer.request('tools/call', { name: plain.name, arguments: plain.arguments, task: {} });
    judge.verdict(
      'tasks/tool/forbidden-refused',
      answer.error?.code === -32601,
      `${plain.name} as a task gets ${inWords(answer)}`,
      shown(answer),
    );
  }
  const strict = all.find((call) => support(call) === 'required');
  if (strict === undefined) judge.unsure('tasks/tool/required-refused', uncallable('no tool that may be called requires a task'));
  else {
    const answer = await peer.request('tools/call', { name: strict.name, arguments: strict.arguments });
    const what = `${strict.name} without a task gets ${inWords(answer)}`;
    if (isSlow(answer, peer)) judge.unsure('tasks/tool/required-refused', slow);
    else judge.verdict('tasks/tool/required-refused', answer.error?.code === -32601, what, shown(answer));
  }
  const call = all.find((one) => support(one) !== 'forbidden');
  if (call === undefined) {
    const rest = [
      'create/result',
      'result/final',
      'result/waits',
      'related/params-count',
      'list/complete',
      'cancel/finished',
      'cancel/cancelled',
      'cancel/stays',
    ] as const;
    for (const id of rest) judge.unsure(`tasks/${id}`, uncallable('no tool that may be called can be a task'));
    return;
  }
  const begin = (token: string) =>
    peer.request('tools/call', { name: call.name, arguments: call.arguments, task: { ttl: 60_000 } }, { token });
  const made = await begin('task-first');
  const taskId = at(made.result, 'task', 'taskId');
  judge.verdict('tasks/create/result', typeof taskId === 'string', `${call.name} as a task gets ${inWords(made)}`, shown(made));
  if (typeof taskId !== 'string') return;
  if (at(capabilities, 'tasks', 'list') !== undefined) {
    const list = await peer.request('tasks/list', {});
    const isListed = JSON.stringify(list.result?.['tasks'] ?? []).includes(JSON.stringify(taskId));
    judge.verdict('tasks/list/complete', isListed || list.result?.['nextCursor'] !== undefined, 'the task is not in the list', shown(list));
  }
  const result = await peer.request('tasks/result', { taskId }, { timeoutMs: 10_000 });
  const after = await peer.request('tasks/get', { taskId });
  const isDone = ['completed', 'failed', 'cancelled'].includes(String(after.result?.['status']));
  judge.verdict('tasks/result/waits', isDone, `after tasks/result the status is ${String(after.result?.['status'])}`, shown(result, after));
  const _meta = { 'io.modelcontextprotocol/related-task': { taskId: 'vivarium-other' } };
  const other = await peer.request('tasks/get', { taskId, _meta });
  const what = `tasks/get with another task in _meta gets ${inWords(other)}`;
  judge.verdict('tasks/related/params-count', other.result?.['taskId'] === taskId, what, shown(other));
  const isFinal = result.error !== undefined || Array.isArray(result.result?.['content']);
  judge.verdict('tasks/result/final', isFinal, `tasks/result gets ${inWords(result)}`, shown(result));
  if (at(capabilities, 'tasks', 'cancel') === undefined) return;
  const late = await peer.request('tasks/cancel', { taskId });
  judge.verdict('tasks/cancel/finished', late.error?.code === -32602, `cancelling a task that is done gets ${inWords(late)}`, shown(late));
  const again = at((await begin('task-second')).result, 'task', 'taskId');
  const stop = await peer.request('tasks/cancel', { taskId: again });
  if (stop.result === undefined) return judge.unsure('tasks/cancel/cancelled', 'the task was done before it could be cancelled');
  judge.verdict(
    'tasks/cancel/cancelled',
    stop.result['status'] === 'cancelled',
    `the answer to tasks/cancel says ${String(stop.result['status'])}`,
    shown(stop),
  );
  const still = await peer.request('tasks/get', { taskId: again });
  judge.verdict(
    'tasks/cancel/stays',
    still.result?.['status'] === 'cancelled',
    `later the status is ${String(still.result?.['status'])}`,
    shown(still),
  );
}
