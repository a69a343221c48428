// Mutants of lists: pages, marks of parameters, lists that depend on who asks.
import type { Meddling } from '../../pipe-target.ts';
import { type Body, type Mutant, onError, onReply, onResult, parse, perConnection } from './mutant.ts';

const revision = '2025-11-25';
const modern = '2026-07-28';
const list = (result: Body, key: string): Body[] => result[key] as Body[];

/** The list of tools on two pages; `change` gets the second, and how often it was asked for. */
function paged(change: (second: Body, times: number) => void): () => Meddling {
  return () => {
    const seconds = new Set<unknown>();
    const lists = new Set<unknown>();
    let times = 0;
    return {
      in(line) {
        const message = parse(line);
        if (message?.['method'] !== 'tools/list') return line;
        lists.add(message['id']);
        const params = (message['params'] ?? {}) as Body;
        if (params['cursor'] !== 'second') return line;
        seconds.add(message['id']);
        const { cursor: _, ...rest } = params;
        return JSON.stringify({ ...message, params: rest });
      },
      out(line) {
        const message = parse(line);
        const result = message?.['result'] as Body | undefined;
        if (message === undefined || result?.['tools'] === undefined || !lists.has(message['id'])) return line;
        const isSecond = seconds.has(message['id']);
        result['tools'] = isSecond ? list(result, 'tools').slice(2) : list(result, 'tools').slice(0, 2);
        if (isSecond) {
          times += 1;
          change(result, times);
        } else result['nextCursor'] = 'second';
        return JSON.stringify(message);
      },
    };
  };
}

const marks = [
  ['name-empty', 'with nothing', { a: { type: 'string', 'x-mcp-header': '' } }],
  ['name-token', 'with a word that is no token', { a: { type: 'string', 'x-mcp-header': 'a:b' } }],
  ['name-control', 'with a control character', { a: { type: 'string', 'x-mcp-header': 'a\tb' } }],
  ['name-unique', 'twice', { a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } }],
  ['primitive', 'though it is a list', { a: { type: 'array', 'x-mcp-header': 'A' } }],
  ['reachable', 'within a list', { a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } }],
] as const satisfies readonly (readonly [name: string, does: string, properties: Body])[];

const kinds = ['tools', 'resources', 'prompts'] as const;

export const listMutants: readonly Mutant[] = [
  ...marks.map(
    ([name, does, properties]): Mutant => ({
      id: `http/param-headers/${name}`,
      does: `marks a parameter ${does}`,
      revision: modern,
      meddle: onResult('tools/list', (result) =>
        list(result, 'tools').push({ name: 'marked', inputSchema: { type: 'object', properties } }),
      ),
    }),
  ),
  ...kinds.map(
    (kind): Mutant => ({
      id: `${kind}/list/independent`,
      does: `lists other ${kind} to others`,
      revision: modern,
      meddle: perConnection((number) => (number === 0 ? {} : onResult(`${kind}/list`, (result) => list(result, kind).pop())())),
    }),
  ),
  ...kinds.map(
    (kind): Mutant => ({
      id: `${kind}/list/answered`,
      does: `lists its ${kind} once only`,
      revision: modern,
      also: [`${kind}/list/independent`],
      meddle: () => {
        let times = 0;
        return onReply(({ method, params, message }) => {
          if (method !== `${kind}/list` || params['cursor'] !== undefined || message['error'] !== undefined) return message;
          times += 1;
          return times === 1 ? message : { jsonrpc: '2.0', id: message['id'], error: { code: -32603, message: 'Again?' } };
        })();
      },
    }),
  ),
  {
    id: 'pagination/stable',
    does: 'gives another page to the same cursor',
    revision,
    meddle: paged((second, times) => times % 2 === 0 && list(second, 'tools').reverse()),
  },
  {
    id: 'pagination/ends',
    does: 'has pages without end',
    revision,
    meddle: paged((second) => Object.assign(second, { nextCursor: 'second' })),
  },
  {
    id: 'caching/pages/same-scope',
    does: 'has a private page in a public list',
    revision: modern,
    meddle: paged((second) => Object.assign(second, { cacheScope: second['cacheScope'] === 'private' ? 'public' : 'private' })),
  },
  {
    id: 'resources/security/traversal',
    does: 'reads what lies outside of its folder',
    revision: modern,
    also: ['resources/read/not-found'],
    meddle: () => {
      const { in: watch, out: errors } = onError('resources/read', (_, { uri }) =>
        /\.\.|%2e/.test(String(uri))
          ? { contents: [{ uri, text: 'a-host' }], resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
          : undefined,
      )();
      return {
        in: (line) => watch?.(line),
        out(line) {
          const message = parse(line);
          const listed = (message?.['result'] as Body | undefined)?.['resources'] as Body[] | undefined;
          if (message === undefined || listed === undefined) return errors?.(line);
          listed.push({ uri: 'file:///srv/data/a.txt', name: 'a' });
          return JSON.stringify(message);
        },
      };
    },
  },
];
