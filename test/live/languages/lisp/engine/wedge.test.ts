// Whatever runs away on SBCL is stopped or said to be lost, and the next evaluation is answered, here and elsewhere.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notRun } from '../../../../../scripts/prepare.mjs';
import { stops } from '../../../stops.ts';
import { fenced, isAlive, type Lab, mark, openLisp } from '../fixture.ts';

/** Each prints and leaves a sign before it runs away. */
const endless: Readonly<Record<string, string>> = {
  'an empty loop': '(begun) (loop)',
  'a loop that handles every condition': '(begun) (loop (handler-case (loop) (condition () nil)))',
  'a loop in a cleanup form': '(unwind-protect nil (begun) (loop))',
  'a sleep': '(begun) (sleep 1000)',
  'a blocking read': '(begun) (with-open-file (in fifo) (read-line in))',
  'waiting for a process': '(begun) (sb-ext:run-program "/bin/sleep" (list "1000"))',
  'waiting for a mutex':
    '(begun) (let ((m (sb-thread:make-mutex))) (sb-thread:make-thread (lambda () (sb-thread:grab-mutex m) (sleep 1000))) (sleep 0.1) (sb-thread:grab-mutex m))',
  'a loop that prints': '(begun) (loop (write-line "again"))',
  'a loop in a method for print-object':
    '(defclass odd () ()) (defmethod print-object ((o odd) s) (begun) (loop)) (make-instance (quote odd))',
  'a loop while a macro is expanded': '(defmacro endless () (begun) (loop)) (endless)',
  'a loop while code is read': '#.(progn (begun) (loop))',
};

describe.skipIf(notRun('sbcl'))('on SBCL', () => {
  let lab: Lab;
  let other: string;
  beforeAll(async () => {
    lab = await openLisp();
    other = await lab.open();
    await lab.value('(defvar *mine* 7)', { session: other });
  });
  afterAll(() => lab.close());

  /** A session with something in it to lose. */
  const prepared = async (): Promise<{ session: string; begun: () => Promise<void> }> => {
    const session = await lab.open();
    const sign = mark(lab);
    const fifo = join(lab.folder, `fifo-${session}`);
    await lab.value(`(sb-ext:run-program "/usr/bin/mkfifo" (list ${JSON.stringify(fifo)}))`, { session });
    await lab.value(`(defvar *kept* 42) (defvar fifo ${JSON.stringify(fifo)}) (defun begun () (write-line "so far") ${sign.code})`, {
      session,
    });
    return { session, begun: sign.seen };
  };
  const othersAnswer = async (): Promise<void> => expect(await lab.value('*mine*', { session: other })).toBe('7');

  describe.each(Object.entries(stops))('E01 stopped by %s', (how, stop) => {
    it.each(Object.entries(endless))('%s leaves the session as it was', async (_, code) => {
      const { session, begun } = await prepared();
      const answer = await stop(lab, session, code, begun);
      const why = { 'its own limit': 'after 1.0 s (timeout_ms)', 'an interrupt': 'on request', 'a cancelled call': 'by cancellation' }[how];
      expect(answer.head).toBe(`[INTERRUPTED] ${why}`);
      expect(answer.text).toContain('The session and its values were kept.');
      expect(fenced(answer.text)[0]).toMatch(/^so far/);
      const after = await lab.evaluate('*kept*', { session, timeout_ms: 10_000 });
      expect(after.head).toBe('=> 42');
      expect(after.structured).toMatchObject({ status: 'ok', generation: 1 });
      await othersAnswer();
      await lab.call('sessions', { action: 'close', session });
    });
  });

  /** What cannot be stopped costs the image; that is said, with what was printed, and the session goes on empty. */
  const fatal: Readonly<Record<string, { readonly code: string; readonly reason: RegExp; readonly timeout_ms?: number }>> = {
    'a loop without interrupts': {
      code: '(begun) (sb-sys:without-interrupts (loop))',
      reason: /it could not be interrupted/,
      timeout_ms: 500,
    },
    'exit in the middle': { code: '(begun) (sb-ext:exit :code 3)', reason: /it exited with code 3/ },
    'exit in a thread of its own': {
      code: '(begun) (sb-thread:join-thread (sb-thread:make-thread (lambda () (sb-ext:exit :code 5 :abort t)))) (sleep 10)',
      reason: /it exited with code 5/,
    },
    'abort of the process': {
      code: '(begun) (finish-output) (sb-alien:alien-funcall (sb-alien:extern-alien "abort" (function sb-alien:void)))',
      // SBCL itself ends then.
      reason: /it exited with code 1/,
    },
    'a signal to its group': { code: '(begun) (finish-output) (sb-posix:kill 0 9) (sleep 10)', reason: /it was ended by SIGKILL/ },
    'exit without unwinding': { code: '(begun) (sb-ext:exit :code 4 :abort t)', reason: /it exited with code 4/ },
    'a killed process': {
      code: '(begun) (finish-output) (sb-posix:kill (sb-posix:getpid) 9) (sleep 10)',
      reason: /it was ended by SIGKILL/,
    },
    'a closed channel': { code: '(begun) (finish-output) (sb-posix:close 3) (sleep 10)', reason: /it exited with code 70/ },
    'a forged frame': {
      code: '(begun) (finish-output) (sb-unix:unix-write 3 (sb-ext:string-to-octets (format nil "{}~%")) 0 3) (sleep 10)',
      reason: /code in it wrote to the private channel/,
    },
  };

  it.each(Object.entries(fatal))(
    'E05 E18 %s is said to have cost the image, and the next evaluation is answered',
    async (_, { code, reason, timeout_ms }) => {
      const { session } = await prepared();
      const answer = await lab.evaluate(code, { session, ...(timeout_ms !== undefined && { timeout_ms }) });
      expect(answer.head).toMatch(/^\[STATE LOST\] generation 2: /);
      expect(answer.head).toMatch(reason);
      expect(answer.structured).toMatchObject({ status: 'lost', generation: 2 });
      expect(fenced(answer.text).join()).toContain('so far');
      const after = await lab.evaluate("(list (boundp '*kept*) (+ 1 1))", { session });
      expect(after.head).toMatch(/^=> \(NIL 2\)/);
      await othersAnswer();
      await lab.call('sessions', { action: 'close', session });
    },
  );

  it('E18 an image that is stopped by a signal is ended at the limit', async () => {
    const { session } = await prepared();
    const answer = await lab.evaluate('(sb-posix:kill (sb-posix:getpid) sb-posix:sigstop) (sleep 10)', { session, timeout_ms: 500 });
    expect(answer.head).toMatch(/^\[STATE LOST\] generation 2: it could not be interrupted/);
    expect(await lab.value('(+ 1 1)', { session })).toBe('2');
    await othersAnswer();
  });

  it.each([
    ['conses', '(let ((all nil)) (loop (push 1 all)))'],
    ['strings', '(let ((all nil)) (loop (push (make-string 10000) all)))'],
    ['one array that is too large', '(make-array (expt 10 11))'],
    ['a list that never ends', '(loop for i from 0 collect i)'],
    ['a hash table', '(let ((h (make-hash-table))) (loop for i from 0 do (setf (gethash i h) (make-array 100))))'],
  ])('E03 E16 heap exhaustion by %s keeps the session', async (_, code) => {
    const { session } = await prepared();
    const answer = await lab.evaluate(`(defun fill-it () (begun) ${code}) (fill-it)`, { session });
    expect(answer.head).toMatch(/^\[OUT OF MEMORY\] stopped in /);
    expect(answer.structured).toMatchObject({ status: 'memory', generation: 1 });
    expect(await lab.value('*kept*', { session })).toBe('42');
    await othersAnswer();
    await lab.call('sessions', { action: 'close', session });
  });

  it('E16 stack exhaustion is an error with its frames, again and again', async () => {
    const { session } = await prepared();
    await lab.value('(defun deeper (n) (1+ (deeper (1+ n))))', { session });
    for (let round = 0; round < 3; round++) {
      const answer = await lab.evaluate('(deeper 0)', { session });
      expect(answer.head).toMatch(/^\[ERROR\] \S*CONTROL-STACK-EXHAUSTED: /);
      expect(answer.text).toMatch(/\(DEEPER \d+\) \(cell-\d+:1:\d+\)/);
    }
    expect(await lab.value('*kept*', { session })).toBe('42');
  });

  it('E04 memory outside of the heap is bounded by the resident memory', async () => {
    await using small = await openLisp({ limits: { heapMb: 64, rssMb: 256 } });
    const code =
      '(loop (let ((p (sb-alien:make-alien (sb-alien:unsigned 8) 10000000))) (loop for i below 10000000 by 4096 do (setf (sb-alien:deref p i) 1))))';
    const { head } = await small.evaluate(code);
    expect(head).toMatch(/^\[STATE LOST\] generation 2: it used \d+ MiB of memory, more than 256/);
    expect(await small.value('(+ 1 1)')).toBe('2');
  });

  it('E05 one that ends between two cells tells the next one', async () => {
    const { session } = await prepared();
    const pid = Number(await lab.value('(sb-posix:getpid)', { session }));
    await lab.value('(sb-thread:make-thread (lambda () (sleep 0.05) (sb-ext:exit :code 7 :abort t))) 1', { session });
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect((await lab.evaluate('(+ 40 2)', { session })).text).toMatch(/^(?:=> 42\n)?\[STATE LOST\] generation 2: it exited with code 7/);
    expect((await lab.evaluate('(+ 40 2)', { session })).text).toBe('=> 42');
  });

  it('E07 code reaches the whole of its process, as documented: the process is the boundary', async () => {
    const { session } = await prepared();
    expect(await lab.value('(list (functionp vivarium::*send*) (eql vivarium::*main-fd* 3))', { session })).toBe('(T T)');
    await lab.call('sessions', { action: 'close', session });
  });

  it('E17 what it started is gone when it is closed', async () => {
    const { session } = await prepared();
    const text = await lab.value('(sb-ext:process-pid (sb-ext:run-program "/bin/sleep" (list "1000") :wait nil))', { session });
    await lab.value('(dotimes (i 50) (sb-thread:make-thread (lambda () (sleep 1000))))', { session });
    expect(isAlive(Number(text))).toBe(true);
    await lab.call('sessions', { action: 'close', session });
    await expect.poll(() => isAlive(Number(text))).toBe(false);
    expect(existsSync(lab.folder)).toBe(true);
  });
});
