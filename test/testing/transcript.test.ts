// Conversations on paper: written by a wire, read back from a file.
import { describe, expect, it } from 'vitest';
import { createWire, parseTranscript } from 'vivarium/testing';
import { ask, createSmall, handshake, openWire } from '../server/fixture.ts';

describe('a transcript', () => {
  it('records what either side sent, in order, as it was on the wire', async () => {
    const wire = createWire(createSmall());
    await wire.request('ping');
    wire.send('{ "jsonrpc": "2.0", "id": "x", "method": "nope" }\n');
    expect(wire.transcript.entries).toEqual([
      { from: 'client', line: '{"jsonrpc":"2.0","id":1,"method":"ping"}' },
      { from: 'server', line: '{"jsonrpc":"2.0","id":1,"result":{}}' },
      { from: 'client', line: '{ "jsonrpc": "2.0", "id": "x", "method": "nope" }' },
      { from: 'server', line: expect.stringContaining('-32602') },
    ]);
  });

  it('is a text with an arrow before each message', async () => {
    const wire = createWire(createSmall());
    await wire.request('ping');
    expect(wire.transcript.text()).toBe('→ {"jsonrpc":"2.0","id":1,"method":"ping"}\n← {"jsonrpc":"2.0","id":1,"result":{}}\n');
  });

  it('is empty before anything is said', () => {
    const { transcript } = createWire(createSmall());
    expect(transcript.entries).toEqual([]);
    expect(transcript.text()).toBe('');
  });

  it('keeps several messages of one chunk apart', async () => {
    const wire = createWire(createSmall());
    wire.send('{"jsonrpc":"2.0","id":1,"method":"ping"}\n\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n');
    await wire.quiet();
    expect(wire.transcript.entries.map(({ from }) => from)).toEqual(['client', 'client', 'server', 'server']);
  });

  it('holds one line for a message that was sent in pieces', async () => {
    const wire = createWire(createSmall());
    const bytes = new TextEncoder().encode('{"jsonrpc":"2.0","id":"é","method":"ping"}\n');
    // The second cut goes through the middle of a character.
    const cut = bytes.indexOf(0xc3) + 1;
    for (const piece of [bytes.subarray(0, 5), bytes.subarray(5, cut), bytes.subarray(cut)]) wire.send(piece);
    await wire.quiet();
    expect(wire.transcript.entries).toEqual([
      { from: 'client', line: '{"jsonrpc":"2.0","id":"é","method":"ping"}' },
      { from: 'server', line: '{"jsonrpc":"2.0","id":"é","result":{}}' },
    ]);
  });

  it('is read back as it was written', async () => {
    const wire = await openWire(createSmall());
    await ask(wire, 'tools/list');
    await ask(wire, 'tools/call', { name: 'hello' });
    await wire.quiet();
    expect(parseTranscript(wire.transcript.text())).toEqual(wire.transcript.entries);
  });
});

describe('parseTranscript', () => {
  it('leaves out prose and blank lines', () => {
    const text = [
      'A title',
      '',
      'Prose about → arrows and ← others.',
      '',
      '→ {"a":1}',
      '',
      '← {"b":2}',
      '  → indented is prose',
      '-> so is this',
      '→',
      '',
    ].join('\n');
    expect(parseTranscript(text)).toEqual([
      { from: 'client', line: '{"a":1}' },
      { from: 'server', line: '{"b":2}' },
    ]);
  });

  it('finds nothing in nothing', () => {
    expect(parseTranscript('')).toEqual([]);
    expect(parseTranscript('only prose\n')).toEqual([]);
  });

  it('reads what the wire sends', async () => {
    const entries = parseTranscript(`→ ${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: handshake() })}`);
    const wire = createWire(createSmall());
    for (const { line } of entries) wire.send(`${line}\n`);
    expect(await wire.next()).toMatchObject({ id: 1, result: { protocolVersion: '2025-11-25' } });
  });
});
