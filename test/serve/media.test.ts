// Content-Type and Accept: what is let through, and what is answered when it is not.
import { describe, expect, it } from 'vitest';
import { acceptsAll, acceptsEvents, isJson } from '../../src/serve/media.ts';
import { createEverything } from '../fixtures/everything.mjs';
import { doors, initialize, modern, openSession, rpc } from './http.ts';

describe('Content-Type', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json ; charset="utf-8"',
    'application/json; charset=utf8',
    'application/json; profile=x',
    'application/json;',
  ])('is JSON as %s', (type) => {
    expect(isJson(type)).toBe(true);
  });

  it.each([
    undefined,
    '',
    'text/plain',
    'text/json',
    'text/plain; x=application/json',
    'text/plain, application/json',
    'application/json, text/plain',
    'application/jsonp',
    'application/json-rpc',
    'application/json/x',
    'xapplication/json',
    ' x application/json',
    'application/json; charset=utf-16',
    'application/json; charset=latin1',
    'application/json; charset="utf-16"',
    "application/json; charset='utf-16'",
    'application/json; x=y; charset=utf-16',
    'application/json; charset=utf-8; charset=utf-16',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/*',
    '*/*',
  ])('is not JSON as %s', (type) => {
    expect(isJson(type)).toBe(false);
  });
});

describe('Accept', () => {
  it.each<[string | undefined, boolean, boolean]>([
    ['application/json, text/event-stream', true, true],
    ['text/event-stream, application/json', true, true],
    ['text/event-stream,application/json', true, true],
    ['Application/JSON, TEXT/Event-Stream', true, true],
    ['application/json;q=0.9, text/event-stream;q=0.1', true, true],
    ['application/json; charset=utf-8, text/event-stream', true, true],
    ['*/*', true, true],
    ['text/html, */*;q=0.1', true, true],
    ['application/*, text/*', true, true],
    ['application/*, text/event-stream', true, true],
    ['application/json', false, false],
    ['text/event-stream', false, true],
    ['text/*', false, true],
    ['text/html', false, false],
    ['', false, false],
    [undefined, false, false],
    ['application/json, text/event-stream;q=0', false, false],
    ['application/json;q=0, text/event-stream', false, true],
    ['application/json, text/event-stream;q=0.000', false, false],
    ['*/*;q=0', false, false],
    ['application/json-seq, text/event-stream', false, true],
    ['application/json text/event-stream', false, false],
  ])('%s: both types %s, events %s', (accept, both, events) => {
    // Twice: what is known is answered as what is new.
    for (let round = 0; round < 2; round++) expect([acceptsAll(accept), acceptsEvents(accept)]).toEqual([both, events]);
  });

  it('takes no notice of how often or how long it is asked', () => {
    for (let at = 0; at < 1_000; at++) expect(acceptsAll(`*/*;level=${at}`)).toBe(true);
    expect(acceptsAll(`${'a/b,'.repeat(4_000)}*/*`)).toBe(true);
  });

  it.each([
    ['application/json, text/event-stream, */*;q=0', true],
    ['*/*, text/event-stream;q=0', false],
    ['*/*, application/json;q=0', false],
  ])('lets the more specific range decide in %s', (accept, both) => {
    expect(acceptsAll(accept)).toBe(both);
  });
});

describe.each(doors)('%s', (_, open) => {
  const types = {
    'text/plain': 'H06',
    'application/x-www-form-urlencoded': 'H06',
    'multipart/form-data; boundary=x': 'H06',
    'text/plain; x=application/json': 'H07',
    'application/jsonp': 'H07',
    'application/json; charset=utf-16': 'H07',
  };

  it.each(Object.entries(types).map(([type, id]) => [id, type]))('%s refuses a body as %s with 415', async (_id, type) => {
    const door = await open(createEverything());
    const session = await openSession(door);
    const requests = [
      modern('tools/list', {}, { 'content-type': type }),
      { headers: { 'content-type': type }, body: initialize() },
      { headers: { ...session, 'content-type': type }, body: rpc(1, 'tools/list') },
    ];
    const answers = await Promise.all(requests.map((sent) => door.send(sent)));
    expect(answers.map(({ status }) => status)).toEqual([415, 415, 415]);
    expect(answers[0]?.json).toEqual({ jsonrpc: '2.0', error: { code: 415, message: 'Content-Type must be application/json' } });
    expect(answers[1]?.json).toMatchObject({ id: null, error: { code: 415 } });
    expect(door.stats.sessionsOpened).toBe(1);
  });

  it('H06 refuses a body without a type with 415', async () => {
    const door = await open(createEverything());
    // A string would be given a type by Request itself.
    const body = Buffer.from(JSON.stringify(initialize()));
    expect((await door.send({ headers: { 'content-type': undefined }, body })).status).toBe(415);
  });

  it('H06 refuses what is posted to HTTP+SSE as plain text', async () => {
    const door = await open(createEverything(), { sse: true });
    const sent = { path: '/messages?sessionId=x', headers: { 'content-type': 'text/plain' }, body: initialize() };
    expect((await door.send(sent)).status).toBe(415);
  });

  it.each([
    [undefined, 406],
    ['application/json', 406],
    ['text/event-stream', 406],
    ['text/html', 406],
    ['*/*', 200],
    ['application/json, text/event-stream', 200],
  ])('H08 answers a call with Accept %s by %i', async (accept, status) => {
    const door = await open(createEverything());
    const session = await openSession(door);
    for (const sent of [modern('tools/list', {}, { accept }), { headers: { ...session, accept }, body: rpc(1, 'tools/list') }]) {
      const answer = await door.send(sent);
      expect(answer.status).toBe(status);
      if (status === 406) expect(answer.json.error).toEqual({ code: 406, message: expect.stringContaining('text/event-stream') });
    }
  });

  it.each([
    [undefined, 406],
    ['application/json', 406],
    ['text/event-stream', 200],
    ['*/*', 200],
  ])('H08 answers a GET with Accept %s by %i', async (accept, status) => {
    const door = await open(createEverything());
    const session = await openSession(door);
    const stream = await door.open({ method: 'GET', headers: { ...session, accept } });
    expect(stream.status).toBe(status);
    stream.hangUp();
  });

  it('H08 ends a session whatever is accepted', async () => {
    const door = await open(createEverything());
    const session = await openSession(door);
    expect((await door.send({ method: 'DELETE', headers: { ...session, accept: undefined } })).status).toBe(204);
  });
});
