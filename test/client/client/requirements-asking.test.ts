// What the requirement lists ask of a client that is asked: roots and sampling, by request and by round.
import { describe, expect, it } from 'vitest';
import { type CreateMessageResult, type Revision, type Root, revisions } from 'vivarium';
import { serveMemory } from 'vivarium/serve/memory';
import { Server } from 'vivarium/server';
import { type Client, type ClientOptions, connect } from '../../../src/client/index.ts';
import { beLegacy } from '../../fixtures/rude-manners.mjs';
import { greet, handlers } from '../requirements-session.ts';
import type { Any } from '../rude.ts';

/** Asks for what its arguments say, and gives the answer back as text. */
function createAsker(revision: Revision): Server {
  const server = new Server({ name: 'asker', version: '1.0.0', revisions: [revision] });
  server.tool('roots', {}, async (_, ctx) => JSON.stringify(await ctx.roots()));
  server.tool('sample', {}, async (_, ctx) => {
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'What is the capital of France?' } }];
    const hints = [{ name: 'claude-3-sonnet' }];
    const modelPreferences = { hints, intelligencePriority: 0.8, speedPriority: 0.5 };
    return JSON.stringify(await ctx.sample('answer', { messages, modelPreferences, systemPrompt: 'You help.', maxTokens: 100 }));
  });
  return server;
}

async function asked(revision: Revision, tool: string, options: ClientOptions): Promise<{ answer: Any; sent: Any[]; client: Client }> {
  const sent: Any[] = [];
  const tap: ClientOptions['tap'] = ({ direction, message }) => direction === 'out' && sent.push(structuredClone(message));
  await using client = await connect(serveMemory(createAsker(revision)), { tap, ...options });
  const [block] = (await client.callTool(tool)).content as Any[];
  return { answer: JSON.parse(block.text), sent, client };
}

/** The answer as it went over the wire, in either era. */
function wired(sent: Any[]): Any {
  const [last] = sent.flatMap(({ result, params }) => result ?? Object.values(params?.inputResponses ?? {}));
  return last;
}

function capabilitiesIn([hello]: Any[]): Any {
  return hello.params.capabilities ?? hello.params._meta['io.modelcontextprotocol/clientCapabilities'];
}

describe.each(revisions)('a client of %s', (revision) => {
  it('with roots declares them, and gives an array with the uri of each and its name where it has one', async () => {
    const roots: readonly Root[] = [{ uri: 'file:///home/user/projects/myproject', name: 'My Project' }, { uri: 'file:///srv' }];
    const { answer, sent } = await asked(revision, 'roots', { handlers: { roots: () => roots } });
    expect(capabilitiesIn(sent)).toEqual({ roots: {} });
    expect(wired(sent)).toEqual({ roots });
    expect(answer).toEqual(roots);
  });

  it('without roots to show gives an empty array', async () => {
    const { answer, sent } = await asked(revision, 'roots', { handlers: { roots: async () => [] } });
    expect(wired(sent)).toEqual({ roots: [] });
    expect(answer).toEqual([]);
  });

  it('that samples declares it, and gives role, content, model and the reason to stop as they were given', async () => {
    const result: CreateMessageResult = {
      role: 'assistant',
      content: { type: 'text', text: 'The capital of France is Paris.' },
      model: 'claude-3-sonnet-20240307',
      stopReason: 'endTurn',
    };
    let params: unknown;
    const sample = (given: unknown): CreateMessageResult => {
      params = given;
      return result;
    };
    const { answer, sent } = await asked(revision, 'sample', { handlers: { sample } });
    expect(capabilitiesIn(sent)).toEqual({ sampling: {} });
    expect(params).toMatchObject({ systemPrompt: 'You help.', maxTokens: 100, modelPreferences: { intelligencePriority: 0.8 } });
    expect(wired(sent)).toEqual(result);
    expect(answer).toMatchObject(result);
  });

  it('may answer with an image, and without a reason to stop', async () => {
    const result: CreateMessageResult = { role: 'assistant', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' }, model: 'm' };
    const { answer, sent } = await asked(revision, 'sample', { handlers: { sample: async () => result } });
    expect(wired(sent)).toEqual(result);
    expect(answer).toMatchObject(result);
  });
});

describe('changed roots', () => {
  it('are not promised: the capability has no listChanged, and no client tells of them by itself', async () => {
    let roots: readonly Root[] = [{ uri: 'file:///a' }];
    const { client, channel } = await greet(beLegacy, { handlers: { ...handlers, roots: () => roots } });
    roots = [{ uri: 'file:///b' }];
    await client.ping();
    expect(channel.heard[0].params.capabilities.roots).toEqual({});
    expect(channel.heard.map(({ method }) => method)).toEqual(['initialize', 'notifications/initialized', 'ping']);
  });

  it('are told by the author with a notification that has no params', async () => {
    const { client, channel } = await greet(beLegacy, { handlers });
    client.notify('notifications/roots/list_changed');
    expect(channel.heard.at(-1)).toEqual({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
  });
});

it('Roots without a uri, and samples without a role or a model, do not compile', () => {
  // @ts-expect-error a root has a uri
  const root: ClientOptions = { handlers: { roots: () => [{ name: 'nowhere' }] } };
  // @ts-expect-error somebody has to have said it
  const sample: ClientOptions = { handlers: { sample: () => ({ content: { type: 'text', text: '' } }) } };
  expect([root, sample]).toHaveLength(2);
});
