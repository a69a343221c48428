// What went wrong is told, whatever the program's own reports and methods for print-object do when it is printed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notRun } from '../../../../../scripts/prepare.mjs';
import { type Lab, openLisp } from '../fixture.ts';

const endless = 'printing it does not come to its end';
/** A condition with this for a report. */
const reporting = (name: string, body: string): string =>
  `(define-condition ${name} (error) () (:report (lambda (c s) (declare (ignorable c s)) ${body})))`;

describe.skipIf(notRun('sbcl'))('on SBCL', () => {
  let lab: Lab;
  beforeAll(async () => {
    // Without a limit of its own an evaluation would go on for as long as the test.
    lab = await openLisp({ limits: { timeoutMs: 600_000 } });
    await lab.value(`(defvar *kept* 42) ${reporting('never', '(loop)')} (defun fails (x) (error 'never) x)`);
    await lab.value('(defclass dumb () ()) (defmethod print-object ((o dumb) s) (loop)) (defun takes (o) (when o (error "took it")) o)');
  });
  afterAll(() => lab.close());

  const goesOn = async (): Promise<void> => {
    expect((await lab.evaluate('*kept*')).structured).toMatchObject({ status: 'ok', generation: 1 });
  };

  it.each([
    ['never ends', '(loop)', endless],
    ['handles everything that would stop it', '(loop (handler-case (loop) (condition () nil)))', endless],
    ['asks for the debugger', '(invoke-debugger c)', endless],
    ['breaks', '(break)', endless],
    ['fails with the same condition', '(error c)', 'its message cannot be printed'],
    ['exhausts the stack', '(labels ((f (n) (1+ (f n)))) (f 1))', 'printing it exhausts the stack'],
    ['never stops writing', '(loop (write-string "ha" s))', 'hahaha'],
  ])('an error whose report %s is an error, with its type and frames', async (_, body, message) => {
    const answer = await lab.evaluate(`${reporting('odd', body)} (defun fails-oddly (x) (error 'odd) x) (fails-oddly 5)`);
    expect(answer.head).toMatch(/^\[ERROR\] ODD: /);
    expect(answer.head).toContain(message);
    expect(answer.text).toMatch(/0: \(FAILS-ODDLY /);
    await goesOn();
  });

  it('a restart whose report never ends is offered beside the others, and can be chosen', async () => {
    const code =
      '(restart-case (error "plain") (odd () :report (lambda (s) (write-string "first" s) (loop)) 1) (even () :report "fine" 2))';
    const paused = await lab.evaluate(code, { on_error: 'pause' });
    expect(paused.head).toBe('[PAUSED] SIMPLE-ERROR: plain');
    expect(paused.text).toContain(`0: ODD  first… (${endless})`);
    expect(paused.text).toContain('1: EVEN  fine');
    expect((await lab.call('debug', { action: 'restart', restart: 0 })).head).toBe('=> 1');
    await goesOn();
  });

  it('an argument that never prints leaves its frame by name, in an error and in a pause', async () => {
    const failed = await lab.evaluate("(takes (make-instance 'dumb))");
    expect(failed.head).toBe('[ERROR] SIMPLE-ERROR: took it');
    expect(failed.text).toMatch(/0: \(TAKES … arguments that do not print\)/);
    const paused = await lab.evaluate("(takes (make-instance 'dumb))", { on_error: 'pause' });
    expect(paused.head).toBe('[PAUSED] SIMPLE-ERROR: took it');
    expect(paused.text).toMatch(/\(TAKES … arguments that do not print\)[\s\S]*o = … \(printing/);
    await lab.call('debug', { action: 'abort' });
    await goesOn();
  });

  it('a warning of the compiler and a thread that fails are told of in the same way', async () => {
    const warned = await lab.evaluate(
      '(define-condition slow (warning) () (:report (lambda (c s) (loop)))) (defmacro warns () (warn (quote slow)) 1) (defun uses () (warns)) (uses)',
    );
    expect(warned.head).toBe('=> 1');
    expect(warned.text).toContain(`[WARNING] … (${endless})`);
    await lab.value("(sb-thread:join-thread (sb-thread:make-thread (lambda () (error 'never))) :default nil) 1").catch(() => '');
    await goesOn();
  });

  it('what is evaluated in a frame, and the value of a restart, may ask for the debugger, and the program still waits', async () => {
    await lab.evaluate('(1+ unheard-of)', { on_error: 'pause' });
    expect((await lab.call('debug', { action: 'eval', frame: 0, code: '(break "here")' })).text).toContain('asks for the debugger');
    expect((await lab.call('debug', { action: 'restart', restart: 1, value: '(break "there")' })).text).toContain('asks for the debugger');
    expect((await lab.call('debug', { action: 'restart', restart: 1, value: '41' })).head).toBe('=> 42');
  });

  it('a method for print-object that breaks is an error of the question that prints', async () => {
    await lab.value(
      '(defclass stops () ()) (defmethod print-object ((o stops) s) (break "no")) (defvar *stops* (make-instance (quote stops))) 1',
    );
    expect((await lab.call('inspect', { target: '*stops*' })).text).toContain('asks for the debugger');
    await goesOn();
  });

  it('what never ends in a program that was asked to pause is interrupted, with everything kept', async () => {
    expect((await lab.evaluate('(loop (sleep 0.01))', { wait_ms: 0 })).structured.status).toBe('running');
    expect((await lab.call('debug', { action: 'pause' })).head).toContain('[PAUSED]');
    const endlessly = lab.call('debug', { action: 'eval', frame: 0, code: '(loop)' });
    await lab.call('sessions', { action: 'interrupt' });
    expect((await endlessly).text).toContain('It was stopped');
    await goesOn();
  });
});
