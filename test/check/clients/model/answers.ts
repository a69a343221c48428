// What the honest client answers when a server asks: at once, with progress where that is wanted, or as a task.
import { type Body, type Habits, list, members, pause } from './hands.ts';

export interface Asking {
  readonly declared: Body;
  readonly habits: Habits;
  notify(method: string, params: Body): void;
  fetch(address: string): void;
}

export class Refusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

interface Task {
  readonly task: Body;
  readonly done: Promise<Body>;
}

const related = 'io.modelcontextprotocol/related-task';

export class Answers {
  readonly #by: Asking;
  readonly #tasks = new Map<unknown, Task>();
  #count = 0;

  constructor(by: Asking) {
    this.#by = by;
  }

  async answer(method: string, params: Body): Promise<Body> {
    if (method === 'ping') return {};
    if (method.startsWith('tasks/') && this.#by.declared['tasks'] !== undefined) return this.#ofTask(method, params);
    const section = method.split('/')[0] ?? '';
    if (this.#by.declared[section] === undefined || !['roots', 'sampling', 'elicitation'].includes(section))
      throw new Refusal(-32601, `Method not found: ${method}`);
    const mayBeTask = members(members(members(this.#by.declared['tasks'])['requests'])[section])[method.split('/')[1] ?? ''] !== undefined;
    if (params['task'] !== undefined && mayBeTask) return { task: { ...this.#begin(method, params).task } };
    return this.#carryOut(method, params);
  }

  async #carryOut(method: string, params: Body, tag: Body = {}): Promise<Body> {
    const token = members(params['_meta'])['progressToken'];
    if (token !== undefined) {
      for (const progress of [1, 2])
        this.#by.notify('notifications/progress', { progressToken: token, progress, ...(tag[related] !== undefined && { _meta: tag }) });
    }
    const { declared } = this.#by;
    if (method === 'roots/list') return { roots: [{ uri: 'file:///ferns' }] };
    if (method === 'elicitation/create') {
      const mode = params['mode'] ?? 'form';
      const modes = Object.keys(members(declared['elicitation']));
      if (mode === 'url' ? !modes.includes('url') : modes.length > 0 && !modes.includes('form'))
        throw new Refusal(-32602, `The mode ${String(mode)} is not declared`);
      if (mode === 'url' && this.#by.habits.fetchesUrls) this.#by.fetch(String(params['url']));
      return mode === 'url' ? { action: 'decline' } : { action: 'accept', content: { name: 'Adiantum' } };
    }
    return this.#sample(params);
  }

  #sample(params: Body): Body {
    const hasTools = members(this.#by.declared['sampling'])['tools'] !== undefined;
    if (params['tools'] !== undefined && !hasTools) throw new Refusal(-32602, 'sampling.tools is not declared');
    checkMessages(list(params['messages']).map(members));
    const isRequired = members(params['toolChoice'])['mode'] === 'required';
    const answer = { role: 'assistant', model: 'none' };
    if (isRequired) {
      const [first] = list(params['tools']).map(members);
      return { ...answer, content: { type: 'tool_use', id: 'use-1', name: first?.['name'], input: {} }, stopReason: 'toolUse' };
    }
    return { ...answer, content: { type: 'text', text: 'Osmunda' } };
  }

  #begin(method: string, params: Body): Task {
    const taskId = `task-${++this.#count}`;
    const now = new Date().toISOString();
    const task: Body = { taskId, status: 'working', createdAt: now, lastUpdatedAt: now, ttl: 60_000, pollInterval: 40 };
    const done = pause(200).then(async () => {
      if (task['status'] === 'cancelled') throw new Refusal(-32602, 'The task was cancelled');
      const result = await this.#carryOut(method, params, { [related]: { taskId } });
      task['status'] = 'completed';
      task['lastUpdatedAt'] = new Date().toISOString();
      const { _meta, ...told } = task;
      this.#by.notify('notifications/tasks/status', told);
      return result;
    });
    done.catch(() => undefined);
    const begun = { task, done };
    this.#tasks.set(taskId, begun);
    return begun;
  }

  async #ofTask(method: string, params: Body): Promise<Body> {
    if (method === 'tasks/list') {
      if (params['cursor'] !== undefined) throw new Refusal(-32602, 'Invalid cursor');
      return { tasks: [...this.#tasks.values()].map(({ task }) => ({ ...task })) };
    }
    const found = this.#tasks.get(params['taskId']);
    if (found === undefined) throw new Refusal(-32602, 'Unknown task');
    const { task, done } = found;
    if (method === 'tasks/get') return { ...task };
    if (method === 'tasks/result') return { ...(await done), _meta: { [related]: { taskId: task['taskId'] } } };
    if (method !== 'tasks/cancel') throw new Refusal(-32601, `Method not found: ${method}`);
    if (task['status'] !== 'working') throw new Refusal(-32602, 'The task is over');
    task['status'] = 'cancelled';
    return { ...task };
  }
}

function checkMessages(messages: readonly Body[]): void {
  const contents = messages.map(({ content }) => (Array.isArray(content) ? content : [content]).map(members));
  contents.forEach((content, index) => {
    const results = content.filter(({ type }) => type === 'tool_result');
    if (results.length > 0 && results.length < content.length) throw new Refusal(-32602, 'Results stand beside other content');
    const uses = (contents[index - 1] ?? []).filter(({ type }) => type === 'tool_use').map(({ id }) => id);
    const given = results.map(({ toolUseId }) => toolUseId);
    if (uses.some((id) => !given.includes(id))) throw new Refusal(-32602, 'The result of a tool is missing');
  });
}
