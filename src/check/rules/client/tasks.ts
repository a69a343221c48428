// Tools that a client calls as tasks, though the server never said that it may.
import { traitsOf } from '../../model/revision.ts';
import type { Rule } from '../../model/rule.ts';
import { at } from '../../model/value.ts';

export const taskCalls: Rule = {
  judges: ['tasks/tool/undeclared'],
  apply({ ledger, greeting, conversation }, judge) {
    if (!traitsOf(conversation.revision).tasks) return;
    const isDeclared = at(greeting?.capabilities, 'tasks', 'requests', 'tools', 'call') !== undefined;
    for (const { method, params, message } of ledger.questions) {
      if (method !== 'tools/call' || isDeclared) continue;
      judge.verdict('tasks/tool/undeclared', params['task'] === undefined, 'a tool is called as a task, which the server did not declare', [
        message,
      ]);
    }
  },
};
