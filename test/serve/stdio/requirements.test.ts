// The wire of a real process as the requirement lists have it, looked at byte by byte.
import { expect, it } from 'vitest';
import { Child, onEachNode, readProc, request } from '../child.ts';

const newline = 10;

/** The bytes of stdout, and its lines: each decoded strictly and parsed alone. */
function record(child: Child): { readonly bytes: () => Buffer; readonly messages: () => Record<string, unknown>[] } {
  const chunks: Buffer[] = [];
  child.process.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const bytes = () => Buffer.concat(chunks);
  const messages = () =>
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
      .decode(bytes())
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { bytes, messages };
}

/** A thousand lines that are no messages: broken JSON, broken UTF-8, wrong types, too deep, far too long. */
function createNonsense(): Buffer[] {
  const kinds: ((at: number) => string | Uint8Array)[] = [
    () => 'not json',
    (at) => `{"jsonrpc":"2.0","id":${at},"method":"ping"`,
    () => Uint8Array.of(0x22, 0xff, 0xfe, 0xc3, 0x22),
    () => '{}',
    () => '{"not-jsonrpc":"2.0","method":"initialize"}',
    (at) => `{"jsonrpc":"1.0","id":${at},"method":"ping"}`,
    (at) => `{"jsonrpc":"2.0","id":${at}}`,
    (at) => `{"jsonrpc":"2.0","id":${at},"method":{"ping":true}}`,
    (at) => `{"jsonrpc":"2.0","id":${at},"method":"ping","params":"none"}`,
    () => '{"jsonrpc":"2.0","id":null,"method":"ping"}',
    () => '42',
    () => `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
    () => `"${'x'.repeat(100_000)}"`,
  ];
  return Array.from({ length: 1_000 }, (_, at) => Buffer.concat([Buffer.from(kinds[at % kinds.length]?.(at) ?? ''), Buffer.of(newline)]));
}

onEachNode((node) => {
  it('every message is one line of UTF-8 with a newline at its end, and nothing else is on stdout', async () => {
    const child = new Child('stdio.mjs', { node, unread: true });
    const { bytes, messages } = record(child);
    const texts = ['one\ntwo\r\nthree\n', 'a\u2028b\u2029c\u0085d', '22 °C', '漢字 🦎', '\u0000\u001b[2J', '"\\', ''];
    const lines = texts.map((text, id) => `${request(id, 'tools/call', { name: 'echo', arguments: { text } })}\n`);
    void child.write(`${lines.join('')}nonsense\n${request(99, 'unheard-of')}\n`);
    expect(await child.end()).toMatchObject({ code: 0 });
    expect(bytes().at(-1)).toBe(newline);
    expect(bytes().includes('\r')).toBe(false);
    const all = messages();
    expect(all).toHaveLength(texts.length + 2);
    for (const message of all) expect(message['jsonrpc']).toBe('2.0');
    const said = new Map(all.map(({ id, result }) => [id, result as { content: { text: string }[] } | undefined]));
    expect(texts.map((_, id) => said.get(id)?.content[0]?.text)).toEqual(texts);
    expect(child.stderr).toBe('');
  });

  it('a thousand lines that are no messages get an error each, and the process serves on', async () => {
    const child = new Child('stdio.mjs', { node, unread: true });
    const { messages } = record(child);
    void child.write(Buffer.concat(createNonsense()));
    void child.write(`${request(5_000, 'tools/call', { name: 'echo', arguments: { text: 'still here' } })}\n`);
    await expect.poll(() => messages().length).toBe(1_001);
    const all = messages();
    const codes = all.slice(0, 1_000).map(({ error }) => (error as { code: number } | undefined)?.code);
    expect(codes.filter((code) => code !== -32700 && code !== -32600)).toEqual([]);
    expect(all.at(-1)).toMatchObject({ id: 5_000, result: { content: [{ text: 'still here' }], isError: false } });
    if (process.platform === 'linux') expect(Number(/VmHWM:\s+(\d+) kB/.exec(readProc(child.pid, 'status'))?.[1])).toBeLessThan(200_000);
    expect(await child.end()).toMatchObject({ code: 0, signal: null });
    expect(child.stderr).toBe('');
  });
});
