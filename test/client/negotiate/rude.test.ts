// Servers that take the question for the era badly: whatever they do, the client finds out what they speak.
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import { beLegacy, beModern } from '../../fixtures/rude-manners.mjs';
import { connect as connectTo } from '../doors.ts';
import { failureOf, type Manner, rudeHttp, rudePipe, rudeStdio } from '../rude.ts';

/** Only silence has to be waited for; a child may take its time to start. */
const patient = { timeouts: { probeMs: 20_000, connectMs: 20_000 } };
const limits = (manner: string) => (manner === 'silent on the probe' ? { timeouts: { probeMs: 200, connectMs: 20_000 } } : patient);

const falls = [
  'silent on the probe',
  'refuses the probe with -32602',
  'refuses the probe with -32600',
  'refuses the probe with -32000',
  'answers the probe with a string',
  'answers the probe with something else',
  'lists only an old revision',
  'lists no revision',
];

describe.each(falls)('a legacy server that %s', (manner) => {
  it('is greeted by the handshake over stdio, in the same process', async () => {
    const client = await connectTo(rudeStdio(manner), limits(manner));
    onTestFinished(() => client.close());
    expect([client.era, client.revision, client.server?.name]).toEqual(['legacy', '2025-06-18', 'rude']);
    expect((await client.callTool('echo', { a: 1 })).content).toEqual([{ type: 'text', text: '{"a":1}' }]);
  });

  it('is asked once, and greeted, on a pipe', async () => {
    const channel = rudePipe(manner);
    const client = await connect(channel, limits(manner));
    onTestFinished(() => client.close());
    await client.ping();
    const methods = channel.heard.map(({ method }) => method).filter((method) => method !== 'notifications/cancelled');
    expect(methods).toEqual(['server/discover', 'initialize', 'notifications/initialized', 'ping']);
  });

  // Silence over HTTP is a fault of the network, and no evidence.
  it.skipIf(manner === 'silent on the probe')('is greeted by the handshake over HTTP', async () => {
    const { url } = await rudeHttp(manner);
    const client = await connectTo(url, limits(manner));
    onTestFinished(() => client.close());
    expect([client.era, client.revision]).toEqual(['legacy', '2025-06-18']);
    expect(await client.listTools()).toHaveLength(2);
  });
});

it('A server that dies of the probe is started once more and not asked again', async () => {
  const client = await connectTo(rudeStdio('dies of the probe'), patient);
  onTestFinished(() => client.close());
  expect([client.era, client.revision]).toEqual(['legacy', '2025-06-18']);
  await client.ping();
});

it('A server that dies of the probe is not started a second time when the newest revision is pinned', async () => {
  const error = await failureOf(connectTo(rudeStdio('dies of the probe'), { ...patient, revision: '2026-07-28' }));
  expect(error.code).toBe('ERR_CONNECT');
  expect(error.failure).toMatchObject({ phase: 'probe', exitCode: 3 });
});

it.each(['stdio', 'http'] as const)('A server that speaks only revisions of the future is refused, over %s', async (way) => {
  const target = way === 'stdio' ? rudeStdio('lists a revision of the future') : (await rudeHttp('lists a revision of the future')).url;
  const error = await failureOf(connectTo(target, patient));
  expect(error.code).toBe('ERR_ERA');
  expect(error.message).toContain('2099-01-01');
});

it.each(['stdio', 'http'] as const)('A server that refuses the revision it lists is not asked for ever, over %s', async (way) => {
  const target = way === 'stdio' ? rudeStdio('refuses what it lists') : (await rudeHttp('refuses what it lists')).url;
  const error = await failureOf(connectTo(target, patient));
  expect(error.code).toBe('ERR_ERA');
});

it('A pinned old revision is not probed for', async () => {
  const channel = rudePipe('legacy');
  const client = await connect(channel, { revision: '2025-06-18' });
  onTestFinished(() => client.close());
  expect(channel.heard[0].method).toBe('initialize');
  expect(channel.heard[0].params.protocolVersion).toBe('2025-06-18');
});

it('A verdict of before saves the probe, until it is a day old', async () => {
  const day = 24 * 60 * 60 * 1_000;
  for (const [age, first] of [
    [day / 2, 'initialize'],
    [day + 1, 'server/discover'],
  ] as const) {
    const channel = rudePipe('refuses the probe with -32602');
    const client = await connect(channel, { prior: { era: 'legacy', revision: '2025-06-18', at: Date.now() - age } });
    onTestFinished(() => client.close());
    expect(channel.heard[0].method).toBe(first);
  }
});

it('A verdict that has become wrong is not believed', async () => {
  const at = Date.now();
  const old = await connect(rudePipe('refuses the probe with -32602'), {
    ...patient,
    prior: { era: 'modern', revision: '2026-07-28', at },
  });
  onTestFinished(() => old.close());
  expect(old.era).toBe('legacy');
  const only: Manner = (message, line) =>
    message.method === 'initialize'
      ? line.refuse(-32022, 'No', { supported: ['2026-07-28'], requested: '2025-11-25' })
      : beModern(message, line);
  const updated = await connect(rudePipe(only), { ...patient, prior: { era: 'legacy', revision: '2025-06-18', at } });
  onTestFinished(() => updated.close());
  expect(updated.era).toBe('modern');
});

it('A server may ping before it has answered the handshake', async () => {
  for (const target of [rudeStdio('asks first')]) {
    const client = await connectTo(target, patient);
    onTestFinished(() => client.close());
    expect((await client.callTool('echo')).content).toEqual([{ type: 'text', text: 'answered' }]);
  }
});

it('A refused token is no evidence of an era', async () => {
  const seen: string[] = [];
  const { url } = await rudeHttp(beLegacy, (message, response) => {
    seen.push(message?.method);
    response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    return true;
  });
  expect((await failureOf(connectTo(url, patient))).code).toBe('ERR_AUTH_REQUIRED');
  expect(seen).toEqual(['server/discover']);
});

it('A server over HTTP that answers 400 to the probe with an error of its own is greeted', async () => {
  const { url } = await rudeHttp(beLegacy, (message, response) => {
    if (message?.method !== 'server/discover') return false;
    const error = { code: -32000, message: 'Bad Request: No valid session ID provided' };
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    return true;
  });
  const client = await connectTo(url, patient);
  onTestFinished(() => client.close());
  expect(client.era).toBe('legacy');
});

describe('a server that is slow to start, so that the probe seems unanswered', () => {
  const impatient = { timeouts: { probeMs: 20, connectMs: 20_000 } };

  it('is found to be modern by its late answer, where it refuses the handshake', async () => {
    let late: (() => void) | undefined;
    const manner: Manner = (message, line) => {
      if (message.method === 'server/discover' && late === undefined) late = () => beModern(message, line);
      else if (message.method === 'initialize') {
        late?.();
        line.refuse(-32022, 'No', { supported: ['2026-07-28'], requested: '2025-11-25' });
      } else if (message.id !== undefined) beModern(message, line);
    };
    const client = await connect(rudePipe(manner), impatient);
    onTestFinished(() => client.close());
    expect(client.era).toBe('modern');
  });

  /** It knows both eras, and from then on speaks only what it agreed to last; to the rest it is deaf. */
  const either = (order: 'question first' | 'handshake first', heard: unknown[]): Manner => {
    let late: (() => void) | undefined;
    let isLegacy = false;
    return (message, line) => {
      heard.push(message.method);
      if (message.method === 'server/discover' && late === undefined) late = () => beModern(message, line);
      else if (message.method === 'initialize') {
        if (order === 'question first') late?.();
        beLegacy(message, line);
        if (order === 'handshake first') late?.();
        isLegacy = true;
      } else if (isLegacy && message.params?._meta?.['io.modelcontextprotocol/protocolVersion'] === undefined) beLegacy(message, line);
    };
  };

  it.each(['question first', 'handshake first'] as const)(
    'ends in the era of the handshake where it takes both, answering the %s',
    async (order) => {
      const heard: unknown[] = [];
      const client = await connect(rudePipe(either(order, heard)), impatient);
      onTestFinished(() => client.close());
      expect(client.era).toBe('legacy');
      await client.listTools();
      expect(heard.filter((method) => method !== 'notifications/cancelled')).toEqual([
        'server/discover',
        'initialize',
        'notifications/initialized',
        'tools/list',
      ]);
    },
  );

  it('ends in the era of the question where it passes over the handshake', async () => {
    let late: (() => void) | undefined;
    const manner: Manner = (message, line) => {
      if (message.method === 'server/discover' && late === undefined) late = () => beModern(message, line);
      else if (message.method === 'initialize') late?.();
      else if (message.id !== undefined) beModern(message, line);
    };
    const client = await connect(rudePipe(manner), impatient);
    onTestFinished(() => client.close());
    expect(client.era).toBe('modern');
    await client.listTools();
  });

  it('is started once more where it then dies of the probe', async () => {
    let lives = 0;
    const dying: Manner = (message, line) => (message.method === 'initialize' ? line.die(3) : undefined);
    const connector = { target: 'a slow one', open: async () => rudePipe(++lives === 1 ? dying : beLegacy) };
    const client = await connect(connector, impatient);
    onTestFinished(() => client.close());
    expect([client.era, lives]).toEqual(['legacy', 2]);
  });
});
