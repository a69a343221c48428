// Evaluation in Common Lisp: values, packages, what the compiler says, and errors that can be gone on from.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notRun } from '../../../../../scripts/prepare.mjs';
import { fenced, type Lab, openLisp } from '../fixture.ts';

describe.skipIf(notRun('sbcl'))('evaluate on SBCL', () => {
  let lab: Lab;
  let session: string;
  beforeAll(async () => {
    lab = await openLisp();
  });
  afterAll(() => lab.close());
  const fresh = async (): Promise<string> => {
    session = await lab.open();
    return session;
  };

  it('answers the value of the last form, and keeps what was defined', async () => {
    await fresh();
    expect(await lab.value('(defun twice (x) (* x 2)) (defvar *n* 4)', { session })).toBe('*N*');
    expect(await lab.value('(twice *n*)', { session })).toBe('8');
    expect(await lab.value('(+ * 1)', { session })).toBe('9');
    expect(await lab.value('_', { session })).toBe('9');
  });

  it('answers multiple values one a line, and none as none', async () => {
    const { text } = await lab.evaluate('(values 1 "two" :three)', { session });
    expect(text).toBe('=> 1\n=> "two"\n=> :THREE');
    expect((await lab.evaluate('(values)', { session })).head).toBe('=> (no values)');
    expect((await lab.evaluate('(floor 7 2)', { session })).text).toBe('=> 3\n=> 1');
  });

  it('stays in the package a cell goes into, and takes another for one cell', async () => {
    await fresh();
    await lab.value('(defpackage :shop (:use :cl)) (in-package :shop) (defvar *here* 1)', { session });
    expect(await lab.value('(package-name *package*)', { session })).toBe('"SHOP"');
    expect(await lab.value('(package-name *package*)', { session, package: 'cl-user' })).toBe('"COMMON-LISP-USER"');
    expect(await lab.value('*here*', { session })).toBe('1');
    const unknown = await lab.evaluate('1', { session, package: 'nowhere' });
    expect(unknown.head).toBe('[ERROR] PACKAGE-ERROR: There is no package nowhere');
  });

  it('says what the compiler says, with lines and columns', async () => {
    await fresh();
    const { head, text } = await lab.evaluate('(defun odd (a b)\n  (list a\n    (no-such-function a)))', { session });
    expect(head).toBe('=> ODD');
    expect(text).toContain('[STYLE-WARNING] The variable B is defined but never used. (cell-1:1:1)');
    expect(text).toMatch(/\[STYLE-WARNING\] undefined function: \S*NO-SUCH-FUNCTION \(cell-1:3:5\)/);
    const typed = await lab.evaluate('(defun wrong (x)\n  (+ x "1"))', { session });
    expect(typed.text).toMatch(/\[WARNING\] Constant "1" conflicts with its asserted type NUMBER/);
  });

  it('does not complain of what is defined later in the same cell', async () => {
    const { text } = await lab.evaluate('(defun caller () (callee)) (defun callee () 1)', { session });
    expect(text).toBe('=> CALLEE');
  });

  it('answers an error with its type, message, the frames of the code and the restarts', async () => {
    await fresh();
    await lab.value(
      '(defun part (x)\n  (restart-case (/ x 0)\n    (use-one () :report "Take one." 1)))\n(defun whole (y) (+ 1 (part y)))',
      { session },
    );
    const { head, text, isError, structured } = await lab.evaluate('(whole 8)', { session });
    expect(isError).toBe(true);
    expect(structured).toMatchObject({ status: 'error', session, generation: 1 });
    expect(head).toBe('[ERROR] DIVISION-BY-ZERO: arithmetic error DIVISION-BY-ZERO signalled');
    expect(text).toContain('[Backtrace]\n  0: (PART 8) (cell-1:2:17)\n  1: (WHOLE 8) (cell-1:4:23)');
    expect(text).toContain('[Restarts]\n  0: USE-ONE  Take one.');
    expect(await lab.value('(type-of _err)', { session })).toBe('DIVISION-BY-ZERO');
  });

  it('pauses at an error with the variables of each frame, and goes on by a restart', async () => {
    const paused = await lab.evaluate('(whole 8)', { session, on_error: 'pause' });
    expect(paused.structured.status).toBe('paused');
    expect(paused.text).toMatch(/\(PART 8\) \(cell-1:2:17\)\n {6}x = 8/);
    expect((await lab.call('debug', { session, action: 'eval', frame: 0, code: '(* x 2)' })).head).toBe('=> 16');
    expect((await lab.call('debug', { session, action: 'restart', restart: 9 })).text).toBe('There is no restart 9: there are 3');
    expect((await lab.call('debug', { session, action: 'restart', restart: 0 })).head).toBe('=> 2');
  });

  it('numbers the frames of a pause as those of an error, and evaluates in the one that is meant', async () => {
    const numbered = (text: string): string[] => text.match(/^ {2}\d+: \([^\n]*/gm) ?? [];
    const failed = await lab.evaluate('(whole 8)', { session });
    expect(numbered(failed.text).slice(0, 2)).toEqual(['  0: (PART 8) (cell-1:2:17)', '  1: (WHOLE 8) (cell-1:4:23)']);
    const paused = await lab.evaluate('(whole 8)', { session, on_error: 'pause' });
    expect(numbered(paused.text)).toEqual(numbered(failed.text));
    const inFrame = async (frame: number, code: string) => (await lab.call('debug', { session, action: 'eval', frame, code })).head;
    expect([await inFrame(0, '(list x)'), await inFrame(1, '(list y)')]).toEqual(Array(2).fill(expect.stringContaining('=> (8)')));
    expect(await inFrame(99, 'y')).toBe(`There is no frame 99: there are ${numbered(paused.text).length}`);
    await lab.call('debug', { session, action: 'abort' });
    await lab.value('(defun stepped (x) (1+ x)) (defun steps (x) (step (stepped x)))', { session });
    expect((await lab.evaluate('(steps 4)', { session })).text).toMatch(/\n {2}0: \(STEPS 4\)/);
    expect(await inFrame(0, 'x')).toBe('=> 4');
    await lab.call('debug', { session, action: 'abort' });
  });

  it('lets a cell that failed without restarts of its own be run again with what was mended, or have another value', async () => {
    const debug = (action: string, more: object = {}) => lab.call('debug', { session, action, ...more });
    await lab.value('(defun over (x) (/ x 0)) (defvar *tries* 0)', { session });
    const paused = await lab.evaluate('(incf *tries*) (over 3)', { session, on_error: 'pause' });
    expect(paused.text).toContain(
      '[Restarts]\n  0: RETRY-CELL  Run the cell again from its beginning.\n' +
        "  1: RETURN-FROM-CELL  Answer a value in place of the cell's.  (takes a value)\ndebug(action: restart",
    );
    expect(paused.text).not.toContain('resume');
    expect((await lab.evaluate('1', { session })).text).toMatch(/is paused at .*: debug\(action: eval, restart or abort\) first$/);
    expect((await debug('resume')).text).toContain('choose a restart, or abort');
    expect((await debug('restart', { restart: 0 })).head).toMatch(/^\[PAUSED\] DIVISION-BY-ZERO/);
    expect((await debug('eval', { code: '(defun over (x) (* x 2))' })).isError).toBe(false);
    expect((await debug('restart', { restart: 0 })).head).toBe('=> 6');
    expect(await lab.value('*tries*', { session })).toBe('3');
    await lab.evaluate('(error "no")', { session, on_error: 'pause' });
    expect((await debug('restart', { restart: 1 })).text).toBe('RETURN-FROM-CELL takes a value: value: "..."');
    expect((await debug('restart', { restart: 1, value: '(floor 17 5)' })).text).toBe('=> 3\n=> 2');
    expect(await lab.value('*', { session })).toBe('3');
  });

  it('shows the restarts of a cell to nobody but who looks at an error', async () => {
    expect(await lab.value('(mapcar (function restart-name) (compute-restarts))', { session })).not.toContain('CELL');
    expect((await lab.evaluate('(error "no")', { session })).text).not.toContain('[Restarts]');
  });

  it('gives a restart its value, and says when one is missing or cannot be had', async () => {
    const paused = await lab.evaluate('(+ 1 never-bound)', { session, on_error: 'pause' });
    expect(paused.text).toContain('1: USE-VALUE  Use specified value.  (takes a value)');
    const choose = (more: object) => lab.call('debug', { session, action: 'restart', restart: 1, ...more });
    expect((await choose({})).text).toBe('USE-VALUE takes a value: value: "..."');
    expect((await choose({ value: '(car 1)' })).text).toContain('The value cannot be had: TYPE-ERROR');
    expect((await choose({ value: '(* 6 7)' })).head).toBe('=> 43');
  });

  it('pauses again where it fails again, and ends when it is told to', async () => {
    const code = '(list (symbol-value :a) first-unbound second-unbound)';
    expect((await lab.evaluate(code, { session, on_error: 'pause' })).head).toContain('FIRST-UNBOUND');
    const again = await lab.call('debug', { session, action: 'restart', restart: 1, value: '1' });
    expect(again.head).toContain('[PAUSED] UNBOUND-VARIABLE: The variable SECOND-UNBOUND is unbound.');
    expect((await lab.call('debug', { session, action: 'abort' })).head).toBe('[INTERRUPTED] on request');
    expect(await lab.value('(whole-p)', { session }).catch(() => 'still there')).toBe('still there');
  });

  it('steps through a form', async () => {
    await lab.value('(defun three (x) (let ((a (* x 2))) (+ a 1)))', { session });
    const first = await lab.evaluate('(step (three 4))', { session });
    expect(first.head).toBe('[PAUSED] about to run (THREE 4)');
    // Those of stepping; not the one that would end a thread of ours.
    expect(first.text.match(/^ {2}\d: [A-Z-]+ {2}/gm)?.map((one) => one.trim().slice(3))).toEqual([
      'STEP-CONTINUE',
      'STEP-OUT',
      'STEP-NEXT',
      'STEP-INTO',
    ]);
    const next = await lab.call('debug', { session, action: 'step', step: 'into' });
    expect(next.head).toMatch(/^\[PAUSED\] about to run/);
    expect((await lab.call('debug', { session, action: 'resume' })).head).toBe('=> 9');
  });

  it('pauses what runs, and lets it go on', async () => {
    const running = await lab.evaluate('(loop for i from 0 until (fboundp (quote now-stop)) do (sleep 0.01) finally (return :ended))', {
      session,
      wait_ms: 100,
    });
    expect(running.structured.status).toBe('running');
    const paused = await lab.call('debug', { session, action: 'pause' });
    expect(paused.head).toBe('[PAUSED] asked to pause');
    expect((await lab.call('debug', { session, action: 'eval', code: "(setf (fdefinition 'now-stop) #'identity)" })).isError).toBe(false);
    expect((await lab.call('debug', { session, action: 'resume' })).head).toBe('=> :ENDED');
  });

  it('runs nothing of a cell that is not closed, and says where it begins', async () => {
    const { text } = await lab.evaluate('(defvar *ran* 1)\n(list 1', { session });
    expect(text).toContain('[ERROR] END-OF-FILE: The form that begins here is not closed');
    expect(text).toContain('(cell-');
    expect(text).toContain(':2:1)');
    expect(await lab.value("(boundp '*ran*)", { session })).toBe('NIL');
  });

  it('runs nothing of a cell whose last comment is not closed', async () => {
    const answer = await lab.evaluate('(defvar *early* 1)\n  #| so far\n(defvar *late* 2)');
    expect(answer.text).toMatch(/^\[ERROR\] END-OF-FILE: The form that begins here is not closed.*\n\s+#\| so far[\s\S]*\(cell-\d+:2:3\)/);
    expect(await lab.value("(boundp '*early*)")).toBe('NIL');
    expect(await lab.value('(+ 40 2) #| closed #| twice |# |#')).toBe('42');
  });

  it('takes what is printed as output, and standard input as ended', async () => {
    const { text } = await lab.evaluate(
      '(format t "one~%") (format *error-output* "two~%") (sb-ext:run-program "/bin/echo" (list "three") :output t) (read-line nil nil)',
      { session },
    );
    for (const word of ['one', 'two']) expect(fenced(text).join()).toContain(word);
    expect((await lab.evaluate('(read-line *standard-input* nil :ended)', { session })).head).toBe('=> :ENDED');
  });
});
