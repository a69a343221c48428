// What the requirement lists ask of a client before it asks anything: the handshake, versions, capabilities; and of templates.
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Revision, revisions } from 'vivarium';
import { serveMemory } from 'vivarium/serve/memory';
import { Server } from 'vivarium/server';
import { connect } from '../../../src/client/index.ts';
import { beLegacy } from '../../fixtures/rude-manners.mjs';
import { greet, handlers, settled, talkTo } from '../requirements-session.ts';
import { type Any, failureOf, type Manner, rudePipe } from '../rude.ts';

const legacy = revisions.filter((revision) => revision !== '2026-07-28');

describe.each(legacy)('the handshake of %s', (revision) => {
  it('comes first, with the version, the capabilities and who the client is, and is confirmed before anything else', async () => {
    const info = { name: 'terrarium', version: '3.1' };
    const { client, sent } = await talkTo(revision, { revision, client: info, handlers: { roots: () => [] } });
    await client.ping();
    const [hello, confirmed, ping] = sent;
    expect([hello.method, confirmed, ping.method]).toEqual(['initialize', { jsonrpc: '2.0', method: 'notifications/initialized' }, 'ping']);
    expect(hello.params).toEqual({ protocolVersion: revision, capabilities: { roots: {} }, clientInfo: info });
  });
});

describe('the handshake', () => {
  it('asks for the latest revision that has one, and follows the server to an older', async () => {
    const channel = rudePipe(beLegacy);
    const client = await connect(channel);
    onTestFinished(() => client.close());
    const { params } = channel.heard.find(({ method }) => method === 'initialize');
    expect(params.protocolVersion).toBe(legacy.at(-1));
    expect(revisions).toContain(params.protocolVersion);
    expect(client.revision).toBe('2025-06-18');
  });

  it('sends nothing before its answer', async () => {
    let answer: () => void = () => undefined;
    const manner: Manner = (message, line) => {
      if (message.method === 'initialize') answer = () => beLegacy(message, line);
      else beLegacy(message, line);
    };
    const channel = rudePipe(manner);
    const connecting = connect(channel, { revision: '2025-06-18', handlers });
    await settled();
    channel.say({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    await settled();
    expect(channel.heard.map(({ method }) => method)).toEqual(['initialize']);
    answer();
    const client = await connecting;
    await client.close();
    expect(channel.heard.map(({ method }) => method)).toEqual(['initialize', 'notifications/initialized']);
  });

  it.each([['1999-01-01'], ['2026-07-28'], ['DRAFT']])(
    'that ends in %s, which is no revision of the client, is the end of the connection',
    async (protocolVersion) => {
      const channel = rudePipe((message, line) =>
        message.method === 'initialize' ? line.answer({ protocolVersion, capabilities: {}, serverInfo: {} }) : line.refuse(-32601, 'No'),
      );
      expect(await failureOf(connect(channel))).toMatchObject({ code: 'ERR_ERA', failure: { phase: 'initialize' } });
      expect(await channel.closed).toEqual({ wanted: true });
      expect(channel.heard.map(({ method }) => method)).not.toContain('notifications/initialized');
    },
  );
});

describe('capabilities', () => {
  const declared = async (revision: Revision, options: object): Promise<Any> => {
    const { sent } = await talkTo(revision, { handlers: {}, ...options });
    const [{ params }] = sent.filter(({ method }) => method === (revision === '2026-07-28' ? 'server/discover' : 'initialize'));
    return params.capabilities ?? params._meta['io.modelcontextprotocol/clientCapabilities'];
  };

  it.each(revisions)('of a client are what it has handlers for, in %s', async (revision) => {
    expect(await declared(revision, {})).toEqual({});
    expect(await declared(revision, { handlers })).toEqual({ elicitation: { form: {} }, sampling: {}, roots: {} });
    const features = ['elicitation.url', 'sampling.tools'];
    expect(await declared(revision, { handlers, features })).toMatchObject({ elicitation: { url: {} }, sampling: { tools: {} } });
    expect(await declared(revision, { extensions: [{ id: 'example.com/x', settings: { deep: true } }] })).toEqual({
      extensions: { 'example.com/x': { deep: true } },
    });
  });

  it('of a server are kept as they were sent, unknown members too', async () => {
    const capabilities = { tools: { listChanged: false, odd: [1] }, experimental: { x: { y: null } }, unheard: { of: '🦎' } };
    const { client } = await greet((message, line) => {
      if (message.method !== 'initialize') return beLegacy(message, line);
      return line.answer({ protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 'odd', version: '1', more: 2 } });
    });
    expect(client.capabilities).toEqual(capabilities);
    expect(client.server).toEqual({ name: 'odd', version: '1', more: 2 });
  });

  it('of a server decide what a client listens for: changes that nobody tells of are not asked for', async () => {
    const server = new Server({ name: 'still', version: '1.0.0', revisions: ['2026-07-28'] });
    server.tool('one', {}, () => 'one');
    const sent: Any[] = [];
    const client = await connect(serveMemory(server), {
      tap: ({ direction, message }) => direction === 'out' && sent.push(structuredClone(message)),
    });
    onTestFinished(() => client.close());
    client.on('listChanged', () => undefined);
    await settled();
    const [{ params }] = sent.filter(({ method }) => method === 'subscriptions/listen');
    expect(params.notifications).toEqual({ toolsListChanged: true });
  });
});

describe.each(revisions)('a template of a server of %s', (revision) => {
  it('reaches the user as it was written, and what they fill in is read letter by letter', async () => {
    const server = new Server({ name: 'notes', version: '1.0.0', revisions: [revision] });
    const seen: unknown[] = [];
    server.resource('note:///{folder}/{+path}{?lang}', { name: 'note' }, (variables) => {
      seen.push(variables);
      return 'text';
    });
    const client = await connect(serveMemory(server));
    onTestFinished(() => client.close());
    const [template] = await client.listResourceTemplates();
    expect(template?.uriTemplate).toBe('note:///{folder}/{+path}{?lang}');
    const uri = 'note:///a%20b/c/d.md?lang=de';
    expect((await client.readResource(uri)).contents).toMatchObject([{ uri, text: 'text' }]);
    expect(seen).toEqual([{ folder: 'a b', path: 'c/d.md', lang: 'de' }]);
  });
});
