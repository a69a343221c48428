import { afterEach, describe, expect, it, vi } from 'vitest';
import { assistantMessage, audio, embedded, image, resourceLink, text, userMessage } from '../../src/protocol/constructors.ts';

describe('content constructors', () => {
  it('make a text block', () => {
    expect(text('hi')).toEqual({ type: 'text', text: 'hi' });
  });

  it('add what else a block may carry', () => {
    expect(text('hi', { annotations: { priority: 1 }, _meta: { 'a.b/c': 1 } })).toEqual({
      type: 'text',
      text: 'hi',
      annotations: { priority: 1 },
      _meta: { 'a.b/c': 1 },
    });
  });

  it('encode bytes as base64', () => {
    expect(image(Uint8Array.of(1, 2, 3, 255), 'image/png')).toEqual({ type: 'image', data: 'AQID/w==', mimeType: 'image/png' });
    expect(audio(Uint8Array.of(1, 2, 3), 'audio/wav')).toEqual({ type: 'audio', data: 'AQID', mimeType: 'audio/wav' });
  });

  it('take a string as base64 already', () => {
    expect(image('AQID', 'image/png').data).toBe('AQID');
  });

  it('encode only the window of a view on a larger buffer', () => {
    expect(image(Uint8Array.of(9, 1, 2, 3, 9).subarray(1, 4), 'image/png').data).toBe('AQID');
  });

  it('make a link and an embedded resource', () => {
    expect(resourceLink({ uri: 'note:///a', name: 'a', size: 3 })).toEqual({ type: 'resource_link', uri: 'note:///a', name: 'a', size: 3 });
    expect(embedded({ uri: 'note:///a', text: 'A' }, { annotations: { audience: ['user'] } })).toEqual({
      type: 'resource',
      resource: { uri: 'note:///a', text: 'A' },
      annotations: { audience: ['user'] },
    });
  });

  it('write the type first, so that a reader of the wire sees it first', () => {
    expect(Object.keys(resourceLink({ uri: 'note:///a', name: 'a' }))[0]).toBe('type');
    expect(JSON.stringify(text('hi', { annotations: {} }))).toBe('{"type":"text","text":"hi","annotations":{}}');
  });
});

describe('message constructors', () => {
  it('turn a string into a text block', () => {
    expect(userMessage('hi')).toEqual({ role: 'user', content: { type: 'text', text: 'hi' } });
    expect(assistantMessage('ho')).toEqual({ role: 'assistant', content: { type: 'text', text: 'ho' } });
  });

  it('keep blocks and lists of blocks as they are', () => {
    const block = image('AQID', 'image/png');
    expect(userMessage(block).content).toBe(block);
    const uses = [{ type: 'tool_use', id: '1', name: 'add', input: {} }] as const;
    expect(assistantMessage(uses).content).toBe(uses);
  });
});

describe('base64 where there is no Buffer', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it.each([0, 1, 2, 3, 24_575, 24_576, 24_577, 24_578, 100_003])('is the same for %i bytes', (length) => {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 31) % 256);
    const expected = Buffer.from(bytes).toString('base64');
    vi.stubGlobal('Buffer', undefined);
    const { data } = image(bytes, 'image/png');
    vi.unstubAllGlobals();
    expect(data === expected).toBe(true);
  });
});
