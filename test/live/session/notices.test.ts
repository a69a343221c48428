// A loss is news for everyone who works in the session, not only for whoever asks first.
import { expect, it, onTestFinished } from 'vitest';
import { createLive } from 'vivarium/live';
import { Notices } from '../../../src/live/session/notices.ts';
import { Pipe } from '../../../src/serve/pipe.ts';
import { coreOf } from '../../../src/server/core.ts';
import { call, initialize, type Json } from '../../serve/http.ts';

type Person = (code: string, tool?: string, args?: object) => Promise<string>;

/** As on stdio, or as by the local socket, which has an id. */
function visitor(live: ReturnType<typeof createLive>, sessionId?: string): Person {
  const answers = new Map<number, (answer: Json) => void>();
  let written = '';
  const pipe = new Pipe(
    coreOf(live.server),
    {
      write(text) {
        written += text;
        const lines = written.split('\n');
        written = lines.pop() ?? '';
        for (const line of lines) {
          const message = JSON.parse(line) as Json;
          answers.get(message.id)?.(message);
        }
        return true;
      },
      flow: () => undefined,
    },
    { sessionId },
  );
  onTestFinished(() => pipe.close());
  let next = 1;
  const send = (message: object): Promise<Json> => {
    const id = next++;
    const answer = new Promise<Json>((resolve) => answers.set(id, resolve));
    pipe.receive(Buffer.from(`${JSON.stringify({ ...message, id })}\n`));
    return answer;
  };
  const ready = send(initialize());
  return async (code, tool = 'evaluate', args = { code }) => {
    await ready;
    return (await send(call(0, tool, args))).result.content[0].text as string;
  };
}

it('The agent and the person in one session are both told that it was lost, each once', async () => {
  const live = createLive();
  onTestFinished(() => live.close());
  const [agent, person] = [visitor(live), visitor(live, 'local')];
  await agent('let kept = 42');
  expect(await person('kept')).toBe('=> 42');
  expect(await person('process.exit(7)')).toMatch(/^\[STATE LOST] generation 2: it exited with code 7/);
  const told = /\[STATE LOST] generation 2: it exited with code 7\. 2 cells of work and every value are gone\./;
  expect(await agent('typeof kept')).toMatch(told);
  expect(await agent('typeof kept')).toBe("=> 'undefined'");
  expect(await person('typeof kept')).toBe("=> 'undefined'");
});

it('Whoever shares a session hears that another one has reset it; who did so is not told twice', async () => {
  const live = createLive();
  onTestFinished(() => live.close());
  const [agent, person] = [visitor(live), visitor(live, 'local')];
  await agent('let kept = 42');
  expect(await person('kept')).toBe('=> 42');
  expect(await agent('', 'sessions', { action: 'reset' })).toBe('main is empty: generation 2.');
  expect(await agent('typeof kept')).toBe("=> 'undefined'");
  expect(await person('typeof kept')).toMatch(/\[STATE LOST] generation 2: it was reset\. 2 cells of work and every value are gone\./);
  expect(await person('process.exit(7)')).toMatch(/generation 3: it exited with code 7\. 2 cells of work/);
});

it('Each listener hears everything once, and no more is kept than is bounded', () => {
  const notices = new Notices();
  notices.add('a');
  expect(notices.take('one')).toEqual(['a']);
  notices.add('b');
  expect([notices.take('one'), notices.take('two'), notices.take('two')]).toEqual([['b'], ['a', 'b'], []]);
  for (let at = 0; at < 100; at++) notices.add(String(at));
  expect(notices.take('one')).toEqual(Array.from({ length: 20 }, (_, at) => String(at + 80)));
  expect(notices.take('one')).toEqual([]);
});
