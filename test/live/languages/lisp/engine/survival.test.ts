// What a Lisp program does to the threads, packages and restarts it lives in: the cell says what happened, and the session goes on.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notRun } from '../../../../../scripts/prepare.mjs';
import { type Lab, openLisp } from '../fixture.ts';

describe.skipIf(notRun('sbcl'))('a Lisp session goes on', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openLisp();
    await lab.value('(defvar *kept* 42)');
  });
  afterAll(() => lab.close());

  const goesOn = async (): Promise<void> => {
    const after = await lab.evaluate('*kept*', { timeout_ms: 10_000 });
    expect(after.head).toBe('=> 42');
    expect(after.structured).toMatchObject({ status: 'ok', generation: 1 });
  };

  it.each([
    ['(abort)', 'ABORT'],
    ["(invoke-restart 'abort)", 'ABORT'],
    ['(handler-bind ((error #\'abort)) (error "no"))', 'ABORT'],
    ['(defclass shy () ()) (defmethod print-object ((o shy) s) (abort)) (make-instance (quote shy))', 'ABORT'],
    ['(sb-thread:abort-thread)', 'THREAD-ENDED'],
    ['(sb-thread:return-from-thread 1)', 'THREAD-ENDED'],
    ['(sb-thread:terminate-thread sb-thread:*current-thread*)', 'THREAD-ENDED'],
  ])('after %s, which ends the cell alone', async (code, type) => {
    const answer = await lab.evaluate(`(write-line "so far") ${code}`);
    expect(answer.head).toMatch(new RegExp(`^\\[ERROR\\] ${type}: .*The session and its values were kept\\.`));
    expect(answer.text).toContain('so far');
    await goesOn();
  });

  it.each([
    '(let ((sb-ext:*invoke-debugger-hook* nil)) (error "no"))',
    '(let ((sb-ext:*invoke-debugger-hook* nil) (*debugger-hook* nil)) (break "no"))',
    '(sb-ext:disable-debugger) (error "no")',
    '(sb-ext:enable-debugger) (error "no")',
  ])('after %s, which is an error like any other', async (code) => {
    const answer = await lab.evaluate(code);
    expect(answer.head).toMatch(/^\[ERROR\] SIMPLE-(?:ERROR|CONDITION): no/);
    expect(answer.text).not.toContain('debugger invoked');
    const paused = await lab.evaluate(code, { on_error: 'pause' });
    expect(paused.head).toMatch(/^\[PAUSED\] SIMPLE-(?:ERROR|CONDITION): no/);
    await lab.call('debug', { action: 'abort' });
    await goesOn();
  });

  it('after a thread of its own that turned the debugger off and failed', async () => {
    await lab.value('(sb-thread:join-thread (sb-thread:make-thread (lambda () (sb-ext:disable-debugger) (error "no"))) :default 1) 1');
    await goesOn();
  });

  it('after a question whose printing gives up, or ends the thread that answers', async () => {
    await lab.value('(defclass quiet () ()) (defvar *quiet* (make-instance (quote quiet))) 1');
    await lab.value('(defmethod print-object ((o quiet) s) (abort)) 1');
    expect((await lab.call('inspect', { target: '*quiet*' })).text).toContain('ABORT');
    await lab.value('(defmethod print-object ((o quiet) s) (sb-thread:abort-thread)) 1');
    const question = lab.call('inspect', { target: '*quiet*' });
    expect((await lab.call('inspect', { target: '*kept*' })).text).toContain('42');
    await goesOn();
    expect((await question).text).toContain('ended the thread');
  });

  it('in COMMON-LISP-USER after the package it was in is deleted', async () => {
    await lab.value('(defpackage :zoo (:use :cl)) (in-package :zoo)');
    expect(await lab.value('(delete-package :zoo)')).toBe('T');
    await goesOn();
    expect(await lab.value('(package-name *package*)')).toBe('"COMMON-LISP-USER"');
  });

  it.each([
    ['integers', '(set-pprint-dispatch \'integer (lambda (out n) (declare (ignore n)) (write-string "many" out)))'],
    ['everything', '(set-pprint-dispatch t (lambda (out x) (declare (ignore x)) (write-string "\\" ," out)))'],
  ])('after it prints %s in a way of its own, which is not how we talk', async (_, code) => {
    await lab.value('(setf *print-pprint-dispatch* (copy-pprint-dispatch))');
    expect((await lab.evaluate(code)).structured).toMatchObject({ status: 'ok', generation: 1 });
    await goesOn();
    expect((await lab.evaluate('(car 3)')).text).toMatch(/^\[ERROR\] TYPE-ERROR/);
    await lab.value('(setf *print-pprint-dispatch* (copy-pprint-dispatch nil))');
  });

  const standardTable = '(setf *readtable* (copy-readtable nil))';
  const bang = '(set-macro-character #\\! (lambda (in char) (declare (ignore in char)) :bang))';
  const noLists = '(set-macro-character #\\( (lambda (in char) (declare (ignore in char)) (error "no lists")))';

  it.each([
    ['fails at every list', noLists],
    ['takes every list for a number', '(set-macro-character #\\( (lambda (in char) (declare (ignore in char)) 7))'],
    ['takes every list for the same', "(set-macro-character #\\( (lambda (in char) (declare (ignore in char)) '(list 7)))"],
    ['never comes back from a list', '(set-macro-character #\\( (lambda (in char) (declare (ignore in char)) (loop)))'],
    ['ends no list', '(set-syntax-from-char #\\) #\\a)'],
  ])('after a readtable that %s, with the standard ( and ) and the macros it has, and says so', async (_, code) => {
    await lab.value(`(setf *readtable* (copy-readtable)) ${bang} ${code} 1`);
    const next = await lab.evaluate('(list *kept* !)');
    expect(next.head).toMatch(/^=> \(42 :BANG\)/);
    expect(next.text).toContain('[WARNING] The readtable read no lists any more: its ( and ) are the standard ones now.');
    expect((await lab.evaluate('(list *kept*)')).text).not.toContain('readtable');
    await lab.value(standardTable);
    await goesOn();
  });

  it('with the standard readtable after one that reads no numbers in lists either, and says so', async () => {
    const noNumbers = '(set-macro-character #\\1 (lambda (in char) (declare (ignore in char)) (error "no numbers")))';
    await lab.value(`(setf *readtable* (copy-readtable)) ${noNumbers} ${noLists} *kept*`);
    const next = await lab.evaluate('(list *kept* 1)');
    expect(next.head).toMatch(/^=> \(42 1\)/);
    expect(next.text).toContain('[WARNING] The readtable read no lists any more: *READTABLE* is a copy of the standard one now.');
  });

  it('with a readtable of its own that makes more of a list than it says', async () => {
    const wrapped = '(lambda (in char) (list (quote progn) (funcall usual in char)))';
    await lab.value(
      `(setf *readtable* (copy-readtable)) ${bang} (let ((usual (get-macro-character #\\())) (set-macro-character #\\( ${wrapped})) 1`,
    );
    const next = await lab.evaluate('(list !)');
    expect(next.text).toMatch(/^=> \(:BANG\) {3}#\d+$/);
    await lab.value(standardTable);
  });

  it('with a readtable of its own that reads lists in another way', async () => {
    await lab.value(
      '(setf *readtable* (copy-readtable)) (let ((usual (get-macro-character #\\())) (set-macro-character #\\( (lambda (in char) (funcall usual in char)))) (set-macro-character #\\! (lambda (in char) (declare (ignore in char)) :bang)) 1',
    );
    expect((await lab.evaluate('(list !)')).text).toMatch(/^=> \(:BANG\) {3}#\d+$/);
    await lab.value('(setf *readtable* (copy-readtable nil))');
  });

  it('after *read-suppress*, under which every form is NIL', async () => {
    await lab.value('(setf *read-suppress* t)');
    await goesOn();
    await lab.value('(setf *read-suppress* nil)');
  });

  it('after COMMON-LISP-USER itself is deleted, in a new one', async () => {
    const session = await lab.open();
    await lab.value('(defpackage :zoo (:use :cl)) (defvar zoo::*bear* 7) (delete-package :cl-user)', { session });
    expect(await lab.value('(list zoo::*bear* (package-name *package*))', { session })).toBe('(7 "COMMON-LISP-USER")');
    expect(await lab.value('_', { session })).toBe('(7 "COMMON-LISP-USER")');
    expect(await lab.value('(sb-ext:posix-getenv "NOTHING")', { session })).toBe('NIL');
  });

  it.each([
    "(find 1 '(1 2) :key 'touch-it)",
    "(position 1 '(1 2) :test-not (symbol-function 'touch-it))",
    "(assoc 1 '((1 . 2)) (identity :key) *toucher*)",
    "(typep 1 '(satisfies touch-it))",
    "(typep 1 '(and integer (satisfies touch-it)))",
  ])('untouched by inspect of %s', async (target) => {
    await lab.value(
      '(defparameter *touched* nil) (defun touch-it (x &rest more) (declare (ignore more)) (setf *touched* t) x) (defvar *toucher* (lambda (x) (touch-it x)))',
    );
    const answer = await lab.call('inspect', { target });
    expect(answer.isError).toBe(true);
    expect(answer.text).toContain('inspect changes nothing');
    expect(await lab.value('*touched*')).toBe('NIL');
    expect((await lab.call('inspect', { target: "(find 2 '((1) (2)) :key #'car :test 'eql)" })).text).toContain('(2)');
  });
});
