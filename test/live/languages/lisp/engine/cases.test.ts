// The cases of a live image, on SBCL: bad input, odd values, floods, and what others must not see.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { notRun } from '../../../../../scripts/prepare.mjs';
import { type Answer, eventually, fenced, type Lab, mark, openLisp } from '../fixture.ts';

const secret = 'hunter2-of-the-lisp-host';

describe.skipIf(notRun('sbcl'))('on SBCL', () => {
  let lab: Lab;
  let session: string;
  beforeAll(async () => {
    process.env['VIVARIUM_TEST_SECRET'] = secret;
    lab = await openLisp({ env: { ALLOWED: 'yes' } });
  });
  beforeEach(async () => {
    session = await lab.open();
    return async () => {
      await lab.call('sessions', { action: 'close', session });
    };
  });
  afterAll(async () => {
    delete process.env['VIVARIUM_TEST_SECRET'];
    await lab.close();
  });
  const evaluate = (code: string, args: object = {}): Promise<Answer> => lab.evaluate(code, { session, ...args });
  const value = (code: string): Promise<string> => lab.value(code, { session });

  it('E06 E08 what is written to any stream or descriptor is output, and nothing is read from the protocol', async () => {
    const { text } = await evaluate(
      `(format t "one~%") (format *error-output* "two~%") (format *trace-output* "three~%") (format *terminal-io* "four~%")
       (sb-unix:unix-write 1 (sb-ext:string-to-octets (format nil "five~%")) 0 5)
       (sb-ext:run-program "/bin/echo" (list "six") :output *standard-output*)
       (list (read-line *standard-input* nil :eof) (read-line *terminal-io* nil :eof) (sb-unix:unix-read 0 (sb-sys:int-sap 0) 0))`,
    );
    const printed = `${fenced(text).join('\n')}\n${fenced(text, 'background output since the last answer').join('\n')}`;
    for (const word of ['one', 'two', 'three', 'four', 'six']) expect(printed).toContain(word);
    expect(text).toMatch(/^=> \(:EOF :EOF 0\)/);
    await eventually(async () => `${printed}${(await evaluate('1')).text}`).toContain('five');
    expect((await evaluate('(y-or-n-p "Sure?")')).head).toMatch(/^\[ERROR\] END-OF-FILE/);
  });

  it.each([
    ['a condition without a report', "(define-condition odd (error) ()) (error 'odd)", /^\[ERROR\] ODD: /],
    ['a report that fails', `(define-condition bad (error) () (:report (lambda (c s) (error "again")))) (error 'bad)`, /^\[ERROR\] BAD: /],
    ['a condition that is no error', '(break "stop here")', /^\[ERROR\] SIMPLE-CONDITION: stop here/],
    ['a throw to a tag that is not there', "(throw 'nowhere 1)", /^\[ERROR\] SB-INT:SIMPLE-CONTROL-ERROR: /],
    ['an error in a handler', '(handler-bind ((error (lambda (c) (error "in the handler")))) (car 1))', /in the handler/],
    ['a debugger of its own', '(let ((*debugger-hook* (lambda (c h) (error "mine")))) (error "first"))', /^\[ERROR\] /],
  ])('E09 %s is answered as an error', async (_, code, head) => {
    const answer = await evaluate(code);
    expect(answer.head).toMatch(head);
    expect(answer.isError).toBe(true);
    expect(await value('(+ 1 1)')).toBe('2');
  });

  it.each([
    ['a circular list', '(let ((l (list 1 2 3))) (setf (cdddr l) l) l)', /^=> #1=\(1 2 3 \. #1#\)/],
    ['a very long list', '(loop for i below 100000 collect i)', /^=> \(0 1 2/],
    ['a very deep list', '(let ((l nil)) (dotimes (i 100000 l) (setf l (list l))))', /^=> \(+#\)+/],
    ['a huge integer', '(ash 1 10000000)', /^=> #<INTEGER of 10000001 bits>/],
    ['a huge integer in a list', '(list 1 (ash 1 10000000))', /^=> \(1 #<INTEGER of 10000001 bits>\)/],
    ['a large array', '(make-array 10000000 :element-type (quote bit))', /^=> #\*0000/],
    ['a long string', '(make-string 1000000 :initial-element #\\x)', /^=> "xxxx/],
    ['a function', "#'car", /^=> #<FUNCTION CAR>/],
    [
      'a method for print-object that fails',
      '(defclass mute () ()) (defmethod print-object ((m mute) s) (error "no")) (make-instance (quote mute))',
      /^=> #<MUTE that cannot be printed: no>/,
    ],
    [
      'a method for print-object that never stops',
      '(defclass loud () ()) (defmethod print-object ((m loud) s) (loop (write-string "ha" s))) (make-instance (quote loud))',
      /^=> haha/,
    ],
    ['a structure', '(defstruct point x y) (make-point :x 1 :y 2)', /^=> #S\(POINT :X 1 :Y 2\)/],
    ['an uninterned symbol', '(make-symbol "FREE")', /^=> #:FREE/],
  ])('E10 E11 %s is shown, within bounds', async (_, code, head) => {
    const answer = await evaluate(code);
    expect(answer.head).toMatch(head);
    expect(answer.text.length).toBeLessThan(12_000);
  });

  it('E12 a flood is cut in the middle, with a count, and its end is there', async () => {
    const { text, structured } = await evaluate('(dotimes (i 1000000) (format t "line ~d~%" i)) (values)', { wait_ms: 60_000 });
    const [printed = ''] = fenced(text);
    expect(printed).toMatch(/^line 0\nline 1\n/);
    expect(printed).toMatch(/\[… \d+ characters left out …\]/);
    expect(printed).toMatch(/line 999999$/);
    expect(text.length).toBeLessThan(40_000);
    expect(structured.truncated).toBe(true);
  });

  it('E13 odd characters are valid JSON', async () => {
    const { text } = await evaluate(
      '(write-string (coerce (list (code-char #xd800) (code-char 0) (code-char 27) (code-char #x1f33f) #\\é) (quote string))) 1',
    );
    expect(text).toContain('🌿é');
    const { head } = await evaluate('"ünï 🌿 (code)"');
    expect(head).toBe('=> "ünï 🌿 (code)"');
    expect(await value('(length "🌿")')).toBe('1');
  });

  it('E14 a thread that fails after the answer is told of with the next one', async () => {
    const sign = mark(lab);
    const fails = `(lambda () (loop until *go*) (unwind-protect (error "too late") ${sign.code}))`;
    await value(`(defvar *go* nil) (sb-thread:make-thread ${fails} :name "late one") 1`);
    let told = (await evaluate('(setf *go* t)')).text;
    await sign.seen();
    await eventually(async () => {
      told += (await evaluate('(+ 1 1)')).text;
      return told;
    }).toContain('[uncaught error] SIMPLE-ERROR: too late');
    expect(await value('(+ 1 1)')).toBe('2');
  });

  it('E15 sessions share nothing', async () => {
    const other = await lab.open();
    await value('(defpackage :private) (defvar *x* 1) (setf *print-base* 2) (sb-posix:setenv "X_OF_ONE" "1" 1) (push :mine *features*)');
    const seen = `(list (find-package :private) (boundp '*x*) (sb-posix:getenv "X_OF_ONE") (member :mine *features*) 10)`;
    expect(await lab.value(seen, { session: other })).toBe('(NIL NIL NIL NIL 10)');
    await lab.call('sessions', { action: 'close', session: other });
  });

  it.each([
    ['a package lock', '(defun car (x) x)', /^\[ERROR\] SB-EXT:SYMBOL-PACKAGE-LOCKED-ERROR: /],
    ['an unbalanced form', '(list 1 (2)', /^\[ERROR\] END-OF-FILE: The form that begins here is not closed/],
    ['one bracket too many', '(list 1))', /^\[ERROR\] SB-INT:SIMPLE-READER-ERROR: unmatched close parenthesis/],
    ['an unknown package', '(nowhere:thing 1)', /^\[ERROR\] \S*PACKAGE\S*: /],
    ['a symbol that is not exported', '(sb-ext:no-such-thing)', /^\[ERROR\] \S*: .*NO-SUCH-THING/],
    ['a read-time error', '#.(error "while reading")', /^\[ERROR\] .*while reading/],
    ['a wrong number of arguments', '((lambda (x) x))', /^\[ERROR\] SB-INT:SIMPLE-PROGRAM-ERROR: /],
    ['an undefined function', '(no-such-function-here 1)', /^\[ERROR\] UNDEFINED-FUNCTION: /],
    ['a form that cannot be compiled', '(let ((1 2)) 1)', /^\[ERROR\] /],
  ])('E20 %s is an error, and no debugger waits', async (_, code, head) => {
    const answer = await evaluate(code);
    expect(answer.head).toMatch(head);
    expect(answer.structured).toMatchObject({ status: 'error', generation: 1 });
    expect(await value('(+ 1 1)')).toBe('2');
  });

  it('E20 a computation without end in sight is stopped at the limit', async () => {
    expect((await evaluate('(expt 10 (expt 10 7))', { timeout_ms: 500 })).head).toBe('[INTERRUPTED] after 0.5 s (timeout_ms)');
    expect(await value('(+ 1 1)')).toBe('2');
  });

  it('E20 reading evaluates what it is told to', async () => {
    expect(await value('(list #.(+ 40 2))')).toBe('(42)');
  });

  it.each([
    ['nothing', '', /^=> \(no values\)/],
    ['only a comment', '; nothing here', /^=> \(no values\)/],
    ['lines that end with CR LF', '(+ 1\r\n   2)\r\n', /^=> 3/],
    ['a block comment that is not closed', '1 #| never', /^(?:\[ERROR\] END-OF-FILE|=> 1)/],
    ['a NUL', '(length "a\u0000b")', /^=> 3/],
  ])('E21 %s has a defined result', async (_, code, head) => {
    expect((await evaluate(code)).head).toMatch(head);
  });

  it('E21 a cell of several megabytes is run', async () => {
    const code = `(length (quote (${'a '.repeat(1_000_000)})))`;
    expect((await evaluate(code, { wait_ms: 60_000 })).head).toBe('=> 1000000');
  });

  it('E22 fifty evaluations at once are run in order', async () => {
    await value('(defvar *order* nil)');
    await Promise.all(Array.from({ length: 50 }, (_, n) => evaluate(`(push ${n} *order*)`)));
    expect(await value('(equal (reverse *order*) (loop for i below 50 collect i))')).toBe('T');
  });

  it('E23 a call that is cancelled before it begins leaves nothing behind', async () => {
    const busy = evaluate('(sleep 0.5)');
    const given = new AbortController();
    const waiting = lab.evaluate('(defvar *never* 1)', { session }, given.signal);
    given.abort();
    given.abort();
    await expect(waiting).rejects.toThrow();
    await busy;
    expect(await value("(boundp '*never*)")).toBe('NIL');
  });

  it('E26 a large object is paged', async () => {
    await value('(defvar *table* (make-hash-table)) (dotimes (i 200000) (setf (gethash i *table*) i)) 1');
    const first = await lab.call('inspect', { target: '*table*', session });
    expect(first.text.split('\n').length).toBeLessThan(60);
    expect(first.text).toContain('199950 more: offset 50');
    const later = await lab.call('inspect', { target: '*table*', offset: 199_990, session });
    expect(later.text).toContain('199999: 199999');
  });

  it('E27 names from outside are data', async () => {
    const evil = 'x) (sb-ext:exit :code 9) (';
    for (const want of ['summary', 'source', 'members', 'callers', 'search'])
      expect((await lab.call('lookup', { name: evil, want, session })).text).not.toBe('');
    expect((await lab.call('inspect', { target: '#.(sb-ext:exit :code 9)', session })).isError).toBe(true);
    expect((await lab.call('inspect', { target: '(sb-ext:exit :code 9)', session })).text).toContain('inspect changes nothing');
    expect((await lab.call('inspect', { target: "(mapcar #'sb-ext:exit '(1))", session })).text).toContain('inspect changes nothing');
    expect((await evaluate('1')).structured.generation).toBe(1);
  });

  it('E28 secrets of the host are not in the environment of the image', async () => {
    expect(await value('(list (sb-posix:getenv "VIVARIUM_TEST_SECRET") (sb-posix:getenv "ALLOWED"))')).toBe('(NIL "yes")');
    const { text } = await evaluate(
      '(with-open-file (in "/proc/self/environ") (loop for line = (read-line in nil) while line collect line))',
    );
    expect(text).not.toContain(secret);
  });
});
