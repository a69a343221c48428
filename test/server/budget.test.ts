import { describe, expect, it } from 'vitest';
import { result, Server } from 'vivarium/server';
import { z } from 'zod';
import type { Link, Message } from '../matrix/link.ts';
import { open } from '../matrix/link.ts';
import { matrix, since } from '../matrix/matrix.ts';

const rows = Array.from({ length: 500 }, (_, id) => ({ id, name: `row number ${id}` }));
const long = Array.from({ length: 2_000 }, (_, at) => `line ${at} ÄÖ漢`).join('\n');

function createServer(): Server {
  const server = new Server({ name: 'large', version: '1.0.0' });
  const Row = z.object({ id: z.number(), name: z.string() });
  server.tool('rows', { output: z.array(Row), maxBytes: 2_000 }, () => rows);
  server.tool('table', { output: z.object({ title: z.string(), rows: z.array(Row) }), maxTokens: 700 }, () => ({ title: 'all', rows }));
  server.tool('text', { maxBytes: 1_500 }, () => long);
  server.tool('small', { maxBytes: 1_500 }, () => 'small');
  server.tool('free', {}, () => long);
  return server;
}

const bytesOf = (message: Message): number =>
  message.result.content.reduce((sum: number, block: { text?: string }) => sum + Buffer.byteLength(block.text ?? ''), 0);

/** Follows the addresses until there is no next one. */
async function pages(link: Link, first: string): Promise<string[]> {
  const found: string[] = [];
  for (let uri: string | undefined = first; uri !== undefined; ) {
    const { result } = await link.request('resources/read', { uri });
    found.push(result.contents[0].text);
    uri = result.contents[1]?.uri;
  }
  return found;
}

const addressIn = (message: Message): string =>
  /vivarium:\/\/rest\/\S+/.exec(JSON.stringify(message.result.content))?.[0].replace(/[\\"].*/, '') ?? '';

describe('a result above its budget', () => {
  matrix(
    'is cut between the elements of its list, and the pages make up the whole',
    { revisions: since('2025-06-18') },
    async ({ connect, revision }) => {
      const link = await connect(createServer());
      const answer = await link.call('rows');
      const shown = revision === '2026-07-28' ? answer.result.structuredContent : answer.result.structuredContent.result;
      expect(shown.length).toBeGreaterThan(10);
      expect(shown.length).toBeLessThan(rows.length);
      expect(JSON.parse(answer.result.content[0].text)).toEqual(shown);
      expect(bytesOf(answer)).toBeLessThanOrEqual(2_000);
      expect(JSON.stringify(answer.result.content)).toContain(`Shown: ${shown.length} of 500 elements`);
      const rest = (await pages(link, addressIn(answer))).flatMap((page) => JSON.parse(page));
      expect([...shown, ...rest]).toEqual(rows);
    },
  );

  matrix('keeps what stands beside the list', { revisions: since('2025-06-18') }, async ({ connect }) => {
    const link = await connect(createServer());
    const answer = await link.call('table');
    const { title, rows: shown } = answer.result.structuredContent;
    expect(title).toBe('all');
    expect(bytesOf(answer)).toBeLessThanOrEqual(2_100);
    const rest = (await pages(link, addressIn(answer))).flatMap((page) => JSON.parse(page));
    expect([...shown, ...rest]).toEqual(rows);
  });

  matrix('keeps head and tail of a text, says so, and has the whole for the asking', {}, async ({ connect }) => {
    const link = await connect(createServer());
    const answer = await link.call('text');
    const [{ text }] = answer.result.content;
    expect(text.startsWith('line 0 ')).toBe(true);
    expect(text.endsWith('line 1999 ÄÖ漢')).toBe(true);
    expect(text).toMatch(/\[… \d+ of \d+ characters left out …\]/);
    expect(bytesOf(answer)).toBeLessThanOrEqual(1_500);
    expect((await pages(link, addressIn(answer))).join('')).toBe(long);
  });

  it('counts every text, every list and the value itself', async () => {
    const server = new Server({ name: 'large', version: '1.0.0', maxBytes: 1_000 });
    const big = 'x'.repeat(50_000);
    server.tool('blocks', {}, () => [big, big, 'small']);
    server.tool('beside', { output: z.array(z.number()) }, () =>
      result(
        Array.from({ length: 999 }, (_, n) => n),
        { content: [{ type: 'text', text: big }] },
      ),
    );
    server.tool('nested', { output: z.object({ deep: z.object({ rows: z.array(z.number()) }) }) }, () => ({
      deep: { rows: rows.map(({ id }) => id) },
    }));
    server.tool('long', { output: z.object({ body: z.string() }) }, () => ({ body: big }));
    server.tool('least', { output: z.array(z.number()).min(400) }, () => rows.map(({ id }) => id));
    server.tool('terse', { output: z.array(z.string()), text: (all) => `${all.length}` }, () => rows.map(({ name }) => name));
    await using link = await open(server, 'wire', { revision: '2026-07-28' });
    for (const name of ['blocks', 'beside', 'nested', 'long', 'least', 'terse']) {
      const answer = await link.call(name);
      expect(bytesOf(answer), name).toBeLessThanOrEqual(1_000);
      expect(Buffer.byteLength(JSON.stringify(answer.result.structuredContent ?? '')), name).toBeLessThanOrEqual(1_000);
    }
    expect((await link.call('nested')).result.structuredContent.deep.rows.length).toBeGreaterThan(100);
    // There is nothing to cut: the model gets head and tail, and is told that this is not the result.
    expect((await link.call('long')).result).toMatchObject({ isError: true });
    expect((await link.call('least')).result).toMatchObject({ isError: true });
    expect((await link.call('terse')).result.isError).toBe(false);
  });

  it('is left alone when it fits, or has no budget', async () => {
    await using link = await open(createServer(), 'wire', { revision: '2025-11-25' });
    expect((await link.call('small')).result.content).toEqual([{ type: 'text', text: 'small' }]);
    expect((await link.call('free')).result.content).toEqual([{ type: 'text', text: long }]);
  });

  it('follows the budget of the server where the tool has none', async () => {
    const server = new Server({ name: 'large', version: '1.0.0', maxBytes: 1_000 });
    server.tool('text', {}, () => long);
    await using link = await open(server, 'wire', { revision: '2025-11-25' });
    expect(bytesOf(await link.call('text'))).toBeLessThanOrEqual(1_000);
  });

  it('is nobody else’s to read', async () => {
    const server = createServer();
    await using ada = await open(server, 'wire', { revision: '2025-11-25', principal: { id: 'ada', scopes: [] } });
    await using eve = await open(server, 'wire', { revision: '2025-11-25', principal: { id: 'eve', scopes: [] } });
    const uri = addressIn(await ada.call('text'));
    expect((await eve.request('resources/read', { uri })).error?.code).toBe(-32002);
    expect((await ada.request('resources/read', { uri })).result.contents[0].text).toContain('line 0');
    for (const wrong of ['vivarium://rest/', 'vivarium://rest/x/0', `${uri}x`, uri.replace(/\d+$/, '99999999999')]) {
      expect((await ada.request('resources/read', { uri: wrong })).error?.code).toBe(-32002);
    }
  });
});
