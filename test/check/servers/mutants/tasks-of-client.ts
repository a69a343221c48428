// Mutants that have tasks of 2025-11-25 done by their client: an honest server of that kind, and what each does otherwise.
import type { RequirementId } from '../../../../src/check/model/requirement-id.ts';
import type { Meddling } from '../../pipe-target.ts';
import { type Body, type Mutant, parse } from './mutant.ts';

const revision = '2025-11-25';
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Otherwise {
  /** Asks twice at once. */
  readonly hasty?: boolean;
  /** Asks for the status so often, and then no more. */
  readonly most?: number;
  /** Waits to be told before it asks. */
  readonly waits?: boolean;
  /** Asks no more once it was told something. */
  readonly content?: boolean;
  /** Asks for the status when the task needs something. */
  readonly dull?: boolean;
  /** What becomes of a cursor. */
  cursor?(given: string): string;
}

/** Where the client does tasks, `measure` samples as a task before it answers. */
function requester(otherwise: Otherwise = {}): () => Meddling {
  return () => {
    let write: (message: object) => void = () => undefined;
    let isAble = false;
    let count = 0;
    let isTold = false;
    const open = new Map<unknown, (reply: Body) => void>();
    const ask = (method: string, params: Body): Promise<Body> => {
      count += 1;
      const id = `mine-${count}`;
      write({ jsonrpc: '2.0', id, method, params });
      return new Promise((resolve) => open.set(id, (reply) => resolve((reply['result'] ?? {}) as Body)));
    };

    async function measure(id: unknown): Promise<void> {
      isTold = false;
      const messages = [{ role: 'user', content: { type: 'text', text: 'How warm is it?' } }];
      const { task } = await ask('sampling/createMessage', { maxTokens: 9, messages, task: { ttl: 60_000 } });
      await follow(task as Body);
      const page = await ask('tasks/list', {});
      const cursor = String(page['nextCursor']);
      await ask('tasks/list', { cursor: otherwise.cursor?.(cursor) ?? cursor });
      const structuredContent = { degrees: 21 };
      const content = [{ type: 'text', text: JSON.stringify(structuredContent) }];
      write({ jsonrpc: '2.0', id, result: { content, structuredContent } });
    }

    async function follow({ taskId, pollInterval }: Body): Promise<void> {
      while (otherwise.waits === true && !isTold) await sleep(10);
      for (let asked = 0; asked < (otherwise.most ?? 20); asked += 1) {
        await sleep((pollInterval as number) + 20);
        if (otherwise.content === true && isTold) return;
        const again = otherwise.hasty === true ? [ask('tasks/get', { taskId })] : [];
        const [{ status } = {}] = await Promise.all([ask('tasks/get', { taskId }), ...again]);
        if (status === 'completed' || (status === 'input_required' && otherwise.dull !== true)) break;
        if (asked + 1 === otherwise.most) return;
      }
      await ask('tasks/result', { taskId });
    }

    return {
      begin(given) {
        write = given;
      },
      in(line) {
        const message = parse(line);
        const params = (message?.['params'] ?? {}) as Body;
        if (message?.['method'] === 'initialize') isAble = (params['capabilities'] as Body)['tasks'] !== undefined;
        if (message?.['method'] === 'notifications/tasks/status') {
          isTold = true;
          return undefined;
        }
        if (String(message?.['id']).startsWith('mine-')) {
          open.get(message?.['id'])?.(message as Body);
          return undefined;
        }
        if (!isAble || message?.['method'] !== 'tools/call' || params['name'] !== 'measure') return line;
        void measure(message['id']);
        return undefined;
      },
    };
  };
}

const rows: readonly (readonly [id: RequirementId, does: string, Otherwise])[] = [
  ['tasks/poll/interval', 'asks about tasks without a pause', { hasty: true }],
  ['tasks/poll/until-terminal', 'asks about a task once', { most: 1 }],
  ['tasks/poll/beside-notifications', 'asks no more once it was told', { content: true }],
  ['tasks/notification/not-relied-on', 'waits to be told of a task', { waits: true }],
  ['tasks/input/result-called', 'asks for the status of a task that needs something', { dull: true }],
  ['tasks/list/opaque', 'changes cursors', { cursor: (given) => given.toUpperCase() }],
];

export const honestRequester: () => Meddling = requester();

export const requestingMutants: readonly Mutant[] = rows.map(([id, does, otherwise]) => ({
  id,
  does,
  revision,
  meddle: requester(otherwise),
}));
