// Long lists in pages of different sizes, with cursors of every form, over streams where there are any.

import { methodOf } from '../../model/ledger.ts';
import { isModern, traitsOf } from '../../model/revision.ts';
import type { Seen } from '../../model/rule.ts';
import { asList, at, brief, type Json } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';
import { prompts, resources, tool } from '../default-server.ts';
import { busiest, type Ended, type OfferedTool, type Responder, type Scenario } from '../scenario.ts';

/** Forms that invite to be read, trimmed or decoded. */
const cursors = ['  10 ', 'eyJvZmZzZXQiOjB9==', 'page/3?x=%20&y', 'ünïcode→'] as const;

const offered: readonly OfferedTool[] = ['Echo', 'echo', 'three', 'four', 'five'].map((name) => ({ tool: tool(name) }));

function paged(member: string, items: readonly Json[], sizes: readonly number[]): Responder {
  return ({ params, link }) => {
    const all: readonly (string | undefined)[] = link.isModern && member === 'prompts' ? ['', ...cursors] : cursors;
    const given = params['cursor'];
    const page = given === undefined ? 0 : all.indexOf(String(given)) + 1;
    if (given !== undefined && page === 0) return { error: { code: -32602, message: 'Invalid cursor' } };
    const from = sizes.slice(0, page).reduce((sum, size) => sum + size, 0);
    const next = page + 1 < sizes.length ? all[page] : undefined;
    const result = { [member]: items.slice(from, from + (sizes[page] ?? 0)), ttlMs: 0, cacheScope: 'private' };
    return { result: next === undefined ? result : { ...result, nextCursor: next } };
  };
}

const many = (name: string): Json[] => Array.from({ length: 5 }, (_, index) => ({ name: `${name}-${index}` }));
const promptSizes = [2, 0, 3];
const toolSizes = [1, 3, 1];

export const pages: Scenario = {
  name: 'pages',
  judges: [
    'prompts/list/pages',
    'pagination/page-size',
    'pagination/end',
    'pagination/both-flows',
    'pagination/opaque/format',
    'pagination/opaque/unchanged',
    'pagination/empty-cursor',
    'http/post/both-types',
    'stdio/stderr/no-failure',
    'tools/names/case',
  ],
  conformance: 'http-standard-headers',
  streams: true,
  stderr: 'listening\nwarning: this is no failure\n',
  tools: () => offered,
  answers: {
    'tools/list': paged(
      'tools',
      offered.map((one) => one.tool),
      toolSizes,
    ),
    'prompts/list': paged('prompts', [...prompts.slice(0, 1), ...many('prompt')], promptSizes),
    'resources/list': () => ({ result: { resources, ttlMs: 0, cacheScope: 'private' } }),
  },
  judge({ links, all, transport, revision, process }, judge) {
    const link = busiest(links);
    if (transport === 'stdio') afterWarning(all, process, judge);
    if (link === undefined) return;
    const asked = link.ledger.questions.filter(({ method }) => method === 'tools/list' || method === 'prompts/list');
    if (asked.length === 0) return;
    if (transport === 'http') {
      // What is given up although it was answered was not understood.
      const [first] = asked;
      const isLeft =
        first?.message.exchange?.failure !== undefined ||
        link.ledger.notifications.some(
          (one) => methodOf(one) === 'notifications/cancelled' && at(one.value, 'params', 'requestId') === first?.id,
        );
      const evidence = first === undefined ? [] : [first.message, ...first.replies];
      judge.verdict('http/post/both-types', !(isLeft && evidence.length > 1), 'an answer in a stream of events is not read', evidence);
    }
    const sent = asked.filter(({ params }) => params['cursor'] !== undefined);
    const given = new Set(asked.flatMap(({ replies }) => replies.map((one) => at(one.value, 'result', 'nextCursor'))));
    for (const { params, message } of sent) {
      const isGiven = given.has(params['cursor']);
      judge.verdict('pagination/opaque/unchanged', isGiven, `the cursor ${brief(params['cursor'])} was not given`, [message]);
      judge.verdict('pagination/opaque/format', isGiven, `the cursor ${brief(params['cursor'])} was not given`, [message]);
    }
    const pagesOf = (method: string) => new Set(asked.filter((one) => one.method === method).map(({ params }) => params['cursor'])).size;
    if (sent.length === 0) {
      const first = asked.slice(0, 1).map(({ message }) => message);
      for (const id of ['prompts/list/pages', 'pagination/both-flows'] as const)
        if (pagesOf('prompts/list') > 0) judge.broken(id, 'the client read the first page only', first);
      for (const id of ['pagination/page-size', 'pagination/opaque/unchanged', 'pagination/opaque/format', 'pagination/end'] as const)
        judge.unsure(id, 'the client read the first page only');
      return;
    }
    const firstPrompts = asked.filter(({ method }) => method === 'prompts/list').map(({ message }) => message);
    const [seen, wanted] = [pagesOf('prompts/list'), promptSizes.length];
    // An empty cursor, in the newest revision, is what the first page of prompts ends with.
    const stoppedAtEmpty = isModern(revision) && seen === 1;
    if (firstPrompts.length > 0) {
      if (isModern(revision))
        judge.verdict('pagination/empty-cursor', !stoppedAtEmpty, 'the list was not read beyond an empty cursor', firstPrompts);
      if (!stoppedAtEmpty) {
        judge.verdict('prompts/list/pages', seen >= wanted, `${seen} of ${wanted} pages were read`, firstPrompts);
        judge.verdict(
          'pagination/page-size',
          seen >= wanted,
          `${seen} of ${wanted} pages were read, the second of which is empty`,
          firstPrompts,
        );
      }
    }
    const isWhole = pagesOf('tools/list') >= toolSizes.length;
    if (isWhole) judge.kept('pagination/both-flows');
    // After the last page nothing more is asked for with the last cursor.
    const last = asked.filter(
      ({ replies }) => at(replies[0]?.value, 'result') !== undefined && at(replies[0]?.value, 'result', 'nextCursor') === undefined,
    );
    const again = asked.find(
      (one) =>
        one.params['cursor'] !== undefined &&
        last.some(
          (end) =>
            end.method === one.method &&
            end.params['cursor'] === one.params['cursor'] &&
            end.message.at < one.message.at - 5 &&
            asked.indexOf(one) === asked.indexOf(end) + 1,
        ),
    );
    judge.verdict('pagination/end', again === undefined, 'the last page was asked for again', again === undefined ? [] : [again.message]);
    const called = link.ledger.questions.filter(({ method }) => method === 'tools/call').map(({ params }) => params['name']);
    if (traitsOf(revision).caseSensitiveNames && called.length > 0 && isWhole) {
      const both = called.includes('Echo') && called.includes('echo');
      if (both) judge.kept('tools/names/case');
      else if (asList(called).some((name) => String(name).toLowerCase() === 'echo') && called.length >= offered.length - 1)
        judge.broken('tools/names/case', 'of Echo and echo one was called', []);
    }
  },
};

/** The server wrote to stderr before anything else. */
function afterWarning(all: readonly Seen[], process: Ended, judge: Judge): void {
  const isUsed = all.some(({ ledger }) => ledger.questions.some(({ method }) => method !== 'initialize' && method !== 'server/discover'));
  if (isUsed) judge.kept('stdio/stderr/no-failure');
  else if (process.stopped) judge.unsure('stdio/stderr/no-failure', 'the client did nothing more');
  else judge.broken('stdio/stderr/no-failure', 'the client left after output on stderr', [process.stderr.slice(0, 300)]);
}
