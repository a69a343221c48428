// A client that closes its side behind its request, and one that closed everything: both send the same FIN.
import { expect, it, onTestFinished } from 'vitest';
import { Server } from 'vivarium/server';
import { call, eventually, modern, nodeDoor, openSession, Raw } from '../http.ts';

/** A tool that ends when the test says so, and tells how often it was cancelled. */
function waiting(): { readonly server: Server; readonly end: () => void; readonly seen: { started: number; cancelled: number } } {
  const seen = { started: 0, cancelled: 0 };
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  onTestFinished(end);
  const server = new Server({ name: 'waiting', version: '1' });
  server.tool('wait', {}, async (_, { signal }) => {
    seen.started++;
    signal.addEventListener('abort', () => seen.cancelled++);
    await ended;
    return 'done';
  });
  return { server, end, seen };
}

const waits = modern('tools/call', { name: 'wait' }, { 'mcp-name': 'wait' });

it.each([
  ['at once', 0],
  ['after it was asked whether it is still there', 2],
])('an answer that comes %s reaches a client that closed its side', async (_, asked) => {
  const { server, end, seen } = waiting();
  const door = await nodeDoor(server);
  const raw = await Raw.open(door.port);
  raw.request(waits);
  raw.socket.end();
  await eventually(() => seen.started).toBe(1);
  for (let at = 0; at < asked; at++) {
    const { status } = await raw.head();
    expect(status).toBe(102);
  }
  end();
  let answer = await raw.answer();
  while (answer.status === 102) answer = await raw.answer();
  expect([answer.status, answer.json.result.content]).toEqual([200, [{ type: 'text', text: 'done' }]]);
  await raw.ended;
  expect(seen.cancelled).toBe(0);
});

it('a call whose client left is cancelled', async () => {
  const { server, seen } = waiting();
  const door = await nodeDoor(server);
  const raw = await Raw.open(door.port);
  raw.request(waits);
  await eventually(() => seen.started).toBe(1);
  raw.socket.destroy();
  await eventually(() => seen.cancelled).toBe(1);
});

it('a stream whose client left is closed, and one that answers goes on for a client that closed its side', async () => {
  const { server, end, seen } = waiting();
  const door = await nodeDoor(server, { stream: 'always' });
  const headers = await openSession(door);
  const [listens, stays, leaves] = [await Raw.open(door.port), await Raw.open(door.port), await Raw.open(door.port)];
  listens.request({ method: 'GET', headers: { ...headers, accept: 'text/event-stream' } });
  for (const raw of [stays, leaves]) raw.request({ headers, body: call(raw === stays ? 1 : 2, 'wait') });
  for (const raw of [listens, stays, leaves]) expect((await raw.head()).status).toBe(200);
  await eventually(() => seen.started).toBe(2);
  const before = door.stats.streams;
  listens.socket.end();
  leaves.socket.destroy();
  await eventually(() => door.stats.streams).toBe(before - 2);
  stays.socket.end();
  await eventually(() => stays.rest).toContain(': keep-alive\n\n');
  end();
  await eventually(() => stays.rest).toContain('"text":"done"');
});

it('a connection between two requests ends with its client', async () => {
  const { server, end } = waiting();
  end();
  const door = await nodeDoor(server);
  const raw = await Raw.open(door.port);
  raw.request({ headers: await openSession(door), body: call(1, 'wait') });
  await raw.answer();
  raw.socket.end();
  await raw.ended;
});
