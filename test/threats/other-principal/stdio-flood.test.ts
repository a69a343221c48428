// Whoever speaks to a server on stdio is one caller: it can fill its own queue, but not the memory of a small process.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Json, modernBody } from './flood.ts';

const mebibyte = 1024 * 1024;
const fixture = fileURLToPath(new URL('../../fixtures/flooded.mjs', import.meta.url));

interface Speaker {
  readonly child: ChildProcessWithoutNullStreams;
  readonly answers: Map<unknown, Json>;
  say(message: object | string): Promise<void>;
}

function speak(): Speaker {
  const child = spawn(process.execPath, ['--max-old-space-size=512', fixture, '{"porch":"stdio"}'], { stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => undefined);
  const answers = new Map<unknown, Json>();
  createInterface(child.stdout).on('line', (line) => {
    const message = JSON.parse(line);
    if ('id' in message) answers.set(message.id, message);
  });
  const say = async (message: object | string): Promise<void> => {
    if (!child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`)) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 5_000);
        child.stdin.once('drain', () => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  };
  return { child, answers, say };
}

async function expectAlive({ child, answers, say }: Speaker): Promise<void> {
  await say(modernBody('tools/call', { name: 'echo', arguments: { text: 'still here' } }, 'last'));
  await expect.poll(() => answers.get('last'), { timeout: 60_000 }).toMatchObject({ result: { content: [{ text: 'still here' }] } });
  expect(child.exitCode).toBeNull();
}

describe('a flood on stdio', { timeout: 240_000 }, () => {
  it('of listeners with large filters is refused with 429, and the process lives', async () => {
    const speaker = speak();
    const resourceSubscriptions = Array.from({ length: 1_000 }, (_, at) => `note:///${at}/${'ж'.repeat(2_000)}`);
    const text = JSON.stringify(modernBody('subscriptions/listen', { notifications: { resourceSubscriptions } }, 'ID'));
    for (let id = 0; id < 130; id++) await speaker.say(text.replace('"ID"', String(id)));
    await expect.poll(() => speaker.answers.get(129), { timeout: 60_000 }).toMatchObject({ error: { code: 429 } });
    await expectAlive(speaker);
  });

  it('of messages that are denser than memory allows is refused before they are parsed', async () => {
    const speaker = speak();
    const list = Array.from({ length: 8_000_000 }, () => 0);
    const dense = JSON.stringify(modernBody('tools/call', { name: 'echo', arguments: { list } }, 'dense')).replaceAll('0,', '{},');
    speaker.child.stdin.write(`${dense}\n`);
    await expect
      .poll(() => speaker.answers.get(null) ?? speaker.answers.get(undefined), { timeout: 60_000 })
      .toMatchObject({ error: { code: -32600 } });
    await expectAlive(speaker);
  });

  it('of calls that are cancelled while their handlers go on is refused with 429 when they hold too much', async () => {
    const speaker = speak();
    const text = JSON.stringify(modernBody('tools/call', { name: 'deaf', arguments: { text: `ж${'x'.repeat(4 * mebibyte)}` } }, 'ID'));
    for (let id = 0; id < 80; id++) {
      await speaker.say(text.replace('"ID"', String(id)));
      await speaker.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    }
    await expect.poll(() => speaker.answers.get(79), { timeout: 60_000 }).toMatchObject({ error: { code: 429 } });
    await expectAlive(speaker);
  });
});
