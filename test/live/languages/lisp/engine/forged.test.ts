// Code in a Lisp image can speak for it: frames that carry the secret and make no sense cost nobody but the one who sends them.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { notRun } from '../../../../../scripts/prepare.mjs';
import { type Lab, openLisp } from '../fixture.ts';

const events = [
  '"ev" "stray"',
  '"ev" "stray" "fault" 5 "what" (obj) "where" #()',
  '"ev" "paused"',
  '"ev" "paused" "frames" 5 "reason" (obj)',
  '"ev" "paused" "frames" (vector nil 5) "reason" "x" "restarts" (vector nil 5)',
  '"ev" "display"',
  '"ev" "display" "mimeType" 5 "data" (obj)',
  '"ev" "display" "mimeType" "text/html" "data" "PGI+"',
  '"ev" "out"',
  '"ev" "out" "text" (obj) "skipped" "many" "cell" "x"',
  '"ev" "err" "text" 5 "skipped" -5',
  '"ev" "ready"',
  '"ev" 5',
  '"ev" "nonsense"',
  '"id" 0',
];
const answers = [
  '',
  '"value" nil',
  '"value" 5',
  '"value" (obj "text" 5 "ref" "y" "cut" 5 "tests" 5)',
  '"values" (vector nil 5 "x")',
  '"values" 7',
  '"fault" nil',
  '"fault" 5',
  '"fault" (obj "type" 5 "message" nil "frames" 5)',
  '"fault" (obj "type" "T" "message" "m" "frames" (vector nil 5 (obj) (obj "locals" 5)) "restarts" (vector 5) "causes" 5 "details" (obj))',
  '"value" (obj "text" "x") "notes" 5',
  '"value" (obj "text" "x") "notes" (vector nil 5 (obj)) "declares" 5',
  '"value" (obj "text" "x") "declares" (vector nil 5 (obj))',
  '"memory" (obj)',
  '"interrupted" t "why" (obj)',
  '"refused" (obj)',
  '"value" (obj "text" (make-string 3000000 :initial-element #\\x))',
];

describe.skipIf(notRun('sbcl'))('on SBCL', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openLisp();
  });
  afterAll(() => lab.close());

  it.each([...events.map((frame) => `(send (obj ${frame}))`), ...answers.map((members) => `(done *cell* ${members})`)])(
    '%s is answered with something, and the next evaluation as ever',
    async (code) => {
      const failed: unknown[] = [];
      const note = (error: unknown): void => void failed.push(error);
      process.on('unhandledRejection', note);
      onTestFinished(() => void process.off('unhandledRejection', note));
      const session = await lab.open();
      const answer = await lab.evaluate(`(progn ${code} 1)`, { session, package: 'vivarium' });
      expect(['ok', 'error', 'paused', 'memory', 'interrupted']).toContain(answer.structured.status);
      expect(answer.text.length).toBeLessThan(250_000);
      if (answer.structured.status === 'paused') await lab.call('debug', { action: 'abort', session });
      expect((await lab.evaluate('(+ 40 2)', { session })).text).toMatch(/^=> 42/);
      expect((await lab.call('sessions', { action: 'list' })).text).toMatch(new RegExp(`^${session} .* idle`, 'm'));
      await lab.call('sessions', { action: 'close', session });
      expect(failed).toEqual([]);
    },
  );
});
