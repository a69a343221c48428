// Resources of live images: read by their owner alone, with names that are data, and told of when they change.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLive, type Live } from 'vivarium/live';
import { createTestClient } from 'vivarium/testing';
import { eventually, type Lab, openLab } from '../fixture.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
  writeFileSync(join(lab.folder, 'shop.mjs'), 'export class Cart {\n  add(item) {}\n}\n');
  await lab.value("import { Cart } from './shop.mjs'; const cart = new Cart(); 1");
  await lab.value('function total(cart) { return 1; }');
});

async function read(uri: string): Promise<string> {
  const { contents } = await lab.client.readResource(uri);
  return contents.map(({ text = '' }) => text).join('');
}

async function complete(uri: string, name: string, value: string, given: Record<string, string> = {}): Promise<readonly string[]> {
  const argument = { name, value };
  const result = await lab.client.request('completion/complete', {
    ref: { type: 'ref/resource', uri },
    argument,
    context: { arguments: given },
  });
  return (result as { completion: { values: string[] } }).completion.values;
}

const missing = { code: -32602 };

describe('a resource', () => {
  it('tells of the server, its sessions and the modules they loaded', async () => {
    expect(await read('live://system/version')).toBe(`vivarium-live 0.1.0, Node ${process.version}`);
    expect(JSON.parse(await read('live://system/info'))).toMatchObject({
      cwd: lab.folder,
      languages: ['javascript'],
      sessions: [{ session: 'main', language: 'javascript', state: 'idle', generation: 1 }],
    });
    expect(await read('live://modules')).toBe('main: 1 file\n  shop.mjs');
  });

  it('tells what a session did and what it defined', async () => {
    await lab.evaluate('throw new TypeError("no")');
    expect(await read('live://session/main/transcript')).toContain('[2] function total(cart) { return 1; }\n=> undefined\n');
    expect(await read('live://session/main/transcript')).toContain('throw new TypeError("no")\n[ERROR] TypeError: no');
    expect(await read('live://session/main/definitions')).toBe('main, generation 1, 3 names\nCart  cell-1\ncart  cell-1\ntotal  cell-2');
  });

  it('shows a class and a function, and neither as the other', async () => {
    expect(await read('live://class/main/Cart')).toBe(
      [
        'Cart: class  (shop.mjs:1)\n  class Cart\n1 member: lookup(want: members) lists them.',
        'Cart: class\nof instances:\n  add(item)',
        '// shop.mjs:1\nclass Cart {\n  add(item) {}\n}',
      ].join('\n\n'),
    );
    expect(await read('live://function/main/total')).toContain('function total(cart) { return 1; }');
    expect(await read('live://function/main/Cart.prototype.add')).toContain('add(item) {}');
    for (const uri of ['live://function/main/Cart', 'live://class/main/total', 'live://class/main/Nothing', 'live://class/other/Cart']) {
      await expect(read(uri)).rejects.toMatchObject(missing);
    }
  });

  it.each(["Foo'); process.exit(//", 'process.exit(1)', '"]; globalThis.ran = 1; ["', '(globalThis.ran = 1)'])(
    'E27 treats the name %j as data',
    async (name) => {
      for (const kind of ['class', 'function', 'object']) {
        await expect(read(`live://${kind}/main/${encodeURIComponent(name)}`)).rejects.toMatchObject(missing);
        expect(await complete(`live://${kind}/{session}/${kind === 'object' ? '{ref}{?offset}' : '{name}'}`, 'name', name)).toEqual([]);
      }
      expect(await lab.value('[globalThis.ran, typeof Cart].join()')).toBe("',function'");
    },
  );

  it('E26 pages a huge object, and is bounded', async () => {
    const { structured } = await lab.evaluate('Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => ["k" + i, "x".repeat(10)]))');
    const uri = `live://object/main/${structured.refs?.[0]}`;
    const first = await read(uri);
    expect(first).toContain('k49: ');
    expect(first).not.toContain('\n  k50: ');
    expect(first.length).toBeLessThan(20_000);
    expect(first.endsWith(`next: ${uri}?offset=50`)).toBe(true);
    expect(await read(`${uri}?offset=49990`)).not.toContain('next:');
    for (const wrong of ['live://object/main/99999', 'live://object/main/x', `${uri}?offset=-1`])
      await expect(read(wrong)).rejects.toMatchObject(missing);
  });

  it('is not found once nothing in the program holds the value any more', async () => {
    const { structured } = await lab.evaluate('({ soon: "gone" })');
    const uri = `live://object/main/${structured.refs?.[0]}`;
    expect(await read(uri)).toContain('soon');
    await lab.value('const many = Array.from({ length: 50 }, () => ({})); 1');
    await lab.call('inspect', { target: 'many' });
    await lab.value("(await import('node:v8')).setFlagsFromString('--expose-gc'); (await import('node:vm')).runInNewContext('gc')(); 1");
    await expect(read(uri)).rejects.toMatchObject(missing);
  });

  it('lists the transcripts and definitions there are', async () => {
    const uris = (await lab.client.listResources()).map(({ uri }) => uri);
    expect(uris).toEqual([
      'live://system/version',
      'live://system/info',
      'live://modules',
      'live://session/main/transcript',
      'live://session/main/definitions',
    ]);
  });
});

it('every variable can be completed', async () => {
  for (const { uriTemplate } of await lab.client.listResourceTemplates())
    expect(await complete(uriTemplate, 'session', 'm')).toEqual(['main']);
  expect(await complete('live://class/{session}/{name}', 'name', 'C', { session: 'main' })).toEqual(['Cart']);
  expect(await complete('live://function/{session}/{name}', 'name', 'to')).toEqual(['total']);
  expect(await complete('live://object/{session}/{ref}{?offset}', 'ref', '1')).toContain('1');
  expect(await complete('live://object/{session}/{ref}{?offset}', 'offset', '5')).toEqual(['50']);
});

it('completing a word starts no process', async () => {
  await using other = await openLab();
  const session = await other.open();
  const ref = { type: 'ref/resource', uri: 'live://class/{session}/{name}' };
  await other.client.request('completion/complete', { ref, argument: { name: 'name', value: 'A' }, context: { arguments: { session } } });
  expect((await other.call('sessions', { action: 'list' })).text).toContain('cold');
});

describe('a subscription', () => {
  it('is told when a cell defines the name again, and when the session did something', async () => {
    const told: string[] = [];
    for (const uri of ['live://function/main/total', 'live://session/main/definitions', 'live://session/main/transcript']) {
      await lab.client.subscribe(uri, () => told.push(uri));
    }
    await lab.value('1 + 1');
    await eventually(() => told).toEqual(['live://session/main/transcript']);
    await lab.value('function total(cart) { return 2; }');
    await eventually(() => new Set(told).size).toBe(3);
    expect(await read('live://function/main/total')).toContain('return 2');
  });

  it('of the list is told when sessions appear and go', async () => {
    let changes = 0;
    lab.client.on('listChanged', ({ of }) => {
      if (of === 'resources') changes++;
    });
    const session = await lab.open();
    await eventually(() => changes).toBe(1);
    await lab.call('sessions', { action: 'close', session });
    await eventually(() => changes).toBe(2);
  });
});

describe('with several callers', () => {
  let live: Live;
  afterAll(() => live.close());

  it('each reads, lists and completes in its own sessions only', async () => {
    live = createLive({ single: false });
    const ada = await createTestClient(live.server, { principal: { id: 'ada', scopes: [] } });
    const bob = await createTestClient(live.server, { principal: { id: 'bob', scopes: [] } });
    const { structuredContent } = await ada.callTool('sessions', { action: 'open' });
    const session = String((structuredContent as { session: string } | undefined)?.session);
    const uri = `live://session/${session}/transcript`;
    expect((await ada.readResource(uri)).contents).toHaveLength(1);
    await expect(bob.readResource(uri)).rejects.toMatchObject(missing);
    expect((await bob.listResources()).map((one) => one.uri)).not.toContain(uri);
    expect(JSON.stringify((await bob.readResource('live://system/info')).contents)).not.toContain(session);
    const ref = { type: 'ref/resource', uri: 'live://session/{session}/transcript' };
    expect(await bob.request('completion/complete', { ref, argument: { name: 'session', value: '' } })).toMatchObject({
      completion: { values: [] },
    });
    await Promise.all([ada.close(), bob.close()]);
  });
});
