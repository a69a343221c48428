// The servers behind the transcripts, by the first word of the file's name.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLive, type LiveOptions, lisp, smalltalk } from 'vivarium/live';
import { Server } from 'vivarium/server';
import { z } from 'zod';

const identity = { name: 'vivarium', version: '1.0.0' };

/** For the kinds of message of the Pharo guide: a list that is empty for everyone. */
function createEmpty(): Server {
  const server = new Server({ name: 'pharo-mcp', version: '0.1.0', announces: 'denied', errorDetails: 'message' });
  server.tool('evaluate', { visible: () => false }, () => '7');
  return server;
}

function createOwn(): Server {
  const server = new Server(identity);
  const number = { type: 'number' } as const;
  const input = { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] } as const;
  server.tool('add', { input }, ({ a, b }) => `${a + b}`);
  server.tool('count', { title: 'Count', output: z.array(z.number()) }, async (_, ctx) => {
    ctx.progress(1, 2, 'one');
    ctx.progress(2, 2);
    return [1, 2];
  });
  server.tool('wait', {}, () => new Promise<string>(() => undefined));
  return server;
}

/** Notes to read and complete, for the transcripts that are about them. */
function createNotes(): Server {
  const server = new Server(identity);
  const ids = ['apple', 'apricot', 'pear'];
  const startingWith = (value: string): string[] => ids.filter((id) => id.startsWith(value));
  server.resource('note:///index', { title: 'Index', size: 18 }, () => ids.join('\n'));
  server.resource(
    'note:///{id}',
    { name: 'note', list: () => [{ uri: 'note:///pear', name: 'pear' }], complete: { id: startingWith } },
    ({ id }) => (ids.includes(id) ? Uint8Array.of(1, 2, 3) : undefined),
  );
  const input = z.object({ id: z.string().meta({ title: 'Id' }), tone: z.string().default('kind') });
  server.prompt('tell', { input, complete: { id: startingWith } }, ({ id, tone }) => [
    { role: 'user', content: { type: 'text', text: `Be ${tone}` } },
    { role: 'user', content: { type: 'resource_link', uri: `note:///${id}`, name: id } },
  ]);
  return server;
}

/** Tools that ask, for the transcripts of asking. */
function createAsking(): Server {
  const server = new Server({ ...identity, onError: () => undefined });
  const schema = z.object({ sure: z.boolean(), keep: z.enum(['none', 'last']).default('none') });
  server.tool('drop', { input: z.object({ table: z.string() }) }, async ({ table }, ctx) => {
    const sure = await ctx.elicit('sure', { message: `Drop ${table}?`, schema });
    return sure.action === 'accept' && sure.content.sure ? `Dropped ${table}, kept ${sure.content.keep}.` : 'Nothing was dropped.';
  });
  server.tool('look', {}, async (_, ctx) => {
    const messages = [{ role: 'user', content: { type: 'text', text: 'Hello' } }] as const;
    const [roots, { model }] = await Promise.all([ctx.roots(), ctx.sample('hello', { messages, maxTokens: 5 })]);
    return `${model} looks at ${roots.map(({ uri }) => uri).join()}`;
  });
  return server;
}

export interface Served {
  readonly server: Server;
  close(): Promise<void>;
}

/** What the documents of other servers show is shown by real images. */
export function serveFor(file: string): Served {
  if (file.startsWith('lisp-')) return createSurface({ surface: 'cl', engines: [lisp()], name: 'cl-mcp-server', version: '0.1.0' });
  if (file.startsWith('pharo-') && file !== 'pharo-message-types.txt')
    return createSurface({ surface: 'pharo', engines: [smalltalk()], name: 'pharo-mcp', version: '0.1.0' });
  return { server: createServerFor(file), close: () => Promise.resolve() };
}

function createSurface(options: LiveOptions): Served {
  const folder = mkdtempSync(join(tmpdir(), 'wire-live-'));
  const live = createLive({ cwd: folder, stateFolder: join(folder, 'state'), ...options });
  const close = async (): Promise<void> => {
    await live.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { server: live.server, close };
}

function createServerFor(file: string): Server {
  if (file.startsWith('own-ask-')) return createAsking();
  if (file.startsWith('own-notes-')) return createNotes();
  return file.startsWith('own-') ? createOwn() : createEmpty();
}
