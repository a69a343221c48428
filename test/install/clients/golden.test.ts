// A file of every client, as people write it, with a server added and removed.
import { describe, expect, it } from 'vitest';
import { type ClientRow, type InstalledServer, isReference, type Value } from '../../../src/install/client.ts';
import { clients } from '../../../src/install/clients.ts';
import { addServer, readServers, removeServer } from '../../../src/install/edit/edit.ts';
import { variablesIn } from '../../../src/install/entries.ts';
import { golden, kept, remoteServer, stdioServer } from '../golden.ts';

function entryFor(client: ClientRow, server: InstalledServer): object | undefined {
  const written = (value: Value): string =>
    isReference(value) ? `${value.before}${client.reference?.(value.variable) ?? 'hunter2'}` : value;
  return client.entry('notes', server, written);
}

describe.each(clients.map((client) => [client.name, client] as const))('the file of %s', (_, client) => {
  const place = { format: client.format, path: client.path };
  const before = golden(`${client.id}.before`);

  it('keeps every byte around a server that is added', async () => {
    const entry = entryFor(client, stdioServer) as object;
    const after = await addServer(before, place, 'notes', entry, { extras: client.extras?.(variablesIn(stdioServer)) ?? [] });
    expect(after).toBe(kept(`${client.id}.after`, after));
    expect((await readServers(after, place)).get('notes')).toEqual(entry);
    expect(commentsOf(after)).toEqual(commentsOf(before));
  });

  it('is the same after adding twice', async () => {
    const entry = entryFor(client, stdioServer) as object;
    const once = await addServer(before, place, 'notes', entry);
    expect(await addServer(once, place, 'notes', entry)).toBe(once);
  });

  it('has every other server as it was after one of them is removed by its name alone', async () => {
    const after = await addServer(before, place, 'notes', entryFor(client, stdioServer) as object);
    const removed = await removeServer(after, place, 'notes');
    expect(await readServers(removed, place)).toEqual(await readServers(before, place));
    expect(commentsOf(removed)).toEqual(commentsOf(before));
  });

  it('takes a server at a URL in the form the client reads, or says that it has none', async () => {
    const entry = entryFor(client, remoteServer);
    const text = `${JSON.stringify(entry ?? 'none', null, 2)}\n`;
    expect(text).toBe(kept(`${client.id}.remote`, text));
    if (entry !== undefined) await addServer(before, place, 'notes', entry);
  });
});

/** Every comment, in order. */
function commentsOf(text: string): string[] {
  const all = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|(\/\/[^\r\n]*|\/\*[\s\S]*?\*\/|#[^\r\n]*)/g;
  return [...text.matchAll(all)].flatMap(([, comment]) => comment ?? []);
}
