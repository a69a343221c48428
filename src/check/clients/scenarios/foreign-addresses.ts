// Addresses in what the server offers: references in schemas, icons, and pages for a user, each of which a client may have to leave alone.
import { since } from '../../model/requirement.ts';
import type { Exchange } from '../../model/trace.ts';
import { tool } from '../default-server.ts';
import { busiest, type Played, type Scenario } from '../scenario.ts';

function visitsTo({ exchanges }: Played, path: string): readonly Exchange[] {
  return exchanges.filter(({ request }) => new URL(request.url).pathname === path);
}

/** The client went on after it had the tools. */
function wentOn(played: Played): boolean {
  const questions = busiest(played.links)?.ledger.questions ?? [];
  const index = questions.findIndex(({ method, replies }) => method === 'tools/list' && replies.length > 0);
  return index >= 0 && index < questions.length - 1;
}

const part = '/schemas/part.json';

const references: Scenario = {
  name: 'references',
  judges: ['json-schema/ref/network'],
  revisions: ['2026-07-28'],
  transports: ['http'],
  tools: (_, origin) => [
    { tool: tool('with_reference', { fern: { $ref: `${origin}${part}` } }, { fern: 'Osmunda' }) },
    { tool: tool('with_output', {}, {}, { outputSchema: { type: 'object', properties: { fern: { $ref: `${origin}${part}` } } } }) },
  ],
  visit: ({ url }) =>
    url.pathname === part ? { status: 200, headers: { 'content-type': 'application/json' }, body: '{"type":"string"}' } : undefined,
  judge(played, judge) {
    const [fetched] = visitsTo(played, part);
    if (fetched !== undefined) judge.broken('json-schema/ref/network', 'what a $ref names was fetched', [fetched]);
    else if (wentOn(played)) judge.kept('json-schema/ref/network');
  },
};

/** Deep enough to overflow the stack of a client that follows it without a limit. */
function deep(levels: number): object {
  let schema: object = { type: 'string' };
  for (let level = 0; level < levels; level += 1) schema = { type: 'object', properties: { a: schema } };
  return schema;
}

const depth: Scenario = {
  name: 'deep-schema',
  judges: ['json-schema/bounds'],
  revisions: ['2026-07-28'],
  tools: () => [{ tool: tool('deep', { a: deep(1500) }, {}) }, { tool: tool('after_deep') }],
  judge(played, judge) {
    const link = busiest(played.links);
    const listed = link?.ledger.questions.find(({ method, replies }) => method === 'tools/list' && replies.length > 0);
    if (listed === undefined) return;
    if (wentOn(played)) judge.kept('json-schema/bounds');
    else if (played.process.stopped) judge.broken('json-schema/bounds', 'nothing more came after a deep schema', [listed.message]);
    else judge.unsure('json-schema/bounds', 'the client left after it had the tools');
  },
};

const own = '/icons/own.png';
const foreign = '/icons/foreign.png';

const icons: Scenario = {
  name: 'icons',
  judges: ['icons/no-credentials', 'icons/same-origin'],
  revisions: since('2025-11-25'),
  transports: ['http'],
  tools: (_, origin) => [
    {
      tool: tool(
        'drawn',
        {},
        {},
        {
          icons: [
            { src: `${origin}${own}`, mimeType: 'image/png' },
            // The same door under another name is another origin.
            { src: `${origin.replace('127.0.0.1', 'localhost')}${foreign}`, mimeType: 'image/png' },
          ],
        },
      ),
    },
  ],
  visit: ({ url }) =>
    url.pathname.startsWith('/icons/') ? { status: 200, headers: { 'content-type': 'image/png' }, body: '' } : undefined,
  judge(played, judge) {
    const fetched = [...visitsTo(played, own), ...visitsTo(played, foreign)];
    if (fetched.length === 0) {
      for (const id of this.judges) judge.unsure(id, 'the client fetches no icons');
      return;
    }
    const told = fetched.find(({ request: { headers } }) => headers['cookie'] !== undefined || headers['authorization'] !== undefined);
    judge.verdict('icons/no-credentials', told === undefined, 'an icon is fetched with credentials', told === undefined ? [] : [told]);
    const [wrong] = visitsTo(played, foreign);
    judge.verdict('icons/same-origin', wrong === undefined, 'an icon of another origin is fetched', wrong === undefined ? [] : [wrong]);
  },
};

export const foreignAddresses: readonly Scenario[] = [references, depth, icons];
