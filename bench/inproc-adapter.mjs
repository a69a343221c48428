// Vivarium inside this process for the `inproc` suite: decoded messages in and out of a memory channel, no bytes.
import { serveMemory } from 'vivarium/serve/memory';
import { Server } from 'vivarium/server';
import { info, toolsWith } from './job.mjs';
import { initializedMessage, initializeMessage } from './load/messages.mjs';

export default async function openVivarium() {
  const server = new Server({ ...info, pageSize: 100_000 });
  for (const { name, description, inputSchema, run } of toolsWith(0)) server.tool(name, { description, input: inputSchema }, run);

  const channel = serveMemory(server);
  const waiting = new Map();
  channel.receive((message) => {
    const answer = waiting.get(message.id);
    if (answer === undefined) return;
    waiting.delete(message.id);
    answer(message);
  });
  const send = (message) =>
    new Promise((resolve) => {
      waiting.set(message.id, resolve);
      channel.send(message);
    });
  await send(initializeMessage(0));
  channel.send(initializedMessage);
  return send;
}
